import { EventRow, Place } from './journey.ts'
import { type Operation, pageQuery } from './operation.ts'
import { EpochMs, type Static, Type } from './schema.ts'

const Texts = Type.Record(Type.String(), Type.String())
const Anything = Type.Record(Type.String(), Type.Unknown())

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
  seenAt: Type.Optional(EpochMs({ description: 'epoch ms' })),
  events: Type.Array(EventRow, {
    description: 'received under this id or attributed to it by e-mail, newest first',
  }),
  next: Type.Optional(Type.String()),
})
export type UserRecord = Static<typeof UserRecord>

export const ErasedUser = Type.Object({
  userId: Type.String(),
  events: Type.Integer({ description: 'how many events were erased with the user' }),
})

const user = Type.Object({ tagId: Type.String(), userId: Type.String() })

export const userOperations = {
  readUser: {
    method: 'GET',
    path: '/tag/{tagId}/user/{userId}',
    summary: 'Reads everything stored about a user, for a request of access; the read is recorded in the audit',
    access: ['user:read'],
    teamHeader: true,
    params: user,
    query: pageQuery,
    response: UserRecord,
    isQuery: true,
    faults: ['tagUnknown', 'userUnknown'],
  },
  eraseUser: {
    method: 'DELETE',
    path: '/tag/{tagId}/user/{userId}',
    summary: 'Erases a user with all events, including those that wait for delivery',
    access: ['user:erase'],
    teamHeader: true,
    params: user,
    response: ErasedUser,
    faults: ['tagUnknown', 'userUnknown'],
  },
} as const satisfies Record<string, Operation>
