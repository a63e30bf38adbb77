import { EventRow, Place } from './journey.ts'
import { type Operation, page } from './operation.ts'
import { type Static, Type } from './schema.ts'

const Texts = Type.Record(Type.String(), Type.String())
const Anything = Type.Record(Type.String(), Type.Unknown())

/** All that a tag knows of a person. */
export const UserRecord = Type.Object({
  userId: Type.String(),
  keys: Type.Optional(Texts),
  custom: Type.Optional(Anything),
  captured: Type.Optional(
    Type.Record(Type.String(), Type.Object({ value: Type.String(), at: Type.Number() }), {
      description: 'click ids and cookies by their own names, and when each was first seen, epoch ms',
    }),
  ),
  consent: Type.Optional(
    Type.Object({
      at: Type.Number({ description: 'since when, epoch ms' }),
      consent: Type.Optional(Anything),
      consentCategories: Type.Optional(Anything),
    }),
  ),
  place: Type.Optional(Type.Pick(Place, ['country', 'region'], { description: 'where the browser was last' })),
  session: Type.Optional(Type.Object({ sessionId: Type.String(), at: Type.Number() })),
  seenAt: Type.Optional(Type.Number({ description: 'epoch ms' })),
  events: Type.Array(EventRow, {
    description: 'that came under this id or were joined to it by the e-mail, newest first',
  }),
  next: Type.Optional(Type.String()),
})
export type UserRecord = Static<typeof UserRecord>

export const UserErased = Type.Object({
  userId: Type.String(),
  events: Type.Integer({ description: 'how many events were erased with the user' }),
})

const user = Type.Object({ tagId: Type.String(), userId: Type.String() })

export const userRows = {
  readUser: {
    method: 'GET',
    path: '/tag/{tagId}/user/{userId}',
    summary: 'All that is known of a user, for a person who asks; that it was read stands in the audit',
    access: ['user:read'],
    teamHeader: true,
    params: user,
    query: page,
    gives: UserRecord,
    isQuery: true,
    faults: ['tagUnknown', 'userUnknown'],
  },
  eraseUser: {
    method: 'DELETE',
    path: '/tag/{tagId}/user/{userId}',
    summary: 'Erases a user with all its events, also those that wait to be delivered',
    access: ['user:erase'],
    teamHeader: true,
    params: user,
    gives: UserErased,
    faults: ['tagUnknown', 'userUnknown'],
  },
} as const satisfies Record<string, Operation>
