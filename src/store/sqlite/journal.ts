import type { Writer } from '#kit/writer.ts'
import type { DueDelivery, Journal, JournalEvent, PlannedEvent } from '#store/store.ts'
import { eventRef, heldOf, heldUntil, released } from './held.ts'
import { planned, settled } from './plan.ts'
import { type Read, type Row, readPage } from './read.ts'
import { refOf } from './refs.ts'
import { present } from './rows.ts'

/** Each attempt that has ended has its row: where one is missing, it was cut off. */
const takeUp = `UPDATE delivery SET next_at = ?1 WHERE status = 'pending' AND next_at > ?1
  AND attempts > (SELECT count(*) FROM attempt WHERE attempt.delivery = delivery.no)`

const begin = `UPDATE delivery SET attempts = attempts + 1, next_at = ? WHERE id = ? AND status = 'pending'`

/** Steps from one script to the next in the index of what is due, instead of reading all that is due. */
const nextDue = `
  WITH RECURSIVE waiting (script) AS (
    SELECT min(script) FROM delivery WHERE status = 'pending'
    UNION ALL
    SELECT (SELECT min(script) FROM delivery WHERE status = 'pending' AND script > waiting.script)
    FROM waiting WHERE waiting.script IS NOT NULL
  )
  SELECT ref.id AS script, next.at AS next_at FROM (
    SELECT script, (
      SELECT min(next_at) FROM delivery WHERE status = 'pending' AND script = waiting.script AND next_at > ?
    ) AS at FROM waiting
  ) AS next JOIN ref ON ref.no = next.script WHERE next.at IS NOT NULL`

const due = `
  SELECT delivery.*, event.received_at, tag.id AS tag_id
  FROM delivery JOIN event USING (tag, position, idx) JOIN ref AS tag ON tag.no = delivery.tag
  WHERE delivery.status = 'pending' AND delivery.script = ${refOf} AND delivery.next_at <= ?
  ORDER BY delivery.next_at LIMIT ?`

const events = `SELECT * FROM event WHERE tag = ${refOf}`
const eventsOf = `
  SELECT * FROM (
    SELECT * FROM event INDEXED BY event_user WHERE tag = ${refOf} AND user = ? UNION
    SELECT * FROM event INDEXED BY event_joined WHERE tag = ${refOf} AND joined = ?
  ) WHERE true`
const deliveries = `
  SELECT delivery.*, ref.id AS script_id FROM delivery JOIN ref ON ref.no = delivery.script
  WHERE position = ? AND idx = ? ORDER BY delivery.no`
const attempts = `
  SELECT delivery.id, attempt.* FROM attempt JOIN delivery ON delivery.no = attempt.delivery
  WHERE delivery.position = ? AND delivery.idx = ? ORDER BY attempt.number`

const dueRow = (scriptId: string) => (row: Row) =>
  present<DueDelivery>({
    deliveryId: row.id,
    tagId: row.tag_id,
    position: row.position,
    index: row.idx,
    scriptId,
    providerId: row.provider,
    attempts: row.attempts,
    free: row.free,
    nextAt: row.next_at,
    receivedAt: row.received_at,
  })

const eventRow = (tagId: string) => (row: Row) =>
  present<Omit<PlannedEvent, 'deliveries' | 'held'>>({
    position: row.position,
    index: row.idx,
    tagId,
    eventName: row.name,
    userId: row.user,
    receivedAt: row.received_at,
    consent: JSON.parse(String(row.consent)),
    place: JSON.parse(String(row.place)),
    joined: row.joined,
  })

type JournalDelivery = JournalEvent['deliveries'][number]
type JournalAttempt = JournalDelivery['attempts'][number]

const attemptRow = (row: Row) =>
  present<JournalAttempt>({
    deliveryId: row.id,
    number: row.number,
    at: row.at,
    durationMs: row.duration_ms,
    httpStatus: row.http_status,
    message: row.message,
  })

const deliveryRow = (row: Row, attempts: JournalAttempt[]) =>
  present<JournalDelivery>({
    deliveryId: row.id,
    scriptId: row.script_id,
    providerId: row.provider,
    status: row.status,
    reason: row.reason,
    nextAt: row.next_at,
    attempts: attempts.filter(({ deliveryId }) => deliveryId === row.id),
  })

export const journalOf = (read: Read, writer: Writer): Journal => ({
  plan: (events) => writer.write(planned(events)),
  nextDue: async (afterMs) =>
    read.all(nextDue, afterMs).map(({ script, next_at }) => ({ scriptId: String(script), nextAt: Number(next_at) })),
  due: async (scriptId, nowMs, limit) => read.all(due, scriptId, nowMs, limit).map(dueRow(scriptId)),
  begin: (begun) => writer.write([{ sql: begin, rows: begun.map(({ deliveryId, untilMs }) => [untilMs, deliveryId]) }]),
  takeUp: (nowMs) => writer.write([{ sql: takeUp, rows: [[nowMs]] }]),
  settle: (outcomes) => writer.write(settled(outcomes)),
  async event(tagId, position, index) {
    const row = read.one(`${events} AND position = ? AND idx = ?`, tagId, position, index)
    if (!row) return undefined
    const tried = read.all(attempts, position, index).map(attemptRow)
    const rows = read.all(deliveries, position, index)
    return { ...eventRow(tagId)(row), deliveries: rows.map((each) => deliveryRow(each, tried)) }
  },
  events: async (tagId, page) =>
    readPage(read, { sql: events, params: [tagId], columns: ['position', 'idx'] }, page, eventRow(tagId)),
  eventsOf: async (tagId, userId, page) => {
    const params = [tagId, userId, tagId, userId]
    return readPage(read, { sql: eventsOf, params, columns: ['position', 'idx'] }, page, eventRow(tagId))
  },
  held: async (tagId, userId) => read.all(heldOf, tagId, userId).map(eventRef),
  heldUntil: async (nowMs, limit) => read.all(heldUntil, nowMs, limit).map(eventRef),
  release: (events) => writer.write(released(events)),
  pending: async () => Number(read.one(`SELECT count(*) AS count FROM delivery WHERE status = 'pending'`)?.count),
})
