import type { Journal } from '#store/store.ts'

const deliveriesPerStep = 1_000

/**
 * Ends the waiting deliveries of deleted scripts: `dead: erased`. Works in slices, so that other writes come in
 * between. After a crash the worker ends the remaining ones when they are due.
 */
export async function cancelWaitingDeliveries(
  scriptIds: readonly string[],
  journal: Pick<Journal, 'due' | 'settle'>,
): Promise<void> {
  for (const scriptId of scriptIds) {
    for (;;) {
      const waiting = await journal.due(scriptId, Number.MAX_SAFE_INTEGER, deliveriesPerStep)
      if (waiting.length === 0) break
      await journal.settle(waiting.map(({ deliveryId }) => ({ deliveryId, status: 'dead', reason: 'erased' })))
    }
  }
}
