import { roles } from './account.ts'
import type { Operation } from './operation.ts'
import { EpochMs, Name, Nullable, type Static, Type } from './schema.ts'

const Email = Type.String({ minLength: 1, maxLength: 254 })
const NewPassword = Type.String({ minLength: 10, maxLength: 200 })
const InvitationSecret = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: 'the link of the invitation, or the part after its last slash',
})

/** A person who can sign in. The operator has no e-mail until one is set. */
export const Person = Type.Object({
  personId: Type.String(),
  name: Type.String(),
  email: Type.Optional(Type.String()),
  newEmail: Type.Optional(Type.String({ description: 'not confirmed yet; until then sign-in uses `email`' })),
})
export type Person = Static<typeof Person>

/** A team of a person, with the person's role. */
export const Membership = Type.Object({
  teamId: Type.String(),
  name: Type.String(),
  role: Type.Enum([...roles]),
})
export type Membership = Static<typeof Membership>

/** A signed-in person with their teams. */
export const Session = Type.Object({
  expiresAt: EpochMs({ description: 'when the session expires; use does not extend it; epoch ms' }),
  person: Person,
  teams: Type.Array(Membership),
})
export type Session = Static<typeof Session>
export const SessionMade = Type.Object({
  session: Type.String({ description: 'the session token for `Authorization: Bearer …`; shown only once' }),
  ...Session.properties,
})
export type SessionMade = Static<typeof SessionMade>

export const SignInWrite = Type.Object({ email: Email, password: Type.String({ minLength: 1, maxLength: 200 }) })
export const PersonWrite = Type.Object({
  invitation: InvitationSecret,
  name: Name,
  email: Email,
  password: NewPassword,
})
export const PersonUpdate = Type.Object({
  name: Nullable(Name),
  email: Nullable(Email),
  password: Nullable(NewPassword),
  currentPassword: Nullable(
    Type.String({ minLength: 1, maxLength: 200, description: 'required to change the e-mail or the password' }),
  ),
})
export const EmailConfirm = Type.Object({
  link: Type.String({
    minLength: 1,
    maxLength: 2000,
    description: 'the link that was sent to the e-mail, or the part after its last slash',
  }),
})
const EmailConfirmed = Type.Object({ personId: Type.String(), email: Type.String() })
export const InvitationAcceptance = Type.Object({ invitation: InvitationSecret })
const SignedOut = Type.Object({ personId: Type.String() })

/** Operations that need no session. */
const publicAccess = { access: 'public', teamHeader: false } as const
/** Operations of a signed-in person. */
const sessionAccess = { access: 'session', teamHeader: false } as const

export const sessionOperations = {
  signIn: {
    ...publicAccess,
    method: 'POST',
    path: '/session',
    summary: 'Signs a person in by e-mail and password, for 14 days',
    body: SignInWrite,
    response: SessionMade,
    faults: ['signInRefused', 'tooManyAttempts'],
  },
  readSession: {
    ...sessionAccess,
    method: 'GET',
    path: '/session',
    summary: 'The signed-in person, their teams and their role in each',
    response: Session,
    faults: [],
  },
  signOut: {
    ...sessionAccess,
    method: 'DELETE',
    path: '/session',
    summary: 'Ends the session at once',
    response: SignedOut,
    faults: [],
  },
  createPerson: {
    ...publicAccess,
    method: 'POST',
    path: '/person',
    summary: 'Creates a person from an invitation, adds them to its team and signs them in',
    body: PersonWrite,
    response: SessionMade,
    faults: ['invitationUnknown', 'emailTaken', 'tooManyAttempts'],
  },
  updatePerson: {
    ...sessionAccess,
    method: 'PUT',
    path: '/person',
    summary:
      'Changes the name, e-mail or password of the person; absent fields stay unchanged, every other session ends, and a new e-mail must be confirmed',
    body: PersonUpdate,
    response: Person,
    faults: ['passwordRefused', 'emailTaken', 'tooManyAttempts'],
  },
  confirmEmail: {
    ...publicAccess,
    method: 'POST',
    path: '/person/email',
    summary: 'Confirms the new e-mail of a link; the person then signs in with it',
    body: EmailConfirm,
    response: EmailConfirmed,
    faults: ['emailLinkUnknown'],
  },
  acceptInvitation: {
    ...sessionAccess,
    method: 'POST',
    path: '/invitation/accept',
    summary: 'Adds the signed-in person to the team of an invitation; a lower role does not replace a higher one',
    body: InvitationAcceptance,
    response: Membership,
    faults: ['invitationUnknown'],
  },
} as const satisfies Record<string, Operation>
