import { at, createdAt, exampleValues, type OperationExamples } from './example.ts'

const { personId, teamId, applicationId, sessionId, deviceId } = exampleValues
const fortnightMs = 14 * 86_400_000
const invitation = 'https://aglet.example.com/v1/account/invitation/Vb3kq0mXr1JtY5zWc8Ld2Hf6Np9Gs4AeUiOxKtBv7Qw'

const person = { personId, name: 'Jane Doe', email: 'jane@example.com' }
const team = { teamId, name: 'Example Shop', role: 'editor' } as const
const session = { expiresAt: at + fortnightMs, person, teams: [team] }
const made = { session: 'kT9wQz1mXc7Rb2sYv8Ld5Jh3Np6Gf0EaUiOxBr4VtDs', ...session }
const newEmail = 'jane.doe@example.com'
const password = 'correct horse battery staple'

export const sessionExamples = {
  signIn: { body: { email: person.email, password }, response: made },
  readSession: { response: session },
  signOut: { response: { personId } },
  createPerson: { body: { invitation, name: person.name, email: person.email, password }, response: made },
  updatePerson: {
    body: { email: newEmail, currentPassword: password },
    response: { ...person, newEmail },
  },
  confirmEmail: {
    body: { link: 'https://aglet.example.com/v1/account/email/Yc3kq0mXr1JtV5zWb8Ld2Hf6Np9Gs4AeUiOxKtBv7Qw' },
    response: { personId, email: newEmail },
  },
  linkSandbox: {
    body: { email: person.email, password: 'the one of the sandbox', currentPassword: password },
    response: { ...person, sandbox: 'linked' },
  },
  unlinkSandbox: { response: { ...person, sandbox: 'notLinked' } },
  acceptInvitation: { body: { invitation }, response: team },
  listSessions: {
    response: { sessions: [{ sessionId, createdAt: at, expiresAt: at + fortnightMs, isCurrent: true, byLink: false }] },
  },
  endSession: { response: { sessionId } },
  listDevices: {
    response: {
      devices: [{ deviceId, createdAt: at, seenAt: at, browser: 'Firefox', system: 'Linux', isCurrent: true }],
    },
  },
  forgetDevice: { response: { deviceId } },
  listGrants: {
    response: { grants: [{ applicationId, name: 'Channel wizard', teamId, teamName: team.name }] },
  },
  endGrant: { response: { applicationId, teamId } },
  readTeam: { response: { teamId, name: team.name, createdAt } },
  updateTeam: { body: { name: team.name }, response: { teamId, name: team.name, createdAt } },
} satisfies OperationExamples
