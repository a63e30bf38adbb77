import { at, type Examples, named } from './example.ts'

const { personId, teamId } = named
const fortnightMs = 14 * 86_400_000
const invitation = 'https://aglet.example.com/v1/account/invitation/Vb3kq0mXr1JtY5zWc8Ld2Hf6Np9Gs4AeUiOxKtBv7Qw'

const person = { personId, name: 'Jane Doe', email: 'jane@example.com' }
const team = { teamId, name: 'Example Shop', role: 'editor' } as const
const session = { expiresAt: at + fortnightMs, person, teams: [team] }
const made = { session: 'kT9wQz1mXc7Rb2sYv8Ld5Jh3Np6Gf0EaUiOxBr4VtDs', ...session }
const newEmail = 'jane.doe@example.com'
const password = 'correct horse battery staple'

export const sessionExamples = {
  signIn: { body: { email: person.email, password }, gives: made },
  readSession: { gives: session },
  signOut: { gives: { personId } },
  createPerson: { body: { invitation, name: person.name, email: person.email, password }, gives: made },
  updatePerson: {
    body: { email: newEmail, currentPassword: password },
    gives: { ...person, newEmail },
  },
  confirmEmail: {
    body: { link: 'https://aglet.example.com/v1/account/email/Yc3kq0mXr1JtV5zWb8Ld2Hf6Np9Gs4AeUiOxKtBv7Qw' },
    gives: { personId, email: newEmail },
  },
  acceptInvitation: { body: { invitation }, gives: team },
} satisfies Examples
