import { cursorOf, readCursor } from '#store/cursor.ts'
import type { DeliveryFilter, FoundDelivery } from '#store/found.ts'
import type { Page, PageOf } from '#store/store.ts'
import type { Read, Row } from './read.ts'
import { present } from './rows.ts'
import { standings } from './standings.ts'
import { spanOf } from './times.ts'

/** So many rows are looked at for one page: whoever reads holds up everything else on this thread. */
const most = 5_000
const eventsAtOnce = 200
const rowsAtOnce = 100

const found = `
  SELECT delivery.no, delivery.id, delivery.position, delivery.idx, delivery.provider, delivery.status, delivery.reason,
    delivery.attempts, delivery.next_at, delivery.at, delivery.name, event.received_at, ref.id AS script_id
  FROM delivery JOIN event USING (tag, position, idx) JOIN ref ON ref.no = delivery.script`
const byId = `${found} WHERE delivery.id = ?`
const ofEvent = `${found} WHERE delivery.position = ? AND delivery.idx = ? ORDER BY delivery.no DESC`
const ofStanding = `${found}
  WHERE delivery.tag = ? AND delivery.script = ? AND delivery.status = ? AND delivery.reason IS ?
    AND delivery.position >= ? AND (delivery.position, delivery.idx, delivery.no) < (?, ?, ?)
  ORDER BY delivery.position DESC, delivery.idx DESC, delivery.no DESC LIMIT ?`
const newer = 'tag = ? AND position >= ? AND (position, idx) < (?, ?)'
const order = 'ORDER BY position DESC, idx DESC LIMIT ?'
const events = `SELECT position, idx FROM event WHERE ${newer} ${order}`
const eventsNamed = `SELECT position, idx FROM event INDEXED BY event_name WHERE name = ? AND ${newer} ${order}`
const lastAttempt = 'SELECT http_status, message FROM attempt WHERE delivery = ? ORDER BY number DESC LIMIT 1'

/** The place of a row among others: event by event, and of one event those that were written last first. */
type Place = readonly [position: number, idx: number, no: number]
const placeOf = (row: Row): Place => [Number(row.position), Number(row.idx), Number(row.no)]
const isBefore = (one: Place, other: Place) => {
  const at = one.findIndex((each, column) => each !== other[column])
  return at >= 0 && one[at]! < other[at]!
}

type Walk = { tag: number; from: number; before: Place }

/** Every delivery of the events of a tag, or of those of one name. */
function* byEvent(read: Read, { tag, from, before }: Walk, name: string | undefined): Generator<Row> {
  let [position, idx] = [before[0], before[1] + 1]
  for (;;) {
    const at = [tag, from, position, idx, eventsAtOnce]
    const places = name === undefined ? read.all(events, ...at) : read.all(eventsNamed, name, ...at)
    for (const place of places) {
      position = Number(place.position)
      idx = Number(place.idx)
      for (const row of read.all(ofEvent, position, idx)) if (isBefore(placeOf(row), before)) yield row
      yield { position, idx, no: 0, looked: true }
    }
    if (places.length < eventsAtOnce) return
  }
}

/** The deliveries of one script that stand in one way. */
function* byStanding(read: Read, { tag, from, before }: Walk, [script, status, reason]: Standing): Generator<Row> {
  let last = before
  for (;;) {
    const rows = read.all(ofStanding, tag, script, status, reason, from, ...last, rowsAtOnce)
    yield* rows
    if (rows.length < rowsAtOnce) return
    last = placeOf(rows.at(-1)!)
  }
}
type Standing = readonly [script: number, status: string, reason: string | null]

/** The rows of several walks in one order, the newest first. */
function* merged(walks: readonly Generator<Row>[]): Generator<Row> {
  const heads = walks.flatMap((walk) => {
    const { value, done } = walk.next()
    return done ? [] : [{ walk, row: value as Row }]
  })
  while (heads.length > 0) {
    const first = heads.reduce((one, other) => (isBefore(placeOf(one.row), placeOf(other.row)) ? other : one))
    yield first.row
    const { value, done } = first.walk.next()
    if (done) heads.splice(heads.indexOf(first), 1)
    else first.row = value
  }
}

const failures = ['held', 'refused', 'dead']

/** Events by name are many, and failures few: each filter is led by what leaves the least to look through. */
function leads({ statuses, reasons, scriptId, eventName }: DeliveryFilter): boolean {
  if (eventName !== undefined) return statuses?.every((each) => failures.includes(each)) ?? false
  return statuses !== undefined || reasons !== undefined || scriptId !== undefined
}

function walkOf(read: Read, filter: DeliveryFilter, walk: Walk): Generator<Row> {
  if (!leads(filter)) return byEvent(read, walk, filter.eventName)
  return merged(standings(read, walk.tag, filter).map((standing) => byStanding(read, walk, standing)))
}

function fits(
  row: Row,
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

const deliveryRow = (read: Read, tagId: string, row: Row): FoundDelivery => {
  const last = read.one(lastAttempt, Number(row.no))
  return present<FoundDelivery>({
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

/** A page of what a walk gives, and where the next one begins: behind the last row that was looked at. */
function gathered(rows: Generator<Row>, filter: DeliveryFilter, limit: number): { rows: Row[]; next?: string } {
  const taken: Row[] = []
  let looked = 0
  for (const row of rows) {
    if (!row.looked && fits(row, filter)) taken.push(row)
    if (taken.length === limit || ++looked === most) return { rows: taken, next: cursorOf(...placeOf(row)) }
  }
  return { rows: taken }
}

export function findDeliveries(
  read: Read,
  tagId: string,
  filter: DeliveryFilter,
  { cursor, limit }: PageOf,
): Page<FoundDelivery> {
  const tag = Number(read.one('SELECT no FROM ref WHERE id = ?', tagId)?.no ?? 0)
  const [position, idx, no] = cursor === undefined ? [Number.MAX_SAFE_INTEGER, 0, 0] : readCursor(cursor, 3)
  const span = spanOf(read, tag, filter)
  const before: Place = position! > span.to ? [span.to + 1, 0, 0] : [position!, idx!, no!]
  const page = gathered(walkOf(read, filter, { tag, from: span.from, before }), filter, limit)
  return { ...page, rows: page.rows.map((row) => deliveryRow(read, tagId, row)) }
}

/** Those of these that are there. */
export const standingOf = (read: Read, tagId: string, deliveryIds: readonly string[]): FoundDelivery[] =>
  deliveryIds.flatMap((id) => {
    const row = read.one(byId, id)
    return row ? [deliveryRow(read, tagId, row)] : []
  })

/** The deliveries of one event, in the order they were planned. */
export const deliveriesAt = (read: Read, tagId: string, position: number, idx: number): FoundDelivery[] =>
  read
    .all(ofEvent, position, idx)
    .map((row) => deliveryRow(read, tagId, row))
    .reverse()
