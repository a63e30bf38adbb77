import type { DeliveryRow } from '#contract/delivery.ts'
import type { LiveData, LiveKind } from '#contract/live.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'

/** A message of a live stream. `leftOut`: there were too many events to send one by one. */
export type TagLiveMessage =
  | { [Kind in LiveKind]: { kind: Kind; data: LiveData[Kind] } }[LiveKind]
  | { kind: 'leftOut'; data: { events: number } }

/** The message kinds of a stream, and the filter of its events and deliveries. */
export type TagLiveFilter = { kinds: ReadonlySet<LiveKind>; filter: DeliveryFilter }

const isOneOf = <Value>(wanted: readonly Value[] | undefined, value: Value | undefined) =>
  wanted === undefined || (value !== undefined && wanted.includes(value))

const matchesDelivery = (
  { statuses, reasons, scriptId, eventName, userId, httpStatuses }: DeliveryFilter,
  row: DeliveryRow,
) =>
  isOneOf(statuses as readonly string[] | undefined, row.status) &&
  isOneOf(reasons as readonly string[] | undefined, row.reason) &&
  isOneOf(httpStatuses, row.httpStatus) &&
  (scriptId ?? row.scriptId) === row.scriptId &&
  (eventName ?? row.eventName) === row.eventName &&
  (userId ?? row.userId) === row.userId

/** Whether a stream sends a message. Of the delivery filter, only the script applies to the other kinds. */
export function isWanted({ kinds, filter }: TagLiveFilter, message: TagLiveMessage): boolean {
  const { scriptId, eventName, userId } = filter
  if (message.kind === 'leftOut') return true
  if (!kinds.has(message.kind)) return false
  if (message.kind === 'delivery') return matchesDelivery(filter, message.data)
  if (message.kind === 'event')
    return (
      (eventName ?? message.data.eventName) === message.data.eventName &&
      (userId ?? message.data.userId) === message.data.userId
    )
  if (message.kind === 'channel' || message.kind === 'alert' || message.kind === 'run')
    return (scriptId ?? message.data.scriptId) === message.data.scriptId
  return true
}
