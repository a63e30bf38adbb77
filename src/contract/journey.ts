import { reasons, statuses } from './outcome.ts'
import { type Static, Type } from './schema.ts'

const Headers = Type.Record(Type.String(), Type.String())

/** What went out and what came back; secrets, and what names the person, are struck out. */
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

/** A user who is known by the e-mail of an event. */
const joined = { by: Type.Literal('email'), userId: Type.String() }

export const Attempt = Type.Object({
  at: Type.Number({ description: 'when it began, epoch ms' }),
  status: Type.Optional(Type.Number({ description: 'the HTTP status of the answer; absent where none came' })),
  durationMs: Type.Number(),
  message: Type.Optional(Type.String({ description: 'what went wrong, secrets struck out' })),
  joined: Type.Optional(
    Type.Object(joined, {
      description: 'the click ids and cookies that went along are of this user, who claims the e-mail of the event',
    }),
  ),
  exchanges: Type.Optional(
    Type.Array(Exchange, { description: 'each request with its answer; absent once they are gone' }),
  ),
})

export const Delivery = Type.Object({
  deliveryId: Type.String(),
  scriptId: Type.String(),
  providerId: Type.String(),
  status: Type.Enum([...statuses]),
  reason: Type.Optional(Type.Enum([...reasons])),
  nextAt: Type.Optional(Type.Number({ description: 'when it is tried again, epoch ms' })),
  replayId: Type.Optional(Type.String({ description: 'the last replay that made it again' })),
  attempts: Type.Array(Attempt),
})
export type Delivery = Static<typeof Delivery>

/** Which consent decided, where it came from and when it was given. */
export const ConsentTrace = Type.Object({
  source: Type.Enum(['event', 'stored', 'none', 'disabled']),
  at: Type.Optional(Type.Number()),
  decided: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'the maps that decided; `others`: the first of those of other users who gave the same e-mail',
    }),
  ),
  joinedBy: Type.Optional(
    Type.Literal('email', { description: 'what other users who gave the same e-mail agreed to counted as well' }),
  ),
})
export type ConsentTrace = Static<typeof ConsentTrace>

/** Where the event happened: ISO 3166-1 country, ISO 3166-2 region where known, and how we know. */
export const Place = Type.Object({
  country: Type.Optional(Type.String()),
  region: Type.Optional(Type.String()),
  source: Type.Enum(['request', 'payload', 'user', 'unknown']),
})
export type Place = Static<typeof Place>

export const callers = ['trusted', 'untrusted'] as const
const Caller = Type.Optional(
  Type.Enum([...callers], {
    description: '`trusted`: its call bore an access token; absent once the event is no longer kept',
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
    Type.Boolean({ description: 'a caller of the other kind sent an event of the same eventId: `?caller=` shows it' }),
  ),
  joined: Type.Optional(
    Type.Object(joined, {
      description: 'the event is told under this id: a trusted call gave its e-mail for this user',
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
})
export type EventRow = Static<typeof EventRow>
export const EventList = Type.Object({ events: Type.Array(EventRow), next: Type.Optional(Type.String()) })
