import type { TeamAccess } from '#account/teamAccess.ts'
import { statuses } from '#contract/deliveryStatus.ts'
import { badRequest } from '#contract/fault.ts'
import type { ExportFormat } from '#contract/operation.ts'
import type { operations } from '#contract/operations.ts'
import type { OrderRow } from '#contract/order.ts'
import type { OrderCell } from '#contract/orderCells.ts'
import type { RecordEvent } from '#event/record.ts'
import { requireScopes } from '#http/authorizeCall.ts'
import type { OperationCall } from '#http/bindOperation.ts'
import type { ExportFile } from '#http/sendExport.ts'
import { defined } from '#kit/defined.ts'
import { QueryRefused } from '#kit/queryPool.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import type { PageRequest, ResultPage, TagRecord } from '#store/store.ts'
import { toAuditFilter } from './audit.ts'
import { consentRows, proofColumns, refuseFilters, userConsentRows } from './consentRows.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { toDeliveryRows } from './deliveries.ts'
import { toRowFilter } from './deliveryFilter.ts'
import { toEventRows } from './events.ts'
import { shownTo } from './maskTexts.ts'
import { type CellFilter, findOrders, rangeOf, toOrderRows } from './orders.ts'
import { reserveSearch, runFairly } from './searchSlots.ts'
import { requireTag } from './tags.ts'

type ExportQuery = Parameters<AnswerFor<'exportTag'>>[0]['query']

/** The columns of an order in CSV, with a line for each order and channel. */
const orderColumns = [
  ...(['orderId', 'placedAt', 'updatedAt', 'status', 'salesChannel', 'value', 'currency', 'tax', 'shipping'] as const),
  ...(['discount', 'refunded', 'source', 'isExpected', 'received', 'scriptId', 'channel', 'cell', 'reason'] as const),
  ...(['eventId', 'deliveryId', 'isRetried', 'isRepeated', 'valueDiffers', 'currencyDiffers'] as const),
]

/** The filters that orders have. */
const filters: ReadonlySet<string> = new Set(['of', 'format', 'from', 'to', 'scriptId', 'cell'])

/** The order filter of a query. Throws badRequest for an event filter. */
function toCellFilter(query: ExportQuery, nowMs: number): CellFilter {
  const wrong = Object.keys(query).find((name) => !filters.has(name))
  if (wrong !== undefined) throw badRequest({ path: wrong, message: 'is not a filter for orders' })
  const { from, to, cell: cells, scriptId } = query
  return { ...rangeOf(defined({ from, to }), nowMs), ...defined({ cells, scriptId }) }
}

/** A row for each channel of an order in one of these cells; one row without a channel if the tag has no channels. */
function rowsOf({ states, aliases: _, ...order }: OrderRow, cells: readonly OrderCell[] | undefined, names: Names) {
  if (states.length === 0) return cells ? [] : [order]
  return states
    .filter(({ cell }) => cells?.includes(cell) ?? true)
    .map((state) => ({ ...order, ...state, channel: names.get(state.scriptId) ?? '' }))
}
type Names = ReadonlyMap<string, string>

/** A page of filtered orders, as rows of a file. */
async function readOrderPage(
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

/**
 * Text that a spreadsheet would run as a formula (OWASP, CSV injection), including full-width and small forms: at the
 * start, and after the separators at which spreadsheets split cells even inside quotes.
 */
const formula = /(^|[;\t\r\n])([^\S\t\r\n]*)([=+\-@＝＋－＠﹢﹣﹦﹫−])/g
const separatorFirst = /^[\t\r\n]/
const needsQuotes = /[",\r\n]/

/** A cell (RFC 4180). A quote mark is put before a formula. */
function csvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const quoted = text.replace(formula, "$1'$2$3")
  const safe = typeof value === 'number' ? text : separatorFirst.test(text) ? `'${quoted}` : quoted
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One line of a CSV file (RFC 4180). */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvCell).join(',')}\r\n`

type ExportRow = Readonly<Record<string, unknown>>

/** Maximum rows read, and held in memory, at once. */
const rowsPerPart = 200
/** The delay before the next try after a query found no free thread. */
const busyRetryMs = 1_000
const maxBusyRetries = 60

const columns = {
  event: ['eventId', 'eventName', 'userId', 'receivedAt', 'caller', 'orderId', 'value', 'currency', ...statuses],
  delivery: [
    'deliveryId',
    'eventId',
    'eventName',
    'userId',
    'scriptId',
    'providerId',
    'status',
    'reason',
    'receivedAt',
    'at',
    'attempts',
    'nextAt',
    'httpStatus',
    'message',
  ],
  order: orderColumns,
  consent: ['eventId', 'eventName', 'userId', 'receivedAt', 'caller', ...proofColumns],
  userConsent: ['userId', 'eventId', ...proofColumns, 'objected'],
  audit: ['at', 'by', 'what', 'object', 'from', 'before', 'after'],
} as const
const timeColumns: ReadonlySet<string> = new Set(['receivedAt', 'at', 'nextAt', 'placedAt', 'updatedAt'])

/** In CSV, times are ISO 8601 in UTC, because spreadsheets cannot read epoch ms. */
const toCell = (name: string, value: unknown) =>
  timeColumns.has(name) && typeof value === 'number' ? new Date(value).toISOString() : value

/** The exporting caller. Access is checked again before each page but the first. */
type Exporter = Pick<OperationCall<(typeof operations)['exportAudit']>, 'recheckAccess'>

/** Reads pages until the end. After the first page, waits while all query threads are busy. */
async function* readPages<Row>(
  list: (page: PageRequest) => Promise<ResultPage<Row>>,
  { recheckAccess }: Exporter,
  { clock }: Pick<ControlDeps, 'clock'>,
): AsyncGenerator<Row[]> {
  let cursor: string | undefined
  let retries = 0
  do {
    try {
      if (cursor !== undefined) await recheckAccess()
      const page = await list({ limit: rowsPerPart, ...(cursor !== undefined && { cursor }) })
      yield page.rows
      cursor = page.next
      retries = 0
    } catch (problem) {
      const mayRetry = problem instanceof QueryRefused && problem.why !== 'tooSlow' && cursor !== undefined
      if (!mayRetry || ++retries > maxBusyRetries) throw problem
      await clock.wait(busyRetryMs)
    }
  } while (cursor !== undefined)
}

/** The text of an export, one part for each page of rows. */
async function* toText(
  pages: AsyncIterable<readonly ExportRow[]>,
  names: readonly string[],
  format: ExportFormat,
): AsyncGenerator<string> {
  // The first line comes with the first page, so that a refused query is answered before anything is sent.
  let head = format === 'csv' ? csvLine(names) : ''
  const toCsv = (row: ExportRow) => csvLine(names.map((name) => toCell(name, row[name])))
  const line = (row: ExportRow) => (format === 'csv' ? toCsv(inColumns(row)) : `${JSON.stringify(row)}\n`)
  for await (const rows of pages) {
    yield head + rows.map(line).join('')
    head = ''
  }
}

/** The order id and value of an event. */
function orderFields({ event: { data } }: RecordEvent): { orderId?: string; value?: number; currency?: string } {
  const { orderId, value, currency } = (data ?? {}) as Record<string, unknown>
  return {
    ...(typeof orderId === 'string' && { orderId }),
    ...(typeof value === 'number' && { value }),
    ...(typeof currency === 'string' && /^[A-Za-z]{3}$/.test(currency) && { currency }),
  }
}

/** In CSV, the deliveries of each status have their own column. */
const inColumns = ({ counts, ...row }: ExportRow): ExportRow => ({ ...row, ...(counts as object | undefined) })

async function* readTagPages(
  deps: ControlDeps,
  tag: TagRecord,
  { of, filter, access }: { of: keyof typeof columns; filter: DeliveryFilter; access: TeamAccess },
  exporter: Exporter,
): AsyncGenerator<readonly ExportRow[]> {
  using _search = reserveSearch(deps, tag.teamId)
  const queries = deps.store.queries(tag.teamId)
  if (of === 'event')
    for await (const rows of readPages((page) => queries.events(tag.tagId, filter, page), exporter, deps))
      yield shownTo(access, 'exportTag', await toEventRows(deps, tag, rows, orderFields))
  else if (of === 'consent')
    for await (const rows of readPages((page) => queries.events(tag.tagId, filter, page), exporter, deps))
      yield await consentRows(deps, tag, rows)
  else if (of === 'userConsent') yield* readPages((page) => userConsentRows(deps, tag, filter, page), exporter, deps)
  else
    for await (const rows of readPages((page) => queries.deliveries(tag.tagId, filter, page), exporter, deps))
      yield shownTo(access, 'exportTag', await toDeliveryRows(deps, tag, rows))
}

async function* readOrderPages(deps: ControlDeps, tag: TagRecord, filter: CellFilter, exporter: Exporter) {
  using _search = reserveSearch(deps, tag.teamId)
  yield* readPages((page) => readOrderPage(deps, tag, filter, page), exporter, deps)
}

const fileOf = (
  name: keyof typeof columns,
  format: ExportFormat = 'ndjson',
  pages: AsyncIterable<readonly ExportRow[]>,
): ExportFile => ({ name, format, parts: toText(pages, columns[name], format) })

export const exportTag: AnswerFor<'exportTag'> = async ({ params, query, access, ...exporter }, deps) => {
  const tag = await requireTag(deps, access, params.tagId)
  const { of, format, cell, ...filters } = query
  if (of === 'order') {
    requireScopes(['order:read'], access)
    const asked = toCellFilter(query, deps.clock.now())
    return fileOf(of, format, readOrderPages(deps, tag, asked, exporter))
  }
  if (cell !== undefined) throw badRequest({ path: 'cell', message: 'is a filter for orders only' })
  if (of === 'consent' || of === 'userConsent') requireScopes(['user:read'], access)
  if (of === 'userConsent') refuseFilters(filters)
  const filter = await toRowFilter(deps, { tag, access }, filters)
  return fileOf(of, format, readTagPages(deps, tag, { of, filter, access }, exporter))
}

/** The audit is read on the main thread: the exports of one team take turns, and each is one of its queries. */
export const exportAudit: AnswerFor<'exportAudit'> = ({ query, access, ...exporter }, deps) => {
  const filter = toAuditFilter(query)
  const list = (page: PageRequest) =>
    runFairly(deps, access.teamId, async () => {
      const { rows, ...rest } = await deps.store.audit(access.teamId, page, filter)
      return { rows: rows.map(({ teamId: _, ...entry }): ExportRow => entry), ...rest }
    })
  async function* pages() {
    using _search = reserveSearch(deps, access.teamId)
    yield* readPages(list, exporter, deps)
  }
  return fileOf('audit', query.format, pages())
}
