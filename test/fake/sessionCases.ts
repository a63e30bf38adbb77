import { randomBytes } from 'node:crypto'
import { createApplication } from '#account/application.ts'
import { createEmailLink, emailChangeRequest } from '#account/emailChange.ts'
import { invitationUrl, invite, parseLinkSecret } from '#account/invitation.ts'
import { formatActor } from '#account/membership.ts'
import { artifactAad } from '#account/oauthArtifact.ts'
import { createPasswordHasher } from '#account/password.ts'
import { changePerson, createPersonRecord } from '#account/person.ts'
import { operatorHolder } from '#account/privilege.ts'
import { createSession, findSession, sessionIdOf } from '#account/session.ts'
import { createSignInLink, signInByLink } from '#account/signInLink.ts'
import type { FaultName } from '#contract/fault.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { sessionOperations } from '#contract/session.ts'
import type { ControlDeps } from '#control/controlDeps.ts'
import { newId } from '#kit/id.ts'
import {
  type ControlAnswer,
  type ControlRequest,
  type Customer,
  callControl,
  cost,
  type TestControl,
} from './testControl.ts'

type SessionOperationId = keyof typeof sessionOperations
type SessionCases = {
  good: Record<SessionOperationId, () => ControlRequest | Promise<ControlRequest>>
  own: { [Each in SessionOperationId]?: Partial<Record<FaultName, () => Promise<ControlAnswer>>> }
}

export const password = 'correct horse'
const passwords = createPasswordHasher({ cost })

type People = Pick<ControlDeps, 'environment' | 'clock' | 'store' | 'keys'>

/** Creates a person who can sign in and is in no team. */
export async function makePerson(deps: People, email: string): Promise<string> {
  const row = await createPersonRecord({ name: 'Ada Lovelace', email, password }, { ...deps, passwords }, 'a test')
  await deps.store.write([{ add: 'person', row }])
  return row.personId
}

/** Creates a session of a person and returns its secret. */
export async function makeSession(deps: ControlDeps, personId: string): Promise<string> {
  const { session, changes } = createSession(deps, personId)
  await deps.store.write(changes)
  return session.secret
}

/** The headers that a page of this origin sends with a signed-in person's cookie instead of a token. */
export async function pageHeaders(
  { environments }: TestControl,
  personId: string,
  environment: EnvironmentName = 'production',
) {
  const deps = environments[environment]
  const name = environment === 'sandbox' ? 'aglet_sandbox_session' : 'aglet_session'
  return {
    authorization: undefined,
    cookie: `${name}=${await makeSession(deps, personId)}`,
    'aglet-session': '1',
    origin: new URL(deps.baseUrl).origin,
    'sec-fetch-site': 'same-origin',
  }
}

/** Stores a person's grant to an application for a team, as OAuth leaves it. */
export async function makeGrant(deps: ControlDeps, personId: string, teamId: string): Promise<string> {
  const write = { name: `app ${newId('app', deps.clock.now())}`, scopes: ['tag:read' as const] }
  const { applicationId } = (await createApplication(deps, teamId, write, operatorHolder)).application
  const key = randomBytes(32)
  const actor = formatActor(personId, teamId)
  const payload = Buffer.from(JSON.stringify({ clientId: applicationId, accountId: actor }))
  const sealed = deps.keys.sealSecret(payload, artifactAad('Grant', key))
  const expiresAt = deps.clock.now() + 1_000_000
  const row = { kind: 'Grant', key, actor, application: applicationId, sealed, expiresAt }
  await deps.store.write([{ account: { put: 'artifact', row } }])
  return applicationId
}

/** Creates an invitation link of a team. */
export async function makeLink(deps: ControlDeps, teamId: string, role: 'owner' | 'editor' | 'viewer' = 'viewer') {
  return invitationUrl(deps.baseUrl, (await invite(deps, { teamId, role }, operatorHolder)).secret)
}

/** The cases of the operations of people. */
export async function sessionCases(control: TestControl, customer: Customer): Promise<SessionCases> {
  const deps = control.environments.production
  const call = (id: SessionOperationId, asked: ControlRequest = {}) => callControl(control, id, customer, asked)
  const email = 'ada@example.com'
  const personId = await makePerson(deps, email)
  await makePerson(deps, 'taken@example.com')
  const changing = await makePerson(deps, 'changes@example.com')
  let made = 0
  const asPerson = async () => ({ headers: { authorization: `Bearer ${await makeSession(deps, personId)}` } })
  async function newSessionId(of = personId): Promise<string> {
    const { session, changes } = createSession(deps, of)
    await deps.store.write(changes)
    return sessionIdOf((await findSession(deps, session.secret))!.session)
  }
  async function newDeviceId(of = personId): Promise<string> {
    const row = { createdAt: 1, seenAt: 1, expiresAt: Number.MAX_SAFE_INTEGER, browser: 'Firefox', system: 'Linux' }
    const deviceId = newId('dev', deps.clock.now())
    await deps.store.write([{ account: { add: 'device', row: { ...row, deviceId, personId: of } } }])
    return deviceId
  }
  const signUp = async () => ({
    invitation: await makeLink(deps, customer.teamId),
    name: 'Grace Hopper',
    email: `grace${++made}@example.com`,
    password,
  })
  const signIn = (as: string, secret: string) => call('signIn', { body: { email: as, password: secret } })
  async function sixthTime(): Promise<ControlAnswer> {
    for (let failure = 0; failure < 5; failure++) await signIn('guessed@example.com', 'wrong')
    return signIn('guessed@example.com', 'wrong')
  }

  const wrongPassword = async (of: string) =>
    call('updatePerson', {
      headers: { authorization: `Bearer ${await makeSession(deps, of)}` },
      body: { password: 'another horse', currentPassword: 'wrong' },
    })
  const sandboxEmail = 'ada@sandbox.example'
  await makePerson(control.environments.sandbox, sandboxEmail)
  const linking = { email: sandboxEmail, password, currentPassword: password }
  const refusedLink = async (of: string, more: object = { password: 'wrong' }) =>
    call('linkSandbox', {
      headers: { authorization: `Bearer ${await makeSession(deps, of)}` },
      body: { ...linking, ...more },
    })
  /** A call during whose checks the person's password is changed. */
  async function whileAnotherPasswordIsSet(id: 'linkSandbox' | 'unlinkSandbox', body?: object): Promise<ControlAnswer> {
    const of = await makePerson(deps, `races${++made}@example.com`)
    const asked = { headers: { authorization: `Bearer ${await makeSession(deps, of)}` } }
    await call('linkSandbox', { ...asked, body: linking })
    const answer = call(id, { ...asked, ...(body && { body }) })
    await changePerson(of, async () => {
      const row = (await deps.store.accounts.person(of))!
      await deps.store.write([{ account: { put: 'person', row: { ...row, password: 'scrypt$2$8$1$AA$AA' } } }])
    })
    return answer
  }
  async function emailLink(): Promise<string> {
    await deps.store.write(emailChangeRequest(deps, changing, `new${++made}@example.com`))
    return (await createEmailLink(deps, { baseUrl: deps.baseUrl, personId: changing }, operatorHolder)).url
  }

  return {
    good: {
      signIn: () => ({ body: { email, password } }),
      readSession: asPerson,
      signOut: asPerson,
      createPerson: async () => ({ body: await signUp() }),
      updatePerson: async () => ({ ...(await asPerson()), body: { name: 'Ada King' } }),
      linkSandbox: async () => ({ ...(await asPerson()), body: linking }),
      unlinkSandbox: asPerson,
      confirmEmail: async () => ({ body: { link: await emailLink() } }),
      listSessions: asPerson,
      endSession: async () => ({ ...(await asPerson()), values: { sessionId: await newSessionId() } }),
      listDevices: asPerson,
      forgetDevice: async () => ({ ...(await asPerson()), values: { deviceId: await newDeviceId() } }),
      listGrants: asPerson,
      endGrant: async () => {
        const applicationId = await makeGrant(deps, personId, customer.teamId)
        return { ...(await asPerson()), values: { applicationId, teamId: customer.teamId } }
      },
      acceptInvitation: async () => ({
        ...(await asPerson()),
        body: { invitation: await makeLink(deps, customer.teamId) },
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
          const link = await createSignInLink(deps, deps.baseUrl)
          const session = await signInByLink(deps, parseLinkSecret(link.url), 'a test')
          const headers = { authorization: `Bearer ${session}` }
          return call('updatePerson', { headers, body: { email: 'taken@example.com', password } })
        },
        tooManyAttempts: async () => {
          const guessed = await makePerson(deps, 'guesses@example.com')
          for (let failure = 0; failure < 5; failure++) await wrongPassword(guessed)
          return wrongPassword(guessed)
        },
      },
      linkSandbox: {
        signInRefused: () => refusedLink(personId),
        passwordRefused: () => whileAnotherPasswordIsSet('linkSandbox', linking),
        tooManyAttempts: async () => {
          const guessed = await makePerson(deps, 'guesses.link@example.com')
          for (let failure = 0; failure < 5; failure++) await refusedLink(guessed, { currentPassword: 'wrong' })
          return refusedLink(guessed)
        },
      },
      unlinkSandbox: { passwordRefused: () => whileAnotherPasswordIsSet('unlinkSandbox') },
      endSession: {
        sessionUnknown: async () =>
          call('endSession', { ...(await asPerson()), values: { sessionId: await newSessionId(changing) } }),
      },
      forgetDevice: {
        deviceUnknown: async () =>
          call('forgetDevice', { ...(await asPerson()), values: { deviceId: await newDeviceId(changing) } }),
      },
      endGrant: {
        grantUnknown: async () =>
          call('endGrant', { ...(await asPerson()), values: { applicationId: 'app_nope', teamId: customer.teamId } }),
      },
      confirmEmail: { emailLinkUnknown: () => call('confirmEmail', { body: { link: 'nope' } }) },
      acceptInvitation: {
        invitationUnknown: async () =>
          call('acceptInvitation', { ...(await asPerson()), body: { invitation: 'nope' } }),
      },
    },
  }
}
