import type { EventRecord } from '#store/journalQueries.ts'
import type { JournalEvent } from '#store/store.ts'
import { withoutNulls } from './rowMappings.ts'

type Row = Readonly<Record<string, unknown>>
type JournalDelivery = JournalEvent['deliveries'][number]
type JournalAttempt = JournalDelivery['attempts'][number]

/** The event of a row. */
export const readEventRow = (row: Row, tagId: string) =>
  withoutNulls<EventRecord>({
    position: row.position,
    index: row.idx,
    tagId,
    eventName: row.name,
    userId: row.user_id ?? row.user,
    receivedAt: row.received_at,
    consent: JSON.parse(String(row.consent)),
    place: JSON.parse(String(row.place)),
    emailMatch: row.joined,
  })

/** The attempt of a row. `delivery_id` is the id of its delivery. */
export const readAttempt = (row: Row) =>
  withoutNulls<Omit<JournalAttempt, 'exchanges' | 'packed' | 'issues'>>({
    deliveryId: row.delivery_id,
    number: row.number,
    at: row.at,
    durationMs: row.duration_ms,
    httpStatus: row.http_status,
    message: row.message,
    joined: row.joined,
    bodies: row.bodies === null ? null : { no: row.bodies, part: row.part },
  })

/** The delivery of a row, with those of the attempts that are its own. `script_id` and `replay_id` are ids. */
export const readDelivery = (row: Row, attempts: readonly JournalAttempt[]) =>
  withoutNulls<JournalDelivery>({
    deliveryId: row.id,
    scriptId: row.script_id,
    providerId: row.provider,
    status: row.status,
    reason: row.reason ?? row.paused_for,
    at: row.at,
    nextAt: row.next_at,
    replayId: row.replay_id,
    attempts: attempts.filter(({ deliveryId }) => deliveryId === row.id),
  })
