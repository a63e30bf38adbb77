import { decodeCursor, encodeCursor } from '#store/cursor.ts'
import type { DeliveryFilter, DeliveryRecord } from '#store/deliveryQueries.ts'
import type { PageRequest, ResultPage } from '#store/store.ts'
import { findPositionSpan } from './positionSpan.ts'
import { withoutNulls } from './rowMappings.ts'
import type { SqlReader, SqlRow } from './sqlReader.ts'
import { scanStatuses } from './statusScan.ts'

/** The maximum of rows that are scanned for a page, because a query blocks its thread. */
const maxScannedRows = 5_000
const eventsPerRead = 200
const rowsPerRead = 100

const selectDelivery = `
  SELECT delivery.no, delivery.id, delivery.position, delivery.idx, delivery.provider, delivery.status, delivery.reason,
    delivery.attempts, delivery.next_at, delivery.at, delivery.name, event.received_at, ref.id AS script_id
  FROM delivery JOIN event USING (tag, position, idx) JOIN ref ON ref.no = delivery.script`
const byId = `${selectDelivery} WHERE delivery.id = ?`
const selectOfEvent = `${selectDelivery} WHERE delivery.position = ? AND delivery.idx = ? ORDER BY delivery.no DESC`
const selectByStatus = `${selectDelivery}
  WHERE delivery.tag = ? AND delivery.script = ? AND delivery.status = ? AND delivery.reason IS ?
    AND delivery.position >= ? AND (delivery.position, delivery.idx, delivery.no) < (?, ?, ?)
  ORDER BY delivery.position DESC, delivery.idx DESC, delivery.no DESC LIMIT ?`
const newer = 'tag = ? AND position >= ? AND (position, idx) < (?, ?)'
const order = 'ORDER BY position DESC, idx DESC LIMIT ?'
const events = `SELECT position, idx FROM event WHERE ${newer} ${order}`
const eventsNamed = `SELECT position, idx FROM event INDEXED BY event_name WHERE name = ? AND ${newer} ${order}`
const lastAttempt = 'SELECT http_status, message FROM attempt WHERE delivery = ? ORDER BY number DESC LIMIT 1'

/** The sort key of a row: by event, and within an event the last written first. */
type RowPosition = readonly [position: number, idx: number, no: number]
const rowPosition = (row: SqlRow): RowPosition => [Number(row.position), Number(row.idx), Number(row.no)]
const isBefore = (one: RowPosition, other: RowPosition) => {
  const at = one.findIndex((each, column) => each !== other[column])
  return at >= 0 && one[at]! < other[at]!
}

type ScanRange = { tag: number; from: number; before: RowPosition }

/**
 * Scans the deliveries of a tag's events, or of those with one name. Yields a row without delivery after each event.
 */
function* scanByEvent(read: SqlReader, { tag, from, before }: ScanRange, name: string | undefined): Generator<SqlRow> {
  let [position, idx] = [before[0], before[1] + 1]
  for (;;) {
    const at = [tag, from, position, idx, eventsPerRead]
    const eventRefs = name === undefined ? read.all(events, ...at) : read.all(eventsNamed, name, ...at)
    for (const eventRef of eventRefs) {
      position = Number(eventRef.position)
      idx = Number(eventRef.idx)
      for (const row of read.all(selectOfEvent, position, idx)) if (isBefore(rowPosition(row), before)) yield row
      yield { position, idx, no: 0, isEventEnd: true }
    }
    if (eventRefs.length < eventsPerRead) return
  }
}

/** Scans the deliveries of one script with one status and reason. */
function* scanByStatus(
  read: SqlReader,
  { tag, from, before }: ScanRange,
  [script, status, reason]: StatusKey,
): Generator<SqlRow> {
  let last = before
  for (;;) {
    const rows = read.all(selectByStatus, tag, script, status, reason, from, ...last, rowsPerRead)
    yield* rows
    if (rows.length < rowsPerRead) return
    last = rowPosition(rows.at(-1)!)
  }
}
type StatusKey = readonly [script: number, status: string, reason: string | null]

/** Merges the rows of several scans, newest first. */
function* mergeScans(scans: readonly Generator<SqlRow>[]): Generator<SqlRow> {
  const heads = scans.flatMap((scan) => {
    const { value, done } = scan.next()
    return done ? [] : [{ walk: scan, row: value as SqlRow }]
  })
  while (heads.length > 0) {
    const first = heads.reduce((one, other) => (isBefore(rowPosition(one.row), rowPosition(other.row)) ? other : one))
    yield first.row
    const { value, done } = first.walk.next()
    if (done) heads.splice(heads.indexOf(first), 1)
    else first.row = value
  }
}

const failures = ['held', 'refused', 'dead']

/** Whether to scan by status rather than by event. Failures are few, and events of one name are many. */
function isStatusSelective({ statuses, reasons, scriptId, eventName }: DeliveryFilter): boolean {
  if (eventName !== undefined) return statuses?.every((each) => failures.includes(each)) ?? false
  return statuses !== undefined || reasons !== undefined || scriptId !== undefined
}

function openScan(read: SqlReader, filter: DeliveryFilter, range: ScanRange): Generator<SqlRow> {
  if (!isStatusSelective(filter)) return scanByEvent(read, range, filter.eventName)
  return mergeScans(scanStatuses(read, range.tag, filter).map((statusKey) => scanByStatus(read, range, statusKey)))
}

function matchesFilter(
  row: SqlRow,
  { statuses, reasons, scriptId, eventName, fromMs = 0, toMs = Infinity }: DeliveryFilter,
): boolean {
  const receivedAt = Number(row.received_at)
  return (
    receivedAt >= fromMs &&
    receivedAt < toMs &&
    (statuses?.some((each) => each === row.status) ?? true) &&
    (reasons?.some((each) => each === row.reason) ?? true) &&
    (scriptId ?? row.script_id) === row.script_id &&
    (eventName ?? row.name) === row.name
  )
}

const readDelivery = (read: SqlReader, tagId: string, row: SqlRow): DeliveryRecord => {
  const last = read.one(lastAttempt, Number(row.no))
  return withoutNulls<DeliveryRecord>({
    deliveryId: row.id,
    tagId,
    position: row.position,
    index: row.idx,
    eventName: row.name,
    scriptId: row.script_id,
    providerId: row.provider,
    status: row.status,
    reason: row.reason,
    receivedAt: row.received_at,
    at: row.at,
    attempts: row.attempts,
    nextAt: row.next_at,
    httpStatus: last?.http_status ?? null,
    message: last?.message ?? null,
  })
}

/** Collects a page from a scan. The next page starts after the last scanned row. */
function collectPage(
  rows: Generator<SqlRow>,
  filter: DeliveryFilter,
  limit: number,
): { rows: SqlRow[]; next?: string } {
  const matching: SqlRow[] = []
  let scannedRows = 0
  for (const row of rows) {
    if (!row.isEventEnd && matchesFilter(row, filter)) matching.push(row)
    if (matching.length === limit || ++scannedRows === maxScannedRows)
      return { rows: matching, next: encodeCursor(...rowPosition(row)) }
  }
  return { rows: matching }
}

export function findDeliveries(
  read: SqlReader,
  tagId: string,
  filter: DeliveryFilter,
  { cursor, limit }: PageRequest,
): ResultPage<DeliveryRecord> {
  const tag = Number(read.one('SELECT no FROM ref WHERE id = ?', tagId)?.no ?? 0)
  const [position, idx, no] = cursor === undefined ? [Number.MAX_SAFE_INTEGER, 0, 0] : decodeCursor(cursor, 3)
  const span = findPositionSpan(read, tag, filter)
  const before: RowPosition = position! > span.to ? [span.to + 1, 0, 0] : [position!, idx!, no!]
  const page = collectPage(openScan(read, filter, { tag, from: span.from, before }), filter, limit)
  return { ...page, rows: page.rows.map((row) => readDelivery(read, tagId, row)) }
}

/** The deliveries with these ids that exist. */
export const findDeliveriesById = (read: SqlReader, tagId: string, deliveryIds: readonly string[]): DeliveryRecord[] =>
  deliveryIds.flatMap((id) => {
    const row = read.one(byId, id)
    return row ? [readDelivery(read, tagId, row)] : []
  })

/** The deliveries of one event, in order of planning. */
export const deliveriesOfEvent = (read: SqlReader, tagId: string, position: number, idx: number): DeliveryRecord[] =>
  read
    .all(selectOfEvent, position, idx)
    .map((row) => readDelivery(read, tagId, row))
    .reverse()
