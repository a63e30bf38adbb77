import { makeEmailLink, waitForEmail } from '#account/emailChange.ts'
import { invitationUrl, invite, secretIn } from '#account/invitation.ts'
import { openPasswords } from '#account/password.ts'
import { newPerson } from '#account/person.ts'
import { operator } from '#account/privilege.ts'
import { newSession } from '#account/session.ts'
import { makeSignInLink, signInByLink } from '#account/signInLink.ts'
import type { FaultName } from '#contract/fault.ts'
import type { sessionRows } from '#contract/session.ts'
import type { ControlWorld } from '#control/world.ts'
import { type Asked, ask, type Control, type Customer, cost, type Told } from './control.ts'

type Id = keyof typeof sessionRows
type Cases = {
  good: Record<Id, () => Asked | Promise<Asked>>
  own: { [Each in Id]?: Partial<Record<FaultName, () => Promise<Told>>> }
}

export const password = 'correct horse'
const passwords = openPasswords({ cost })

type People = Pick<ControlWorld, 'environment' | 'clock' | 'store' | 'keys'>

/** Somebody who can sign in, and is in no team. */
export async function makePerson(on: People, email: string): Promise<string> {
  const row = await newPerson({ name: 'Ada Lovelace', email, password }, { ...on, passwords }, 'a test')
  await on.store.write([{ add: 'person', row }])
  return row.personId
}

/** The secret of a new session of a person. */
export async function makeSession(on: ControlWorld, personId: string): Promise<string> {
  const { session, changes } = newSession(on, personId)
  await on.store.write(changes)
  return session.secret
}

/** The link by which somebody joins a team. */
export async function makeLink(on: ControlWorld, teamId: string, role: 'owner' | 'editor' | 'viewer' = 'viewer') {
  return invitationUrl(on.baseUrl, (await invite(on, { teamId, role }, operator)).secret)
}

/** The cases of what people do for themselves. */
export async function sessionCases(control: Control, customer: Customer): Promise<Cases> {
  const on = control.worlds.production
  const call = (id: Id, asked: Asked = {}) => ask(control, id, customer, asked)
  const email = 'ada@example.com'
  const personId = await makePerson(on, email)
  await makePerson(on, 'taken@example.com')
  const changing = await makePerson(on, 'changes@example.com')
  let made = 0
  const asPerson = async () => ({ headers: { authorization: `Bearer ${await makeSession(on, personId)}` } })
  const signUp = async () => ({
    invitation: await makeLink(on, customer.teamId),
    name: 'Grace Hopper',
    email: `grace${++made}@example.com`,
    password,
  })
  const signIn = (as: string, secret: string) => call('signIn', { body: { email: as, password: secret } })
  async function sixthTime(): Promise<Told> {
    for (let failure = 0; failure < 5; failure++) await signIn('guessed@example.com', 'wrong')
    return signIn('guessed@example.com', 'wrong')
  }

  const wrongPassword = async (of: string) =>
    call('updatePerson', {
      headers: { authorization: `Bearer ${await makeSession(on, of)}` },
      body: { password: 'another horse', currentPassword: 'wrong' },
    })
  async function emailLink(): Promise<string> {
    await on.store.write(waitForEmail(on, changing, `new${++made}@example.com`))
    return (await makeEmailLink(on, { baseUrl: on.baseUrl, personId: changing }, operator)).url
  }

  return {
    good: {
      signIn: () => ({ body: { email, password } }),
      readSession: asPerson,
      signOut: asPerson,
      createPerson: async () => ({ body: await signUp() }),
      updatePerson: async () => ({ ...(await asPerson()), body: { name: 'Ada King' } }),
      confirmEmail: async () => ({ body: { link: await emailLink() } }),
      acceptInvitation: async () => ({
        ...(await asPerson()),
        body: { invitation: await makeLink(on, customer.teamId) },
      }),
    },
    own: {
      signIn: { signInRefused: () => signIn(email, 'wrong'), tooManyAttempts: sixthTime },
      createPerson: {
        invitationUnknown: async () => call('createPerson', { body: { ...(await signUp()), invitation: 'nope' } }),
        emailTaken: async () => call('createPerson', { body: { ...(await signUp()), email } }),
        tooManyAttempts: async () => {
          const body = { ...(await signUp()), email }
          for (let failure = 0; failure < 5; failure++) await call('createPerson', { body })
          return call('createPerson', { body })
        },
      },
      updatePerson: {
        passwordRefused: () => wrongPassword(personId),
        emailTaken: async () => {
          const link = await makeSignInLink(on, on.baseUrl)
          const session = await signInByLink(on, secretIn(link.url), 'a test')
          const headers = { authorization: `Bearer ${session}` }
          return call('updatePerson', { headers, body: { email: 'taken@example.com', password } })
        },
        tooManyAttempts: async () => {
          const guessed = await makePerson(on, 'guesses@example.com')
          for (let failure = 0; failure < 5; failure++) await wrongPassword(guessed)
          return wrongPassword(guessed)
        },
      },
      confirmEmail: { emailLinkUnknown: () => call('confirmEmail', { body: { link: 'nope' } }) },
      acceptInvitation: {
        invitationUnknown: async () =>
          call('acceptInvitation', { ...(await asPerson()), body: { invitation: 'nope' } }),
      },
    },
  }
}
