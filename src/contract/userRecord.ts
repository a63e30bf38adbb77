import { ConsentProof } from './consentProof.ts'
import { EventRow, Place } from './journey.ts'
import { type Operation, pageQuery } from './operation.ts'
import { EpochMs, Nullable, OptionalFlag, OptionalText, OptionalTime, type Static, Type } from './schema.ts'

const Texts = Type.Record(Type.String(), Type.String())
const Anything = Type.Record(Type.String(), Type.Unknown())

/** An event of a user, with the consent that it carried. */
const EventOfUser = Type.Object({
  ...EventRow.properties,
  consent: Type.Optional(
    Type.Object(
      {
        consent: Type.Optional(Anything),
        consentCategories: Type.Optional(Anything),
        texts: Type.Optional(Anything),
        proof: Type.Optional(ConsentProof),
      },
      { description: 'the consent of the event; absent if it had none' },
    ),
  ),
})

/** Everything that a tag stores about a user. */
export const UserRecord = Type.Object({
  userId: Type.String(),
  keys: Type.Optional(Texts),
  custom: Type.Optional(Anything),
  captured: Type.Optional(
    Type.Record(Type.String(), Type.Object({ value: Type.String(), at: EpochMs() }), {
      description: 'click ids and cookies by their own names, and when each was first seen, epoch ms',
    }),
  ),
  consent: Type.Optional(
    Type.Object({
      at: EpochMs({ description: 'when it was given, epoch ms' }),
      consent: Type.Optional(Anything),
      consentCategories: Type.Optional(Anything),
      texts: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'what the TC string said' })),
      proof: Type.Optional(
        Type.Object(ConsentProof.properties, {
          description:
            'of this answer, its strings whole where they have 1,024 characters together; absent for an answer stored before proofs were kept',
        }),
      ),
      objected: Type.Optional(
        Type.Object(ConsentProof.properties, {
          description: 'the proof of objections by US law, where they stand beside an answer',
        }),
      ),
    }),
  ),
  place: Type.Optional(Type.Pick(Place, ['country', 'region'], { description: 'the last location of the browser' })),
  session: Type.Optional(
    Type.Object({
      sessionId: Type.String(),
      at: EpochMs(),
      previous: Type.Optional(Type.Object({ sessionId: Type.String(), at: EpochMs() })),
    }),
  ),
  seenAt: OptionalTime('epoch ms'),
  events: Type.Array(EventOfUser, {
    description: 'received under this id or attributed to it by e-mail, newest first',
  }),
  next: Type.Optional(Type.String()),
})
export type UserRecord = Static<typeof UserRecord>

export const UserSearch = Type.Object({
  email: Nullable(Type.String({ minLength: 1, maxLength: 254, description: 'an e-mail address as it was sent' })),
  key: Nullable(
    Type.String({ minLength: 1, maxLength: 200, description: '`customerId`, or a key of the custom data of users' }),
  ),
  value: Type.Optional(
    Type.Union([Type.String({ maxLength: 2_000 }), Type.Number(), Type.Boolean()], {
      description: 'the value of the key',
    }),
  ),
  cursor: Nullable(
    Type.String({
      maxLength: 1_000,
      description: '`next` of the previous search, to search older events',
    }),
  ),
})
export type UserSearch = Static<typeof UserSearch>

/** The users that a search found, at most 100. A search by e-mail also searches recent events, newest first. */
export const FoundUsers = Type.Object({
  users: Type.Array(
    Type.Object({
      userId: Type.String(),
      seenAt: OptionalTime('epoch ms'),
      isConfirmed: OptionalFlag('true if a trusted call gave the e-mail, not only the browser'),
      isFromOrder: OptionalFlag('found by what a shop sent about an order in the last seven days'),
      isFromEvent: OptionalFlag('found by an event with the e-mail; no stored user has it'),
    }),
  ),
  isCrowded: OptionalFlag(
    'more users match than are searched: those of an e-mail are not listed, those of custom data may be more',
  ),
  isShared: OptionalFlag(
    'trusted calls gave more than ten e-mails with this customer id in 30 days: it identifies nobody',
  ),
  searched: Type.Array(Type.Enum(['users', 'claims', 'customData', 'events']), {
    description: 'what was searched',
  }),
  eventsFrom: OptionalTime(
    'when the oldest searched event was received, epoch ms; absent if all kept events were searched',
  ),
  next: OptionalText('older events were not searched: send it as `cursor`'),
})
export type FoundUsers = Static<typeof FoundUsers>

const ErasedUser = Type.Object({
  userId: Type.String(),
  events: Type.Integer({ description: 'how many events were erased with the user' }),
})

export const userOperations = {
  readUser: {
    method: 'GET',
    path: '/tag/{tagId}/user/{userId}',
    summary: 'Reads everything stored about a user, for an access request; the read is recorded in the audit',
    access: ['user:read'],
    query: pageQuery,
    response: UserRecord,
    isQuery: true,
    faults: ['tagUnknown', 'userUnknown'],
  },
  findUser: {
    method: 'POST',
    path: '/tag/{tagId}/find-user',
    summary:
      'Finds users by e-mail, also in events that no stored user has, or by a key of their custom data; the search is recorded in the audit, without its text',
    access: ['user:read'],
    body: UserSearch,
    response: FoundUsers,
    faults: ['tagUnknown'],
  },
  eraseUser: {
    method: 'DELETE',
    path: '/tag/{tagId}/user/{userId}',
    summary: 'Erases a user with all events, including those that wait for delivery',
    access: ['user:erase'],
    response: ErasedUser,
    faults: ['tagUnknown', 'userUnknown'],
  },
} as const satisfies Record<string, Operation>
