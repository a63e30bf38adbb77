import { fault } from '#contract/fault.ts'
import type { OrderRow, OrderState } from '#contract/order.ts'
import type { OrderCell } from '#contract/orderCells.ts'
import { cellOf } from '#contract/orderCells.ts'
import { orderHash } from '#event/orderHash.ts'
import { defined } from '#kit/defined.ts'
import { channelOutcome, furthestDeliveries, outcomePatterns } from '#order/outcome.ts'
import { recordOrders } from '#order/recordOrders.ts'
import { fillScope, isExpected } from '#order/scope.ts'
import { createJudge, type JudgedTag, storeOutcomes } from '#order/settleOrders.ts'
import { deliveryIdOf } from '#store/deliveryId.ts'
import type { OrderPurchase, OrderRange, OrderWithPurchases } from '#store/orders.ts'
import type { PageRequest, ResultPage, TagRecord } from '#store/store.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { readEventsAt } from './events.ts'
import { toPageRequest } from './pagination.ts'
import { reserveSearch, runFairly } from './searchSlots.ts'
import { requireTag } from './tags.ts'

const dayMs = 86_400_000
const defaultRangeMs = 30 * dayMs

/** The tag for judging its orders: with its live channels and the saved scope. */
export const judgedTag = ({ snapshots }: Pick<ControlDeps, 'snapshots'>, tag: TagRecord): JudgedTag => ({
  tagId: tag.tagId,
  teamId: tag.teamId,
  scripts: snapshots.get(tag.tagId)?.scripts ?? [],
  ...(tag.settings.reconciliation && { reconciliation: tag.settings.reconciliation }),
})

/** The range of a query; by default the last 30 days. */
export function rangeOf({ from, to }: { from?: number; to?: number }, nowMs: number): OrderRange {
  const toMs = to ?? nowMs
  return { fromMs: from ?? toMs - defaultRangeMs, toMs }
}

export const putOrders: AnswerFor<'putOrders'> = async ({ params, body, access }, deps) => {
  const tag = await requireTag(deps, access, params.tagId)
  const { results, written } = await recordOrders(tag, body, deps)
  if (written.length > 0) await settleWritten(deps, tag, written)
  return { rows: results }
}

/** Settles old orders without waiting deliveries at once, so that reports after an import have less to judge. */
async function settleWritten(deps: ControlDeps, tag: TagRecord, ids: readonly string[]): Promise<void> {
  try {
    const orders = await deps.store.queries(tag.teamId).ordersById(tag.tagId, ids)
    await storeOutcomes(judgedTag(deps, tag), orders, deps)
  } catch (error) {
    deps.log({ level: 'warn', message: 'could not settle orders; retrying later', tagId: tag.tagId, error })
  }
}

const describePurchase = ({ position, index, receivedAt }: OrderPurchase) => ({ position, index, receivedAt })

/** The state of an order in each of these channels. `eventIdOf`: the event id of a purchase. */
function statesOf(
  order: OrderWithPurchases,
  tag: JudgedTag,
  { judge, openAfter, eventIdOf }: RowContext,
  scriptId: string | undefined,
): OrderState[] {
  const outcome = judge(order)
  const reached = furthestDeliveries(order.purchases)
  const scripts = tag.scripts.filter((script) => scriptId === undefined || script.scriptId === scriptId)
  return scripts.map((script): OrderState => {
    const { cell, ...marks } = channelOutcome(outcome, script.scriptId, order.placedAt > openAfter)
    const first = reached.get(script.scriptId)?.[0]
    const eventId = first && eventIdOf(first.purchase)
    return {
      scriptId: script.scriptId,
      cell,
      ...(first?.delivery.reason && { reason: first.delivery.reason }),
      ...(eventId !== undefined && { eventId }),
      ...(first && {
        deliveryId: deliveryIdOf({ ...describePurchase(first.purchase), scriptId: script.scriptId }),
      }),
      ...marks,
    }
  })
}

type RowContext = {
  judge: ReturnType<typeof createJudge>
  openAfter: number
  eventIdOf(purchase: OrderPurchase): string | undefined
}

function toOrderRow(order: OrderWithPurchases, tag: JudgedTag, context: RowContext, scriptId?: string): OrderRow {
  const { tagId: _, id: __, isSettled: ___, outcome: ____, touched: _____, purchases: ______, ...shown } = order
  return {
    ...shown,
    aliases: [...shown.aliases],
    isExpected: isExpected(order, fillScope(tag.reconciliation)),
    received: context.judge(order).received,
    states: statesOf(order, tag, context, scriptId),
  }
}

/** The event ids of purchases. Each batch of events is decrypted once. */
async function readEventIds(deps: ControlDeps, tag: TagRecord, orders: readonly OrderWithPurchases[]) {
  const positions = new Set(orders.flatMap(({ purchases }) => purchases.map(({ position }) => position)))
  const ids = new Map<string, string>()
  if (positions.size > 0)
    await runFairly(deps, tag.teamId, async () => {
      for (const position of positions)
        for (const [index, { event }] of (await readEventsAt(deps, tag, position)).entries())
          ids.set(`${position} ${index}`, event.eventId)
    })
  return ({ position, index }: OrderPurchase) => ids.get(`${position} ${index}`)
}

export async function toOrderRows(
  deps: ControlDeps,
  tag: TagRecord,
  orders: readonly OrderWithPurchases[],
  scriptId?: string,
): Promise<OrderRow[]> {
  const judged = judgedTag(deps, tag)
  const openAfter = deps.clock.now() - fillScope(judged.reconciliation).graceMs
  const context = { judge: createJudge(judged, deps), openAfter, eventIdOf: await readEventIds(deps, tag, orders) }
  return orders.map((order) => toOrderRow(order, judged, context, scriptId))
}

/** Maximum orders that one call examines. */
const maxLooked = 5_000

export type CellFilter = OrderRange & { cells?: readonly OrderCell[]; scriptId?: string }

/** The expected orders of a range in one of the cells, newest first. A page may have fewer rows than its limit. */
export async function findOrders(
  deps: ControlDeps,
  tag: TagRecord,
  { cells, scriptId, ...range }: CellFilter,
  page: PageRequest,
): Promise<ResultPage<OrderWithPurchases>> {
  const queries = deps.store.queries(tag.teamId)
  if (!cells) return queries.orders(tag.tagId, range, page)
  const judged = judgedTag(deps, tag)
  const judge = createJudge(judged, deps)
  const scope = fillScope(judged.reconciliation)
  const openAfter = deps.clock.now() - scope.graceMs
  const scriptIds = scriptId === undefined ? judged.scripts.map((script) => script.scriptId) : [scriptId]
  const isWanted = (order: OrderWithPurchases) =>
    isExpected(order, scope) &&
    scriptIds.some((id) => cells.includes(channelOutcome(judge(order), id, order.placedAt > openAfter).cell))
  const outcomes = outcomePatterns(cells, scriptId)
  let { cursor } = page
  for (let looked = page.limit; ; looked += page.limit) {
    const request = { limit: page.limit, ...(cursor !== undefined && { cursor }) }
    const found = await queries.orders(tag.tagId, { ...range, ...(outcomes && { outcomes }) }, request)
    const rows = found.rows.filter(isWanted)
    cursor = found.next
    if (cursor === undefined || rows.length > 0 || looked >= maxLooked)
      return { rows, ...(cursor !== undefined && { next: cursor }) }
  }
}

export const listOrders: AnswerFor<'listOrders'> = async ({ params, query, access }, deps) => {
  const tag = await requireTag(deps, access, params.tagId)
  using _search = reserveSearch(deps, tag.teamId)
  const { cell: cells, scriptId } = query
  const filter = { ...rangeOf(query, deps.clock.now()), ...defined({ cells, scriptId }) }
  const { rows, next } = await findOrders(deps, tag, filter, toPageRequest(query))
  return { orders: await toOrderRows(deps, tag, rows, scriptId), ...(next !== undefined && { next }) }
}

export const readOrder: AnswerFor<'readOrder'> = async ({ params, access }, deps) => {
  const tag = await requireTag(deps, access, params.tagId)
  using _search = reserveSearch(deps, tag.teamId)
  const hash = orderHash(tag, params.orderId, deps.keys)
  const id = hash && (await deps.store.orders.owners(tag.tagId, [hash])).get(hash)
  const [order] = id === undefined ? [] : await deps.store.queries(tag.teamId).ordersById(tag.tagId, [id])
  if (!order) throw fault('orderUnknown')
  const eventIdOf = await readEventIds(deps, tag, [order])
  const [row] = await toOrderRows(deps, tag, [order])
  const events = order.purchases.map((purchase) => {
    const { receivedAt, isFromBrowser, value, currency, deliveries } = purchase
    const eventId = eventIdOf(purchase)
    return {
      ...defined({ eventId, value, currency }),
      receivedAt,
      from: isFromBrowser ? ('browser' as const) : ('server' as const),
      deliveries: deliveries.map((delivery) => ({
        deliveryId: deliveryIdOf({ ...describePurchase(purchase), scriptId: delivery.scriptId }),
        ...delivery,
        cell: cellOf(delivery.status, delivery.reason),
      })),
    }
  })
  return { ...row!, events }
}
