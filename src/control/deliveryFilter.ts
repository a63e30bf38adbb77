import type { DeliveryFilter } from '#store/deliveryQueries.ts'

/** The filters of the query of a list, of statistics or of a stream. */
type DeliveryFilterQuery = {
  status?: NonNullable<DeliveryFilter['statuses']>
  reason?: NonNullable<DeliveryFilter['reasons']>
  scriptId?: string
  eventName?: string
  userId?: string
  httpStatus?: readonly number[]
  from?: number
  to?: number
}

/** The filter of a query. */
export const toDeliveryFilter = (query: DeliveryFilterQuery): DeliveryFilter => {
  const { status, reason, scriptId, eventName, userId, httpStatus, from, to } = query
  return {
    ...(status && { statuses: status }),
    ...(reason && { reasons: reason }),
    ...(scriptId !== undefined && { scriptId }),
    ...(eventName !== undefined && { eventName }),
    ...(userId !== undefined && { userId }),
    ...(httpStatus && { httpStatuses: httpStatus }),
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
  }
}
