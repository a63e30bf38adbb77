import type { Clock } from '#kit/clock.ts'
import type { OrderWithPurchases } from '#store/orders.ts'
import type { Snapshot } from '#store/snapshot.ts'
import type { Store } from '#store/store.ts'
import { isWaiting, mergeOutcomes, type Outcome, outcomeOf, readOutcomeText, toOutcomeText } from './outcome.ts'
import { fillScope } from './scope.ts'

/** The tag whose orders are judged: its live channels and its scope. */
export type JudgedTag = Pick<Snapshot, 'tagId' | 'teamId' | 'scripts' | 'reconciliation'>
type SettleDeps = { clock: Pick<Clock, 'now'>; store: Pick<Store, 'write' | 'queries'>; journalMs: number }

const dayMs = 86_400_000

/** Judges the orders of a tag by their events in the journal. */
export function createJudge({ scripts, reconciliation }: JudgedTag, { clock, journalMs }: Omit<SettleDeps, 'store'>) {
  const { tolerance } = fillScope(reconciliation)
  const channels = new Map(scripts.map((script) => [script.scriptId, script]))
  return (order: OrderWithPurchases): Outcome => {
    if (order.isSettled && order.outcome !== undefined) return readOutcomeText(order.outcome)
    const now = outcomeOf(order, { channels, tolerance })
    // the events of an old order may be deleted, but its outcome includes them
    const isOld = order.placedAt < clock.now() - journalMs + dayMs
    return isOld && order.outcome !== undefined ? mergeOutcomes(readOutcomeText(order.outcome), now) : now
  }
}

/** Stores the outcomes of orders that are old enough and wait for no delivery. Returns how many. */
export async function storeOutcomes(
  tag: JudgedTag,
  orders: readonly OrderWithPurchases[],
  deps: SettleDeps,
): Promise<number> {
  const judge = createJudge(tag, deps)
  const youngest = deps.clock.now() - fillScope(tag.reconciliation).graceMs
  const rows = orders
    .filter((order) => !order.isSettled && order.placedAt <= youngest && !isWaiting(order))
    .map((order) => ({ id: order.id, touched: order.touched, outcome: toOutcomeText(judge(order)) }))
  if (rows.length > 0) await deps.store.write([{ settle: 'orders', tagId: tag.tagId, rows }])
  return rows.length
}

const pageSize = 500

/** Settles the next unsettled orders of a tag, newest first. Returns where the next call begins. */
export async function settleSlice(
  tag: JudgedTag,
  deps: SettleDeps,
  after: string | undefined,
): Promise<string | undefined> {
  const range = { fromMs: 0, toMs: deps.clock.now(), isUnsettled: true } as const
  const page = { limit: pageSize, ...(after !== undefined && { cursor: after }) }
  const { rows, next } = await deps.store.queries(tag.teamId).orders(tag.tagId, range, page)
  await storeOutcomes(tag, rows, deps)
  return next
}
