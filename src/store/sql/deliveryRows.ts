import type { AttemptJoin, DeliveryRecord, ExchangePackRef } from '#store/deliveryQueries.ts'
import type { ChannelFigures, EventListRow } from '#store/journalQueries.ts'
import type { EventRef } from '#store/plannedEvent.ts'
import { mapRow, withoutNulls } from './rowMappings.ts'
import type { SqlRow } from './sql.ts'

/** The columns of an attempt that lists show; absent without an attempt. */
type LastAttempt = { readonly http_status?: unknown; readonly message?: unknown }
const lastOf = (attempt: LastAttempt | undefined) => ({
  httpStatus: attempt?.http_status ?? null,
  message: attempt?.message ?? null,
})

/** The delivery of a row of a list. */
export const readDeliveryRecord = (row: SqlRow, tagId: string, attempt: LastAttempt | undefined): DeliveryRecord =>
  withoutNulls<DeliveryRecord>({
    deliveryId: row.id,
    tagId,
    position: row.position,
    index: row.idx,
    eventName: row.name,
    userId: row.user_id ?? row.user,
    scriptId: row.script_id ?? row.script,
    providerId: row.provider,
    status: row.status,
    reason: row.reason,
    receivedAt: row.received_at,
    at: row.at,
    attempts: row.attempts,
    nextAt: row.next_at,
    ...lastOf(attempt),
  })

/** The last error of a channel. */
export const readLastError = (row: SqlRow, attempt: LastAttempt | undefined) =>
  withoutNulls<NonNullable<ChannelFigures['lastError']>>({
    at: row.at,
    deliveryId: row.id,
    position: row.position,
    index: row.idx,
    status: row.status,
    reason: row.reason,
    ...lastOf(attempt),
  })

/** The event of a row of a list, with its deliveries counted by status. */
export const readEventListRow = (row: SqlRow, counts: readonly SqlRow[]): EventListRow => ({
  position: Number(row.position),
  index: Number(row.idx),
  eventName: String(row.name),
  userId: String(row.user_id ?? row.user),
  receivedAt: Number(row.received_at),
  counts: Object.fromEntries(counts.map(({ status, count }) => [String(status), Number(count)])),
})

export const readEventRef = (row: SqlRow, tagId?: string): EventRef => ({
  tagId: tagId ?? String(row.tag_id),
  position: Number(row.position),
  index: Number(row.idx),
})

/** The state of a delivery. */
export const readStatus = ({ status, reason }: SqlRow) =>
  withoutNulls<Pick<DeliveryRecord, 'status' | 'reason'>>({ status, reason })

export const packRef = mapRow<ExchangePackRef & { deliveryId: string }>({ deliveryId: 'id', no: 'no', part: 'part' })

export const readJoin = ({ id, number, no, part }: SqlRow) =>
  withoutNulls<AttemptJoin>({ deliveryId: id, number, bodies: no === null ? null : { no, part } })
