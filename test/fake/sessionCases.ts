import { invitationUrl, invite } from '#account/invitation.ts'
import { newPerson } from '#account/person.ts'
import { operator } from '#account/privilege.ts'
import { newSession } from '#account/session.ts'
import type { FaultName } from '#contract/fault.ts'
import type { sessionRows } from '#contract/session.ts'
import type { ControlWorld } from '#control/world.ts'
import { type Asked, ask, type Control, type Customer, type Told } from './control.ts'

type Id = keyof typeof sessionRows
type Cases = {
  good: Record<Id, () => Asked | Promise<Asked>>
  own: { [Each in Id]?: Partial<Record<FaultName, () => Promise<Told>>> }
}

export const password = 'correct horse'

/** Somebody who can sign in, and is in no team. */
export async function makePerson(on: ControlWorld, email: string): Promise<string> {
  const row = await newPerson({ name: 'Ada Lovelace', email, password }, on)
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

  return {
    good: {
      signIn: () => ({ body: { email, password } }),
      readSession: asPerson,
      signOut: asPerson,
      createPerson: async () => ({ body: await signUp() }),
      updatePerson: async () => ({ ...(await asPerson()), body: { name: 'Ada King' } }),
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
      },
      updatePerson: {
        emailTaken: async () => call('updatePerson', { ...(await asPerson()), body: { email: 'taken@example.com' } }),
      },
      acceptInvitation: {
        invitationUnknown: async () =>
          call('acceptInvitation', { ...(await asPerson()), body: { invitation: 'nope' } }),
      },
    },
  }
}
