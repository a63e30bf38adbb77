import type { Issue } from '#contract/schema.ts'
import type { AttemptJoin, DeliveryRecord, ExchangePackRef } from '#store/deliveryQueries.ts'
import type { ChannelFigures, EventListRow, EventRecord } from '#store/journalQueries.ts'
import type { EventRef } from '#store/plannedEvent.ts'
import { type DeliveryOutcome, type DueDelivery, type JournalEvent, type Priority, priorities } from '#store/store.ts'
import { mapRow, withoutNulls } from './rowMappings.ts'
import type { SqlRow } from './sql.ts'

export const readDeliveryRecord = (row: SqlRow, tagId: string): DeliveryRecord =>
  withoutNulls<DeliveryRecord>({
    deliveryId: row.id,
    tagId,
    position: row.position,
    index: row.idx,
    eventName: row.name,
    userId: row.user_id,
    scriptId: row.script_id,
    providerId: row.provider,
    status: row.status,
    reason: row.reason,
    receivedAt: row.received_at,
    at: row.at,
    attempts: row.attempts,
    nextAt: row.next_at,
    httpStatus: row.http_status,
    message: row.message,
  })

export const readLastError = (row: SqlRow) =>
  withoutNulls<NonNullable<ChannelFigures['lastError']>>({
    at: row.at,
    deliveryId: row.id,
    position: row.position,
    index: row.idx,
    status: row.status,
    reason: row.reason,
    httpStatus: row.http_status,
    message: row.message,
  })

/** An event of a list, with its deliveries counted by status. */
export const readEventListRow = (row: SqlRow, counts: readonly SqlRow[]): EventListRow => ({
  position: Number(row.position),
  index: Number(row.idx),
  eventName: String(row.name),
  userId: String(row.user_id),
  receivedAt: Number(row.received_at),
  counts: Object.fromEntries(counts.map(({ status, count }) => [String(status), Number(count)])),
})

export const readEventRef = (row: SqlRow, tagId?: string): EventRef => ({
  tagId: tagId ?? String(row.tag_id),
  position: Number(row.position),
  index: Number(row.idx),
})

export const readStatus = ({ status, reason }: SqlRow) =>
  withoutNulls<Pick<DeliveryRecord, 'status' | 'reason'>>({ status, reason })

export const packRef = mapRow<ExchangePackRef & { deliveryId: string }>({ deliveryId: 'id', no: 'no', part: 'part' })

export const readJoin = ({ id, number, no, part }: SqlRow) =>
  withoutNulls<AttemptJoin>({ deliveryId: id, number, bodies: no === null ? null : { no, part } })

const stepsIn = (json: string) => (JSON.parse(json) as (string | null)[]).map((result) => result ?? undefined)

/** The ids of tag and script are separate, because a database may store numbers for them. */
export const readDue = (
  row: Readonly<Record<string, unknown>>,
  { tagId, scriptId }: { tagId: unknown; scriptId: unknown },
): DueDelivery => ({
  ...withoutNulls<Omit<DueDelivery, 'priority' | 'crashCount' | 'stepResults' | 'planned' | 'eventName' | 'slot'>>({
    deliveryId: row.id,
    tagId,
    position: row.position,
    index: row.idx,
    scriptId,
    providerId: row.provider,
    attempts: row.attempts,
    uncountedAttempts: row.uncounted,
    nextAt: row.next_at,
    receivedAt: row.received_at,
    orderKey: row.queue,
  }),
  priority: priorities[Number(row.priority)] ?? 'new',
  ...(row.steps !== null && { stepResults: stepsIn(String(row.steps)) }),
  ...(Number(row.crash_count) > 0 && { crashCount: Number(row.crash_count) }),
})

type Row = Readonly<Record<string, unknown>>
type JournalDelivery = JournalEvent['deliveries'][number]
type JournalAttempt = JournalDelivery['attempts'][number]

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

/** `delivery_id`: the id of its delivery. */
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

/** A delivery and those of the attempts that belong to it. `script_id` and `replay_id` are ids. */
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

/** The column `priority` has the index of the priority. */
export const priorityNumber = (priority: Priority): number => priorities.indexOf(priority)

export const readNextDue = ({ script, priority, next_at }: Row) => ({
  scriptId: String(script),
  priority: priorities[Number(priority)]!,
  nextAt: Number(next_at),
})

/** The column `steps` of an outcome. */
export const stepsOf = ({ stepResults }: DeliveryOutcome): string | null =>
  stepResults ? JSON.stringify(stepResults.map((result) => result ?? null)) : null

/** When the delivery reached this state; null: when its event was received. */
export const outcomeAt = ({ at, attempt }: DeliveryOutcome): number | null =>
  at ?? (attempt ? attempt.at + attempt.durationMs : null)

/** Replaces list indexes by `*`, as in `data.contents.*.id`. */
export const issuePath = ({ path }: Issue): string => path.replace(/(?<=^|\.)\d+(?=\.|$)/g, '*')
