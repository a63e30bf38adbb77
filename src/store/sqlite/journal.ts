import type { Writer } from '#kit/writer.ts'
import type { Journal, JournalEvent, PlannedEvent } from '#store/store.ts'
import { dueOf } from './due.ts'
import { findingsOf } from './found.ts'
import { eventRef, heldOf, heldUntil, released } from './held.ts'
import { pausesOf } from './pauses.ts'
import { planned, replayed, settled } from './plan.ts'
import { type Read, type Row, readPage } from './read.ts'
import { refOf } from './refs.ts'
import { present } from './rows.ts'

/** What was under way when a process ended is due at once; that it ended then is remembered. */
const takeUp = `UPDATE delivery SET next_at = ?1, under_way = 0, spoilt = spoilt + 1
  WHERE status = 'pending' AND under_way = 1`

const begin = `UPDATE delivery SET attempts = attempts + 1, under_way = 1, next_at = ? WHERE id = ? AND status = 'pending'`

const events = `SELECT * FROM event WHERE tag = ${refOf}`
const eventsOf = `
  SELECT * FROM (
    SELECT * FROM event INDEXED BY event_user WHERE tag = ${refOf} AND user = ? UNION
    SELECT * FROM event INDEXED BY event_joined WHERE tag = ${refOf} AND joined = ?
  ) WHERE true`
const deliveries = `
  SELECT delivery.*, ref.id AS script_id, pause.reason AS paused_for,
    (SELECT id FROM replay WHERE no = delivery.replay) AS replay_id
  FROM delivery JOIN ref ON ref.no = delivery.script
    LEFT JOIN channel_pause AS pause ON pause.script = delivery.script AND delivery.status = 'pending'
  WHERE position = ? AND idx = ? ORDER BY delivery.no`
const attempts = `
  SELECT delivery.id, attempt.* FROM attempt JOIN delivery ON delivery.no = attempt.delivery
  WHERE delivery.position = ? AND delivery.idx = ? ORDER BY attempt.number`

const eventRow = (tagId: string) => (row: Row) =>
  present<Omit<PlannedEvent, 'deliveries' | 'held' | 'queue'>>({
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
  present<Omit<JournalAttempt, 'exchanges' | 'packed' | 'issues'>>({
    deliveryId: row.id,
    number: row.number,
    at: row.at,
    durationMs: row.duration_ms,
    httpStatus: row.http_status,
    message: row.message,
    joined: row.joined,
    bodies: row.bodies === null ? null : { no: row.bodies, part: row.part },
  })

const deliveryRow = (row: Row, attempts: JournalAttempt[]) =>
  present<JournalDelivery>({
    deliveryId: row.id,
    scriptId: row.script_id,
    providerId: row.provider,
    status: row.status,
    reason: row.reason ?? row.paused_for,
    nextAt: row.next_at,
    replayId: row.replay_id,
    attempts: attempts.filter(({ deliveryId }) => deliveryId === row.id),
  })

export const journalOf = (read: Read, writer: Writer): Journal => ({
  plan: (events) => writer.write(planned(events)),
  ...dueOf(read),
  ...findingsOf(read, writer),
  ...pausesOf(read, writer),
  begin: (begun) => writer.write([{ sql: begin, rows: begun.map(({ deliveryId, untilMs }) => [untilMs, deliveryId]) }]),
  takeUp: (nowMs) => writer.write([{ sql: takeUp, rows: [[nowMs]] }]),
  settle: (outcomes, packs) => writer.write(settled(outcomes, packs)),
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
  replay: (deliveries) => writer.write(replayed(deliveries)),
  pending: async () => Number(read.one(`SELECT count(*) AS count FROM delivery WHERE status = 'pending'`)?.count),
})
