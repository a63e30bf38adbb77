import { roles } from './account.ts'
import type { Operation } from './operation.ts'
import { EpochMs, Name, Nullable, OptionalText, type Static, Type } from './schema.ts'

const Email = Type.String({ minLength: 1, maxLength: 254, documented: { format: 'email' } })
const NewPassword = Type.String({ minLength: 10, maxLength: 200 })
const InvitationSecret = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: 'the link of the invitation, or the part after its last slash',
})

const sandboxLinkStates = ['linked', 'notLinked', 'ended'] as const
/** Whether the sign-in of production also signs in to the sandbox. */
export type SandboxLinkState = (typeof sandboxLinkStates)[number]

/** A person who can sign in. The operator has no e-mail until one is set. */
export const Person = Type.Object({
  personId: Type.String(),
  name: Type.String(),
  email: Type.Optional(Type.String()),
  newEmail: OptionalText('not confirmed yet; until then sign-in uses `email`'),
  isOperator: Type.Optional(Type.Literal(true, { description: 'absent unless the person is the operator' })),
  sandbox: Type.Optional(
    Type.Enum([...sandboxLinkStates], {
      description:
        'whether the sign-in page of production also signs in to the sandbox; `ended` once the linked account has another e-mail or password; absent in the sandbox',
    }),
  ),
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
  session: OptionalText(
    'the session token for `Authorization: Bearer …`; shown only once, and absent for a page of this origin that sends `Aglet-Session: 1`: it gets the session in a cookie',
  ),
  ...Session.properties,
})
export type SessionMade = Static<typeof SessionMade>

const SignInWrite = Type.Object({ email: Email, password: Type.String({ minLength: 1, maxLength: 200 }) })
const PersonWrite = Type.Object({
  invitation: InvitationSecret,
  name: Name,
  email: Email,
  password: NewPassword,
})
const PersonUpdate = Type.Object({
  name: Nullable(Name),
  email: Nullable(Email),
  password: Nullable(NewPassword),
  currentPassword: Nullable(
    Type.String({ minLength: 1, maxLength: 200, description: 'required to change the e-mail or the password' }),
  ),
})
const SandboxLinkWrite = Type.Object({
  email: Email,
  password: Type.String({ minLength: 1, maxLength: 200, description: 'the password in the sandbox' }),
  currentPassword: Type.String({ minLength: 1, maxLength: 200, description: 'the password in production' }),
})
const EmailConfirm = Type.Object({
  link: Type.String({
    minLength: 1,
    maxLength: 2000,
    description: 'the link that was sent to the e-mail, or the part after its last slash',
  }),
})

/** A session of the signed-in person, without its secret. */
const OwnSession = Type.Object({
  sessionId: Type.String(),
  createdAt: EpochMs({ description: 'epoch ms' }),
  expiresAt: EpochMs({ description: 'epoch ms' }),
  isCurrent: Type.Boolean({ description: 'whether it is the session of this call' }),
  byLink: Type.Boolean({ description: 'whether the operator’s sign-in link opened it' }),
})

/** A browser in which the person has signed in on a page of this server. */
export const OwnDevice = Type.Object({
  deviceId: Type.String(),
  createdAt: EpochMs({
    description: 'when the person first signed in there, since the last change of the password; epoch ms',
  }),
  seenAt: EpochMs({ description: 'when the person last signed in there; epoch ms' }),
  browser: Type.String({ description: 'such as `Firefox`, or `other`' }),
  system: Type.String({ description: 'such as `Linux`, or `other`' }),
  isCurrent: Type.Boolean({ description: 'true if this call comes from it; false for a call that is not from a page' }),
})
export type OwnDevice = Static<typeof OwnDevice>

/** The access to a team that the person granted to an application. */
export const Grant = Type.Object({
  applicationId: Type.String(),
  name: Type.String({ description: 'the name of the application' }),
  teamId: Type.String(),
  teamName: Type.String(),
})
export type Grant = Static<typeof Grant>
const Id = Type.String({ maxLength: 100 })
const grantKey = Type.Object({ applicationId: Id, teamId: Id })

export const sessionOperations = {
  signIn: {
    access: 'public',
    method: 'POST',
    path: '/session',
    summary: 'Signs a person in by e-mail and password, for 14 days',
    body: SignInWrite,
    response: SessionMade,
    faults: ['signInRefused', 'tooManyAttempts'],
  },
  readSession: {
    access: 'session',
    method: 'GET',
    path: '/session',
    summary: 'The signed-in person, their teams and their role in each',
    response: Session,
  },
  signOut: {
    access: 'session',
    method: 'DELETE',
    path: '/session',
    summary: 'Ends the session at once',
    response: Type.Object({ personId: Type.String() }),
  },
  listSessions: {
    access: 'session',
    method: 'GET',
    path: '/session/list',
    summary: 'Lists the open sessions of the person, newest first',
    response: Type.Object({ sessions: Type.Array(OwnSession) }),
  },
  endSession: {
    access: 'session',
    method: 'DELETE',
    path: '/session/{sessionId}',
    summary: 'Ends a session of the person at once',
    response: Type.Object({ sessionId: Type.String() }),
    faults: ['sessionUnknown'],
  },
  listDevices: {
    access: 'session',
    method: 'GET',
    path: '/person/device',
    summary: 'Lists the browsers in which the person has signed in, at most 20, most recently seen first',
    response: Type.Object({ devices: Type.Array(OwnDevice) }),
  },
  forgetDevice: {
    access: 'session',
    method: 'DELETE',
    path: '/person/device/{deviceId}',
    summary: 'Forgets a browser of the person; sign-in there is slowed down as in any other. Its session stays open',
    response: Type.Object({ deviceId: Type.String() }),
    faults: ['deviceUnknown'],
  },
  listGrants: {
    access: 'session',
    method: 'GET',
    path: '/grant',
    summary: 'Lists the applications that the person granted access, one row for each application and team',
    response: Type.Object({ grants: Type.Array(Grant) }),
  },
  endGrant: {
    access: 'session',
    method: 'DELETE',
    path: '/grant',
    summary: 'Ends the access of an application to a team that the person granted; its tokens end within five seconds',
    query: grantKey,
    response: grantKey,
    faults: ['grantUnknown'],
  },
  createPerson: {
    access: 'public',
    method: 'POST',
    path: '/person',
    summary: 'Creates a person from an invitation, adds them to its team and signs them in',
    body: PersonWrite,
    response: SessionMade,
    faults: ['invitationUnknown', 'emailTaken', 'tooManyAttempts'],
  },
  updatePerson: {
    access: 'session',
    method: 'PUT',
    path: '/person',
    summary:
      'Changes the name, e-mail or password of the person; absent fields stay unchanged, every other session ends, and a new e-mail must be confirmed',
    body: PersonUpdate,
    response: Person,
    faults: ['passwordRefused', 'emailTaken', 'tooManyAttempts'],
  },
  linkSandbox: {
    access: 'session',
    method: 'POST',
    path: '/person/sandbox',
    summary: 'Links the person of production to their account in the sandbox: the sign-in page then signs in to both',
    body: SandboxLinkWrite,
    response: Person,
    faults: ['signInRefused', 'passwordRefused', 'tooManyAttempts'],
  },
  unlinkSandbox: {
    access: 'session',
    method: 'DELETE',
    path: '/person/sandbox',
    summary: 'Ends the link of the person to the sandbox; open sessions stay open',
    response: Person,
    faults: ['passwordRefused'],
  },
  confirmEmail: {
    access: 'public',
    method: 'POST',
    path: '/person/email',
    summary: 'Confirms the new e-mail of a link; the person then signs in with it',
    body: EmailConfirm,
    response: Type.Object({ personId: Type.String(), email: Type.String() }),
    faults: ['emailLinkUnknown'],
  },
  acceptInvitation: {
    access: 'session',
    method: 'POST',
    path: '/invitation/accept',
    summary: 'Adds the signed-in person to the team of an invitation; a lower role does not replace a higher one',
    body: Type.Object({ invitation: InvitationSecret }),
    response: Membership,
    faults: ['invitationUnknown'],
  },
} as const satisfies Record<string, Operation>
