import { reasons, statuses } from './deliveryStatus.ts'
import { type Static, Type } from './schema.ts'

const Headers = Type.Record(Type.String(), Type.String())

/** A request and its response, with secrets and personal data redacted. */
export const Exchange = Type.Object({
  request: Type.Object({
    method: Type.String(),
    url: Type.String(),
    headers: Headers,
    body: Type.Optional(Type.String({ description: 'its first 64 KiB' })),
  }),
  response: Type.Optional(
    Type.Object({
      status: Type.Number(),
      headers: Headers,
      body: Type.Optional(Type.String({ description: 'its first 64 KiB' })),
    }),
  ),
})
export type Exchange = Static<typeof Exchange>

/** A user with the same e-mail as the event. */
const joined = { by: Type.Literal('email'), userId: Type.String() }

export const Attempt = Type.Object({
  at: Type.Number({ description: 'when it started, epoch ms' }),
  status: Type.Optional(Type.Number({ description: 'the HTTP status of the response; absent without a response' })),
  durationMs: Type.Number(),
  message: Type.Optional(Type.String({ description: 'the error, secrets redacted' })),
  joined: Type.Optional(
    Type.Object(joined, {
      description:
        'the click ids and cookies that were sent are those of this user, whose profile has the e-mail of the event',
    }),
  ),
  exchanges: Type.Optional(
    Type.Array(Exchange, { description: 'each request with its response; absent once they are deleted by retention' }),
  ),
})

export const Delivery = Type.Object({
  deliveryId: Type.String(),
  scriptId: Type.String(),
  providerId: Type.String(),
  status: Type.Enum([...statuses]),
  reason: Type.Optional(Type.Enum([...reasons])),
  nextAt: Type.Optional(Type.Number({ description: 'when the next attempt is due, epoch ms' })),
  replayId: Type.Optional(Type.String({ description: 'the last replay of this delivery' })),
  attempts: Type.Array(Attempt),
})
export type Delivery = Static<typeof Delivery>

/** The consent that was applied, its source and its time. */
export const ConsentTrace = Type.Object({
  source: Type.Enum(['event', 'stored', 'none', 'disabled']),
  at: Type.Optional(Type.Number()),
  decided: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'the applied maps; `others`: the first one of other users with the same e-mail',
    }),
  ),
  joinedBy: Type.Optional(
    Type.Literal('email', { description: 'the consent of other users with the same e-mail was applied as well' }),
  ),
})
export type ConsentTrace = Static<typeof ConsentTrace>

/** The location of the event: ISO 3166-1 country, ISO 3166-2 region where known, and the source. */
export const Place = Type.Object({
  country: Type.Optional(Type.String()),
  region: Type.Optional(Type.String()),
  source: Type.Enum(['request', 'payload', 'user', 'unknown']),
})
export type Place = Static<typeof Place>

export const callers = ['trusted', 'untrusted'] as const
const Caller = Type.Optional(
  Type.Enum([...callers], {
    description: '`trusted`: its call carried an access token; absent once the event is deleted by retention',
  }),
)

/** The journey of one event. */
export const Journey = Type.Object({
  eventId: Type.String(),
  eventName: Type.String(),
  userId: Type.String(),
  receivedAt: Type.Number(),
  caller: Caller,
  sameId: Type.Optional(
    Type.Boolean({
      description: 'a caller of the other kind sent an event with the same eventId: `?caller=` selects it',
    }),
  ),
  joined: Type.Optional(
    Type.Object(joined, {
      description: 'the event is attributed to this user: a trusted call set the e-mail of the event for this user',
    }),
  ),
  consent: Type.Optional(ConsentTrace),
  place: Type.Optional(Place),
  deliveries: Type.Array(Delivery),
})
export type Journey = Static<typeof Journey>

export const EventRow = Type.Object({
  eventId: Type.String(),
  eventName: Type.String(),
  userId: Type.String(),
  receivedAt: Type.Number(),
  caller: Caller,
  outcomes: Type.Optional(
    Type.Array(
      Type.Object({
        status: Type.Enum([...statuses]),
        reason: Type.Optional(Type.Enum([...reasons])),
        count: Type.Integer(),
      }),
      { description: 'how many deliveries of the event have this status and reason; in lists of a tag' },
    ),
  ),
})
export type EventRow = Static<typeof EventRow>
export const EventList = Type.Object({ events: Type.Array(EventRow), next: Type.Optional(Type.String()) })
