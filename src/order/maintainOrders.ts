import { keptOrdersDays } from '#contract/order.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { runRounds } from '#kit/rounds.ts'
import type { Snapshots } from '#script/snapshot.ts'
import { keptPayloadsMs } from '#store/orders.ts'
import type { Store } from '#store/store.ts'
import { settleSlice } from './settleOrders.ts'

type MaintainOrdersDeps = {
  clock: Pick<Clock, 'now' | 'wait'>
  log: Log
  snapshots: Pick<Snapshots, 'get'>
  store: Pick<Store, 'tag' | 'write' | 'orders' | 'queries'>
  journalMs: number
}

const restMs = 5
const dayMs = 86_400_000

/**
 * Settles orders before the journal deletes their events, and deletes old orders and payloads. The teams take turns.
 */
export function maintainOrders(deps: MaintainOrdersDeps, signal: AbortSignal): Promise<void> {
  const { clock, log, snapshots, store } = deps
  const now = clock.now()
  const cutoffs = { placedBefore: now - keptOrdersDays * dayMs, payloadsBefore: now - keptPayloadsMs }

  async function runSlice(tagId: string, after: string | undefined): Promise<string | undefined> {
    const old = { tagId, ...cutoffs }
    if (await store.orders.hasOlder(old)) {
      await store.write([{ drop: 'orders', ...old }])
      return after ?? ''
    }
    const tag = await store.tag(tagId)
    if (!tag) return undefined
    const { reconciliation } = tag.settings
    const judged = { tagId, teamId: tag.teamId, scripts: snapshots.get(tagId)?.scripts ?? [] }
    return settleSlice({ ...judged, ...(reconciliation && { reconciliation }) }, deps, after || undefined)
  }
  return runRounds(
    {
      async next(after) {
        const id = await store.orders.nextTag(after)
        return id === undefined ? undefined : { id, group: (await store.tag(id))?.teamId ?? '' }
      },
      runSlice,
      rest: () => clock.wait(restMs, signal),
      // The next pass starts over.
      failed: (teamId, error) =>
        log({ level: 'error', message: 'could not settle the orders of a team', teamId, error }),
    },
    signal,
  )
}
