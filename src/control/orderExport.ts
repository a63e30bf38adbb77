import { badRequest } from '#contract/fault.ts'
import type { OrderRow } from '#contract/order.ts'
import type { OrderCell } from '#contract/orderCells.ts'
import type { PageRequest, ResultPage, TagRecord } from '#store/store.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { type CellFilter, findOrders, rangeOf, toOrderRows } from './orders.ts'

type ExportQuery = Parameters<AnswerFor<'exportTag'>>[0]['query']

/** The columns of an order in CSV: a line for each order and channel. */
export const orderColumns = [
  ...(['orderId', 'placedAt', 'updatedAt', 'status', 'salesChannel', 'value', 'currency', 'tax', 'shipping'] as const),
  ...(['discount', 'refunded', 'source', 'isExpected', 'received', 'scriptId', 'channel', 'cell', 'reason'] as const),
  ...(['eventId', 'deliveryId', 'isRetried', 'isRepeated', 'valueDiffers', 'currencyDiffers'] as const),
]

/** The filters that orders have. */
const filters: ReadonlySet<string> = new Set(['of', 'format', 'from', 'to', 'scriptId', 'cell'])

/** The orders that a query asks for. Throws badRequest for a filter of events. */
export function toCellFilter(query: ExportQuery, nowMs: number): CellFilter {
  const wrong = Object.keys(query).find((name) => !filters.has(name))
  if (wrong !== undefined) throw badRequest({ path: wrong, message: 'is no filter of orders' })
  const { cell: cells, scriptId } = query
  const range = {
    ...(query.from !== undefined && { from: query.from }),
    ...(query.to !== undefined && { to: query.to }),
  }
  return { ...rangeOf(range, nowMs), ...(cells && { cells }), ...(scriptId !== undefined && { scriptId }) }
}

/** A row for each channel of an order in one of these cells; one without a channel if the tag has none. */
function rowsOf({ states, aliases: _, ...order }: OrderRow, cells: readonly OrderCell[] | undefined, names: Names) {
  if (states.length === 0) return cells ? [] : [order]
  return states
    .filter(({ cell }) => cells?.includes(cell) ?? true)
    .map((state) => ({ ...order, ...state, channel: names.get(state.scriptId) ?? '' }))
}
type Names = ReadonlyMap<string, string>

/** A page of the orders of a filter, as rows of a file. */
export async function readOrderPage(
  deps: ControlDeps,
  tag: TagRecord,
  filter: CellFilter,
  page: PageRequest,
): Promise<ResultPage<Readonly<Record<string, unknown>>>> {
  const { rows, next } = await findOrders(deps, tag, filter, page)
  const { scripts = [] } = deps.snapshots.get(tag.tagId) ?? {}
  const names = new Map(scripts.map(({ scriptId, name }) => [scriptId, name]))
  const orders = await toOrderRows(deps, tag, rows, filter.scriptId)
  return {
    rows: orders.flatMap((order) => rowsOf(order, filter.cells, names)),
    ...(next !== undefined && { next }),
  }
}
