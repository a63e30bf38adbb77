import { type Operation, page } from './operation.ts'
import { reasons, statuses } from './outcome.ts'
import { type Static, Type } from './schema.ts'

const tagId = Type.Object({ tagId: Type.String() })
const Id = Type.String({ minLength: 1, maxLength: 200 })
const At = Type.Integer({ minimum: 0, maximum: 9_999_999_999_999 })
const Status = Type.Enum([...statuses])
const Reason = Type.Enum([...reasons])

const Issue = Type.Object({ path: Type.String(), message: Type.String() })

/** A delivery as it stands. `eventId` is absent once the event is no longer kept. */
export const DeliveryRow = Type.Object({
  deliveryId: Type.String(),
  eventId: Type.Optional(Type.String({ description: 'absent once the event is no longer kept' })),
  eventName: Type.String(),
  scriptId: Type.String(),
  providerId: Type.String(),
  status: Status,
  reason: Type.Optional(Reason),
  receivedAt: Type.Number({ description: 'when its event came, epoch ms' }),
  at: Type.Number({ description: 'since when it stands so, epoch ms' }),
  attempts: Type.Integer({ description: 'how many were begun' }),
  nextAt: Type.Optional(Type.Number({ description: 'when it is tried again, epoch ms' })),
  httpStatus: Type.Optional(Type.Number({ description: 'of the last answer' })),
  message: Type.Optional(Type.String({ description: 'of the last attempt, secrets struck out' })),
  issues: Type.Optional(Type.Array(Issue, { description: 'what the validation channel found' })),
})
export type DeliveryRow = Static<typeof DeliveryRow>

const DeliveryList = Type.Object({ deliveries: Type.Array(DeliveryRow), next: Type.Optional(Type.String()) })

const which = {
  scriptId: Type.Optional(Id),
  eventName: Type.Optional(Id),
  status: Type.Optional(Status),
  reason: Type.Optional(Reason),
}
const range = {
  from: Type.Optional(Type.Integer({ ...At, description: 'of events that came from then on, epoch ms' })),
  to: Type.Optional(Type.Integer({ ...At, description: 'and before then' })),
}

const Counts = Type.Partial(Type.Record(Status, Type.Integer()))
/** How many deliveries came to stand how. */
const Share = {
  counts: Counts,
  total: Type.Integer(),
  perMinute: Type.Number(),
  deliveredRate: Type.Optional(
    Type.Number({ description: 'delivered, of those that were delivered, refused or dead; absent without any' }),
  ),
}

export const Stats = Type.Object({
  from: Type.Number({ description: 'epoch ms' }),
  to: Type.Number(),
  step: Type.Enum(['minute', 'hour', 'day']),
  events: Type.Object({ total: Type.Integer(), perMinute: Type.Number() }),
  refusedCalls: Type.Object(
    {
      total: Type.Integer(),
      ofTeam: Type.Integer({ description: 'above the rate of the team' }),
      ofTag: Type.Integer({ description: 'above the rate of the tag' }),
    },
    { description: 'calls of the tag that were answered 429 `INTAKE_RATE_EXCEEDED`; no filter leaves any out' },
  ),
  deliveries: Type.Object(Share),
  byScript: Type.Array(Type.Object({ scriptId: Type.String(), ...Share })),
  byEvent: Type.Array(
    Type.Object({
      eventName: Type.String({
        description: '`(other)`: names beyond the 500 that are counted by themselves on a day',
      }),
      events: Type.Integer(),
      ...Share,
    }),
  ),
  byReason: Type.Array(Type.Object({ status: Status, reason: Reason, count: Type.Integer() })),
  series: Type.Array(
    Type.Object({
      at: Type.Number({ description: 'epoch ms' }),
      events: Type.Integer(),
      refusedCalls: Type.Integer(),
      counts: Counts,
    }),
  ),
  issues: Type.Array(
    Type.Object({
      eventName: Type.String(),
      path: Type.String({ description: 'places of lists are one: `data.contents.*.id`' }),
      message: Type.String(),
      count: Type.Integer(),
    }),
  ),
})
export type Stats = Static<typeof Stats>

export const deliveryRows = {
  listDeliveries: {
    method: 'GET',
    path: '/tag/{tagId}/delivery',
    summary:
      'The deliveries of a tag, those of the newest event first; a page may hold fewer than asked and still have a next',
    access: ['event:read'],
    teamHeader: true,
    params: tagId,
    query: Type.Object({ ...which, ...range, ...page.properties }),
    gives: DeliveryList,
    isQuery: true,
    faults: ['tagUnknown'],
  },
  readStats: {
    method: 'GET',
    path: '/tag/{tagId}/stats',
    summary: 'How many events came and what became of them: by script, event name, status, reason and time',
    access: ['event:read'],
    teamHeader: true,
    params: tagId,
    query: Type.Object({
      ...which,
      from: Type.Optional(Type.Integer({ ...At, description: 'epoch ms (an hour ago)' })),
      to: Type.Optional(Type.Integer({ ...At, description: 'epoch ms (now)' })),
      step: Type.Optional(Type.Enum(['minute', 'hour', 'day'], { description: 'of the series (minute)' })),
    }),
    gives: Stats,
    isQuery: true,
    faults: ['tagUnknown'],
  },
  watchDeliveries: {
    method: 'GET',
    path: '/tag/{tagId}/live',
    summary: 'The deliveries of a tag as they happen, as server-sent events; goes on behind the header Last-Event-ID',
    access: ['event:read'],
    teamHeader: true,
    params: tagId,
    query: Type.Object({ scriptId: which.scriptId, status: which.status }),
    gives: DeliveryRow,
    streams: true,
    isQuery: true,
    faults: ['tagUnknown', 'tooManyWatching'],
  },
} as const satisfies Record<string, Operation>
