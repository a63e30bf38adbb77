import { roles } from './account.ts'
import type { Operation } from './operation.ts'
import { Name, Nullable, type Static, Type } from './schema.ts'

const Email = Type.String({ minLength: 1, maxLength: 254 })
const NewPassword = Type.String({ minLength: 10, maxLength: 200 })
const InvitationSecret = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: 'the link of the invitation, or what stands after its last slash',
})

/** Somebody who signs in. The operator has no e-mail until they set one. */
export const Person = Type.Object({
  personId: Type.String(),
  name: Type.String(),
  email: Type.Optional(Type.String()),
  newEmail: Type.Optional(Type.String({ description: 'waits to be confirmed by a link; until then `email` signs in' })),
})
export type Person = Static<typeof Person>

/** A team that a person is in. */
export const Membership = Type.Object({
  teamId: Type.String(),
  name: Type.String(),
  role: Type.Enum([...roles]),
})
export type Membership = Static<typeof Membership>

/** A person who is signed in, with the teams they are in. */
export const Session = Type.Object({
  expiresAt: Type.Integer({ description: 'when the session ends, used or not, epoch ms' }),
  person: Person,
  teams: Type.Array(Membership),
})
export type Session = Static<typeof Session>
export const SessionMade = Type.Object({
  session: Type.String({ description: 'shows who is signed in, as `Authorization: Bearer …`; shown this once' }),
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
    Type.String({ minLength: 1, maxLength: 200, description: 'required for another e-mail or another password' }),
  ),
})
export const EmailConfirm = Type.Object({
  link: Type.String({
    minLength: 1,
    maxLength: 2000,
    description: 'the link that was sent to the e-mail, or what stands after its last slash',
  }),
})
const EmailConfirmed = Type.Object({ personId: Type.String(), email: Type.String() })
export const InvitationAccept = Type.Object({ invitation: InvitationSecret })
const SignedOut = Type.Object({ personId: Type.String() })

/** What anybody may ask: there is no session yet. */
const open = { access: 'public', teamHeader: false } as const
/** What a person does for themselves. */
const own = { access: 'session', teamHeader: false } as const

export const sessionRows = {
  signIn: {
    ...open,
    method: 'POST',
    path: '/session',
    summary: 'Signs a person in by e-mail and password, for 14 days',
    body: SignInWrite,
    gives: SessionMade,
    faults: ['signInRefused', 'tooManyAttempts'],
  },
  readSession: {
    ...own,
    method: 'GET',
    path: '/session',
    summary: 'Who is signed in, and the teams they are in with their role in each',
    gives: Session,
    faults: [],
  },
  signOut: {
    ...own,
    method: 'DELETE',
    path: '/session',
    summary: 'Ends the session at once',
    gives: SignedOut,
    faults: [],
  },
  createPerson: {
    ...open,
    method: 'POST',
    path: '/person',
    summary: 'Makes somebody new of an invitation: they join its team and are signed in',
    body: PersonWrite,
    gives: SessionMade,
    faults: ['invitationUnknown', 'emailTaken', 'tooManyAttempts'],
  },
  updatePerson: {
    ...own,
    method: 'PUT',
    path: '/person',
    summary:
      'Changes what the person is called or signs in with; what is left out stays, every other session ends; another e-mail waits to be confirmed',
    body: PersonUpdate,
    gives: Person,
    faults: ['passwordRefused', 'emailTaken', 'tooManyAttempts'],
  },
  confirmEmail: {
    ...open,
    method: 'POST',
    path: '/person/email',
    summary: 'Makes the e-mail of a link the one that its person signs in with',
    body: EmailConfirm,
    gives: EmailConfirmed,
    faults: ['emailLinkUnknown'],
  },
  acceptInvitation: {
    ...own,
    method: 'POST',
    path: '/invitation/accept',
    summary: 'Joins the team of an invitation with the account that is signed in; a lesser role takes nothing away',
    body: InvitationAccept,
    gives: Membership,
    faults: ['invitationUnknown'],
  },
} as const satisfies Record<string, Operation>
