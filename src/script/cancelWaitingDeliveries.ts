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
      const request = { scriptId, limit: deliveriesPerStep }
      const waiting = (await journal.due([request], Number.MAX_SAFE_INTEGER)).flat()
      if (waiting.length === 0) break
      await journal.settle(waiting.map(({ deliveryId }) => ({ deliveryId, status: 'dead', reason: 'erased' })))
    }
  }
}
