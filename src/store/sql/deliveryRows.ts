import type { Issue } from '#contract/schema.ts'
import type { AttemptJoin, DeliveryRecord, ExchangePackRef } from '#store/deliveryQueries.ts'
import type { ChannelFigures, EventListRow, EventRecord } from '#store/journalQueries.ts'
import type { EventRef } from '#store/plannedEvent.ts'
import { type DeliveryOutcome, type DueDelivery, type JournalEvent, type Priority, priorities } from '#store/store.ts'
import { json, mapRow, same, withoutNulls } from './rowMappings.ts'
import type { SqlRow } from './sql.ts'

const deliveryRecord = mapRow<Omit<DeliveryRecord, 'tagId'>>({
  ...{ deliveryId: 'id', index: 'idx', eventName: 'name', scriptId: 'script_id', providerId: 'provider' },
  ...same('position', 'userId', 'status', 'reason', 'receivedAt', 'at', 'attempts', 'nextAt', 'httpStatus', 'message'),
})

export const readDeliveryRecord = (row: SqlRow, tagId: string): DeliveryRecord => ({
  tagId,
  ...deliveryRecord.read(row),
})

export const lastError = mapRow<NonNullable<ChannelFigures['lastError']>>({
  ...{ deliveryId: 'id', index: 'idx' },
  ...same('at', 'position', 'status', 'reason', 'httpStatus', 'message'),
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

type DueColumns = Pick<
  DueDelivery,
  'deliveryId' | 'position' | 'index' | 'providerId' | 'attempts' | 'uncountedAttempts'
> &
  Pick<DueDelivery, 'nextAt' | 'receivedAt' | 'orderKey'>
const dueColumns = mapRow<DueColumns>({
  ...{ deliveryId: 'id', index: 'idx', providerId: 'provider', uncountedAttempts: 'uncounted', orderKey: 'queue' },
  ...same('position', 'attempts', 'nextAt', 'receivedAt'),
})

/** The ids of tag and script are separate, because a database may store numbers for them. */
export const readDue = (row: SqlRow, tagId: unknown, scriptId: unknown): DueDelivery => ({
  ...dueColumns.read(row),
  tagId: String(tagId),
  scriptId: String(scriptId),
  priority: priorities[Number(row.priority)] ?? 'new',
  ...(row.steps !== null && { stepResults: stepsIn(String(row.steps)) }),
  ...(Number(row.crash_count) > 0 && { crashCount: Number(row.crash_count) }),
})

type JournalDelivery = JournalEvent['deliveries'][number]
type JournalAttempt = JournalDelivery['attempts'][number]

const eventColumns = mapRow<Omit<EventRecord, 'tagId' | 'userId'>>({
  ...{ index: 'idx', eventName: 'name', consent: json('consent'), place: json('place'), emailMatch: 'joined' },
  ...same('position', 'receivedAt'),
})

export const readEventRow = (row: SqlRow, tagId: string): EventRecord => ({
  ...eventColumns.read(row),
  tagId,
  userId: String(row.user_id ?? row.user),
})

const attemptColumns = mapRow<Omit<JournalAttempt, 'exchanges' | 'packed' | 'issues' | 'bodies'>>({
  deliveryId: 'delivery_id',
  ...same('number', 'at', 'durationMs', 'httpStatus', 'message', 'joined'),
})

/** `delivery_id`: the id of its delivery. */
export const readAttempt = (row: SqlRow): JournalAttempt => ({
  ...attemptColumns.read(row),
  ...(row.bodies !== null && { bodies: { no: Number(row.bodies), part: Number(row.part) } }),
})

/** A delivery and those of the attempts that belong to it. `script_id` and `replay_id` are ids. */
export const readDelivery = (row: SqlRow, attempts: readonly JournalAttempt[]) =>
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

export const readNextDue = ({ script, priority, next_at }: SqlRow) => ({
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
