import { reasons, statuses } from './deliveryStatus.ts'
import { type Operation, pageQuery } from './operation.ts'
import { EpochMs, type Static, Type } from './schema.ts'

const tagId = Type.Object({ tagId: Type.String() })
const Id = Type.String({ minLength: 1, maxLength: 200 })
const At = Type.Integer({ minimum: 0, maximum: 9_999_999_999_999 })
const Status = Type.Enum([...statuses])
const Reason = Type.Enum([...reasons])

const Issue = Type.Object({ path: Type.String(), message: Type.String() })

/** The current state of a delivery. `eventId` is absent once retention has deleted the event. */
export const DeliveryRow = Type.Object({
  deliveryId: Type.String(),
  eventId: Type.Optional(Type.String({ description: 'absent once the event is deleted by retention' })),
  eventName: Type.String(),
  scriptId: Type.String(),
  providerId: Type.String(),
  status: Status,
  reason: Type.Optional(Reason),
  receivedAt: EpochMs({ description: 'when its event was received, epoch ms' }),
  at: EpochMs({ description: 'when its state changed last, epoch ms' }),
  attempts: Type.Integer({ description: 'the number of started attempts' }),
  nextAt: Type.Optional(EpochMs({ description: 'when the next attempt is due, epoch ms' })),
  httpStatus: Type.Optional(Type.Integer({ description: 'the HTTP status of the last response' })),
  message: Type.Optional(Type.String({ description: 'the message of the last attempt, secrets redacted' })),
  issues: Type.Optional(Type.Array(Issue, { description: 'the findings of the validation channel' })),
})
export type DeliveryRow = Static<typeof DeliveryRow>

const DeliveryList = Type.Object({ deliveries: Type.Array(DeliveryRow), next: Type.Optional(Type.String()) })

const filters = {
  scriptId: Type.Optional(Id),
  eventName: Type.Optional(Id),
  status: Type.Optional(Status),
  reason: Type.Optional(Reason),
}
const range = {
  from: Type.Optional(Type.Integer({ ...At, description: 'events received at or after this time, epoch ms' })),
  to: Type.Optional(Type.Integer({ ...At, description: 'events received before this time, epoch ms' })),
}

const Counts = Type.Partial(Type.Record(Status, Type.Integer()))
/** The number of deliveries by status. */
const CountsByStatus = {
  counts: Counts,
  total: Type.Integer(),
  perMinute: Type.Number(),
  deliveredRate: Type.Optional(
    Type.Number({
      description: 'delivered divided by the sum of delivered, refused and dead; absent when the sum is 0',
    }),
  ),
}

export const Stats = Type.Object({
  from: EpochMs({ description: 'epoch ms' }),
  to: EpochMs(),
  step: Type.Enum(['minute', 'hour', 'day']),
  events: Type.Object({ total: Type.Integer(), perMinute: Type.Number() }),
  refusedCalls: Type.Object(
    {
      total: Type.Integer(),
      ofTeam: Type.Integer({ description: 'over the rate limit of the team' }),
      ofTag: Type.Integer({ description: 'over the rate limit of the tag' }),
    },
    { description: 'calls of the tag that were answered 429 `INTAKE_RATE_EXCEEDED`; filters do not apply' },
  ),
  deliveries: Type.Object(CountsByStatus),
  byScript: Type.Array(Type.Object({ scriptId: Type.String(), ...CountsByStatus })),
  byEvent: Type.Array(
    Type.Object({
      eventName: Type.String({
        description: '`(other)`: names beyond the 500 that are counted separately on a day',
      }),
      events: Type.Integer(),
      ...CountsByStatus,
    }),
  ),
  byReason: Type.Array(Type.Object({ status: Status, reason: Reason, count: Type.Integer() })),
  series: Type.Array(
    Type.Object({
      at: EpochMs({ description: 'epoch ms' }),
      events: Type.Integer(),
      refusedCalls: Type.Integer(),
      counts: Counts,
    }),
  ),
  issues: Type.Array(
    Type.Object({
      eventName: Type.String(),
      path: Type.String({ description: 'the index of a list is `*`: `data.contents.*.id`' }),
      message: Type.String(),
      count: Type.Integer(),
    }),
  ),
})
export type Stats = Static<typeof Stats>

export const deliveryOperations = {
  listDeliveries: {
    method: 'GET',
    path: '/tag/{tagId}/delivery',
    summary:
      'Lists the deliveries of a tag, newest event first; a page may have fewer rows than the limit and still a next',
    access: ['event:read'],
    teamHeader: true,
    params: tagId,
    query: Type.Object({ ...filters, ...range, ...pageQuery.properties }),
    response: DeliveryList,
    isQuery: true,
    faults: ['tagUnknown'],
  },
  readStats: {
    method: 'GET',
    path: '/tag/{tagId}/stats',
    summary: 'Counts the events and deliveries of a tag by script, event name, status, reason and time',
    access: ['event:read'],
    teamHeader: true,
    params: tagId,
    query: Type.Object({
      ...filters,
      from: Type.Optional(Type.Integer({ ...At, description: 'epoch ms (an hour ago)' })),
      to: Type.Optional(Type.Integer({ ...At, description: 'epoch ms (now)' })),
      step: Type.Optional(Type.Enum(['minute', 'hour', 'day'], { description: 'the interval of the series (minute)' })),
    }),
    response: Stats,
    isQuery: true,
    faults: ['tagUnknown'],
  },
  watchDeliveries: {
    method: 'GET',
    path: '/tag/{tagId}/live',
    summary: 'Streams the deliveries of a tag as server-sent events; continues after the header Last-Event-ID',
    access: ['event:read'],
    teamHeader: true,
    params: tagId,
    query: Type.Object({ scriptId: filters.scriptId, status: filters.status }),
    response: DeliveryRow,
    isStream: true,
    isQuery: true,
    faults: ['tagUnknown', 'tooManyWatching'],
  },
} as const satisfies Record<string, Operation>
