import type { DeliveryFilter } from './deliveryQueries.ts'

/** The maximum number of rows scanned for a page, because a query occupies a thread or a connection. */
export const maxScannedRows = 5_000

const failures = ['held', 'refused', 'dead']

/** Whether to scan by status rather than by event. Failures are few, and events of one name are many. */
export function isStatusSelective({ statuses, reasons, scriptId, eventName, ...of }: DeliveryFilter): boolean {
  if (of.userId !== undefined || of.orderHash !== undefined || of.people) return false
  if (eventName !== undefined) return statuses?.every((each) => failures.includes(each)) ?? false
  return statuses !== undefined || reasons !== undefined || scriptId !== undefined
}

export const hasDeliveryFilter = ({ scriptId, statuses, reasons, httpStatuses }: DeliveryFilter): boolean =>
  [scriptId, statuses, reasons, httpStatuses].some((each) => each !== undefined)

/** The fields of an event that a filter checks. */
type MatchedEvent = { eventName: unknown; userId: unknown; receivedAt: number }

/** Whether an event matches the event fields of a filter. Orders and people have their own scans. */
export const matchesEvent = (
  { eventName, userId, receivedAt }: MatchedEvent,
  filter: Pick<DeliveryFilter, 'eventName' | 'userId' | 'fromMs' | 'toMs'>,
): boolean =>
  receivedAt >= (filter.fromMs ?? 0) &&
  receivedAt < (filter.toMs ?? Infinity) &&
  (filter.eventName ?? eventName) === eventName &&
  (filter.userId ?? userId) === userId

/** Whether a delivery matches the other fields of a filter, except the status of its last response. */
export const matchesState = (
  { status, reason, scriptId }: { status: unknown; reason: unknown; scriptId: unknown },
  filter: Pick<DeliveryFilter, 'statuses' | 'reasons' | 'scriptId'>,
): boolean =>
  (filter.statuses?.some((each) => each === status) ?? true) &&
  (filter.reasons?.some((each) => each === reason) ?? true) &&
  (filter.scriptId ?? scriptId) === scriptId
