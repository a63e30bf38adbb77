import { reasons, statuses } from './deliveryStatus.ts'
import { commaList } from './operation.ts'
import { Type } from './schema.ts'

export const FilterId = Type.String({ minLength: 1, maxLength: 200 })
export const TimeMs = Type.Integer({ minimum: 0, maximum: 9_999_999_999_999 })
export const StatusField = Type.Enum([...statuses])
export const ReasonField = Type.Enum([...reasons])

/** The filters that lists, statistics and live streams of deliveries share. */
export const deliveryFilters = {
  scriptId: Type.Optional(FilterId),
  eventName: Type.Optional(FilterId),
  status: Type.Optional(commaList(StatusField, 'one of these statuses')),
  reason: Type.Optional(commaList(ReasonField, 'one of these reasons')),
}
/** The filters that need the individual rows. Counts do not support them. */
export const rowFilters = {
  httpStatus: Type.Optional(
    commaList(Type.Integer({ minimum: 100, maximum: 599 }), 'one of these HTTP statuses of the last response'),
  ),
  userId: Type.Optional(FilterId),
}
/** The identifiers of a person in an order or in the shop's system. Only lists of rows support these filters. */
export const personFilters = {
  orderId: Type.Optional(Type.String({ ...FilterId, description: 'the events of this order; needs user:read' })),
  customerId: Type.Optional(
    Type.String({ ...FilterId, description: 'the events of the users with this customer id; needs user:read' }),
  ),
}
export const receivedRange = {
  from: Type.Optional(Type.Integer({ ...TimeMs, description: 'events received at or after this time, epoch ms' })),
  to: Type.Optional(Type.Integer({ ...TimeMs, description: 'events received before this time, epoch ms' })),
}

/** The number of deliveries by status. */
export const CountsByStatus = Type.Partial(Type.Record(StatusField, Type.Integer()))
