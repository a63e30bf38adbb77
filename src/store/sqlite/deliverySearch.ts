import { decodeCursor, encodeCursor } from '#store/cursor.ts'
import { isStatusSelective, matchesEvent, matchesState, maxScannedRows } from '#store/deliveryMatch.ts'
import type { DeliveryFilter, DeliveryRecord } from '#store/deliveryQueries.ts'
import { readDeliveryRecord } from '#store/sql/deliveryRows.ts'
import type { PageRequest, ResultPage } from '#store/store.ts'
import { scanEvents } from './eventScan.ts'
import { findPositionSpan } from './positionSpan.ts'
import { keyParams, readRef, selectId } from './refs.ts'
import type { SqlReader, SqlRow } from './sqlReader.ts'
import { scanStatuses } from './statusScan.ts'

const rowsPerRead = 100

const selectDelivery = `
  SELECT delivery.position, delivery.idx, delivery.script, delivery.status, delivery.reason, delivery.attempts,
    delivery.next_at, delivery.at, event.name, event.received_at, event.user, ${selectId} AS id, script.id AS script_id,
    provider.id AS provider
  FROM delivery JOIN event USING (tag, position, idx) JOIN ref AS script ON script.no = delivery.script
    JOIN ref AS provider ON provider.no = delivery.provider`
const byId = `${selectDelivery}
  WHERE delivery.position = ? AND delivery.idx = ? AND delivery.script IN (SELECT no FROM ref WHERE code = ?)`
const selectOfEvent = `${selectDelivery} WHERE delivery.position = ? AND delivery.idx = ? ORDER BY delivery.script DESC`
const selectByStatus = `${selectDelivery}
  WHERE delivery.tag = ? AND delivery.script = ? AND delivery.status = ? AND delivery.reason IS ?
    AND delivery.position >= ? AND (delivery.position, delivery.idx, delivery.script) < (?, ?, ?)
  ORDER BY delivery.position DESC, delivery.idx DESC, delivery.script DESC LIMIT ?`
const selectLastAttempt = `
  SELECT http_status, message FROM every_attempt WHERE position = ? AND idx = ? AND script = ?
  ORDER BY number DESC LIMIT 1`

/** The sort key of a row: by event, and within an event the newest script first. */
type RowPosition = readonly [position: number, idx: number, script: number]
export const rowPosition = (row: SqlRow): RowPosition => [Number(row.position), Number(row.idx), Number(row.script)]

/** The last attempt of the delivery of a row. */
export const lastAttempt = (read: SqlReader, row: SqlRow): SqlRow | undefined =>
  read.one(selectLastAttempt, ...rowPosition(row))
const isBefore = (one: RowPosition, other: RowPosition) => {
  const at = one.findIndex((each, column) => each !== other[column])
  return at >= 0 && one[at]! < other[at]!
}

type ScanRange = { tag: number; from: number; before: RowPosition }

/** Scans the deliveries of a tag's events. Yields a row without delivery after each event. */
function* scanByEvent(read: SqlReader, range: ScanRange, filter: DeliveryFilter): Generator<SqlRow> {
  const { before } = range
  for (const { position, idx } of scanEvents(read, { ...range, before: [before[0], before[1] + 1] }, filter)) {
    for (const row of read.all(selectOfEvent, position, idx)) if (isBefore(rowPosition(row), before)) yield row
    yield { position, idx, script: 0, isEventEnd: true }
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

/** Scans the deliveries that may match a filter, newest first. A row with `isEventEnd` follows each scanned event. */
export function openScan(read: SqlReader, filter: DeliveryFilter, range: ScanRange): Generator<SqlRow> {
  if (!isStatusSelective(filter)) return scanByEvent(read, range, filter)
  return mergeScans(scanStatuses(read, range.tag, filter).map((statusKey) => scanByStatus(read, range, statusKey)))
}

const eventOf = (row: SqlRow) => ({ eventName: row.name, userId: row.user, receivedAt: Number(row.received_at) })

/** Whether the event of a row matches the parts of a filter that concern events. */
export const matchesEventRow = (row: SqlRow, filter: DeliveryFilter): boolean => matchesEvent(eventOf(row), filter)

/** Whether the row of a delivery matches a filter. Reads its last attempt only if all else matches. */
export const matchesDelivery = (read: SqlReader, row: SqlRow, filter: DeliveryFilter): boolean =>
  matchesEventRow(row, filter) &&
  matchesState({ status: row.status, reason: row.reason, scriptId: row.script_id }, filter) &&
  (filter.httpStatuses?.some((each) => each === lastAttempt(read, row)?.http_status) ?? true)

const readDelivery = (read: SqlReader, tagId: string, row: SqlRow): DeliveryRecord =>
  readDeliveryRecord(row, tagId, lastAttempt(read, row))

/** The rows of a tag that a page may have: after its cursor and within the time range of the filter. */
export function scanRange(
  read: SqlReader,
  tagId: string,
  filter: Pick<DeliveryFilter, 'fromMs' | 'toMs'>,
  cursor: string | undefined,
): ScanRange {
  const tag = readRef(read, tagId)
  const [position, idx, script] = cursor === undefined ? [Number.MAX_SAFE_INTEGER, 0, 0] : decodeCursor(cursor, 3)
  const span = findPositionSpan(read, tag, filter)
  return { tag, from: span.from, before: position! > span.to ? [span.to + 1, 0, 0] : [position!, idx!, script!] }
}

/** A page of deliveries. The next page starts after the last scanned row. */
export function findDeliveries(
  read: SqlReader,
  tagId: string,
  filter: DeliveryFilter,
  { cursor, limit }: PageRequest,
): ResultPage<DeliveryRecord> {
  const rows: DeliveryRecord[] = []
  let scannedRows = 0
  for (const row of openScan(read, filter, scanRange(read, tagId, filter, cursor))) {
    if (!row.isEventEnd && matchesDelivery(read, row, filter)) rows.push(readDelivery(read, tagId, row))
    if (rows.length === limit || ++scannedRows === maxScannedRows)
      return { rows, next: encodeCursor(...rowPosition(row)) }
  }
  return { rows }
}

/** The deliveries with these ids that exist. */
export const findDeliveriesById = (read: SqlReader, tagId: string, deliveryIds: readonly string[]): DeliveryRecord[] =>
  deliveryIds.flatMap((id) => {
    const row = read.one(byId, ...keyParams(id))
    return row ? [readDelivery(read, tagId, row)] : []
  })

/** The deliveries of one event, in order of planning. */
export const deliveriesOfEvent = (read: SqlReader, tagId: string, position: number, idx: number): DeliveryRecord[] =>
  read
    .all(selectOfEvent, position, idx)
    .map((row) => readDelivery(read, tagId, row))
    .reverse()
