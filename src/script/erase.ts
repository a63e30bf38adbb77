import type { Journal } from '#store/store.ts'

const atOnce = 1_000

/**
 * Ends what waits for scripts that are gone: `dead: erased`. In portions, so that others write in between; what a crash
 * leaves is ended by the worker when its time comes.
 */
export async function eraseWaiting(
  scriptIds: readonly string[],
  journal: Pick<Journal, 'due' | 'settle'>,
): Promise<void> {
  for (const scriptId of scriptIds) {
    for (;;) {
      const waiting = await journal.due(scriptId, Number.MAX_SAFE_INTEGER, atOnce)
      if (waiting.length === 0) break
      await journal.settle(waiting.map(({ deliveryId }) => ({ deliveryId, status: 'dead', reason: 'erased' })))
    }
  }
}
