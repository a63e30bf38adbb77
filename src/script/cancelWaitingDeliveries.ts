import { isStoreAway } from '#store/isStoreAway.ts'
import type { Journal } from '#store/store.ts'

const deliveriesPerStep = 1_000

async function cancelOfScript(scriptId: string, journal: Pick<Journal, 'due' | 'settle'>): Promise<void> {
  for (;;) {
    const request = { scriptId, limit: deliveriesPerStep }
    const waiting = (await journal.due([request], Number.MAX_SAFE_INTEGER)).flat()
    if (waiting.length === 0) return
    await journal.settle(waiting.map(({ deliveryId }) => ({ deliveryId, status: 'dead', reason: 'erased' })))
  }
}

/**
 * Ends the waiting deliveries of deleted scripts: `dead: erased`. Works in slices, so that other writes run in
 * between. The scripts are already deleted, so the call does not fail while the store is unavailable: as after a
 * crash, the remaining deliveries end when their events expire.
 */
export async function cancelWaitingDeliveries(
  scriptIds: readonly string[],
  journal: Pick<Journal, 'due' | 'settle'>,
): Promise<void> {
  for (const scriptId of scriptIds)
    try {
      await cancelOfScript(scriptId, journal)
    } catch (error) {
      if (!isStoreAway(error)) throw error
      return
    }
}
