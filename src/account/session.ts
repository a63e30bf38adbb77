import { createHash } from 'node:crypto'
import { fault } from '#contract/fault.ts'
import type { PersonRecord, SessionRecord } from '#store/accounts.ts'
import type { StoreChange } from '#store/store.ts'
import { type AccountDeps, auditChange } from './accountDeps.ts'
import { generateSecret, hashSecret } from './oneTimeSecret.ts'

/** A session expires after this time, whether it is used or not. */
export const sessionLifeMs = 14 * 86_400_000

/** How long a browser counts as a known device, unless its session is ended from elsewhere. */
export const deviceLifeMs = 400 * 86_400_000

export type SignedInPerson = { person: PersonRecord; session: SessionRecord }

/** The id of a session. It is a hash of the stored hash, so that it gives no power over the session. */
export const sessionIdOf = ({ hash }: SessionRecord): string =>
  `ses_${createHash('sha256').update('session id\0').update(hash).digest('base64url').slice(0, 22)}`

/** The id of a device: derived from the session in which the person last signed in there. */
export const deviceIdOf = (session: SessionRecord): string => sessionIdOf(session).replace('ses_', 'dev_')

/** A new session. The pages keep its secret in a cookie; the API takes it as a bearer token. */
export type NewSession = { secret: string; personId: string; expiresAt: number }

/**
 * A new session and the changes that store it; `byLink` if it was opened by a sign-in link. A session that was opened by a
 * password is stored only if the person still has that password, since another process may reset it meanwhile.
 */
export function createSession(
  deps: Pick<AccountDeps, 'clock' | 'keys'>,
  personId: string,
  { byLink = false, password }: { byLink?: boolean; password?: string | undefined } = {},
) {
  const secret = generateSecret()
  const createdAt = deps.clock.now()
  const expiresAt = createdAt + sessionLifeMs
  const hash = hashSecret(deps.keys, 'session', secret)
  const row: SessionRecord = { hash, personId, createdAt, expiresAt, ...(byLink && { byLink }) }
  const changes: StoreChange[] = [
    { account: { sweep: 'session', before: createdAt } },
    { account: { add: 'session', row } },
  ]
  if (password !== undefined) {
    changes.unshift({ account: { lock: 'person', personId } })
    changes.push({ account: { drop: 'session', hash, unless: { personId, password } } })
  }
  const session: NewSession = { secret, personId, expiresAt }
  return { session, changes }
}

/** Whether a new session was stored, and has not ended. */
export const isStored = async ({ store, keys }: Pick<AccountDeps, 'store' | 'keys'>, { secret }: NewSession) =>
  (await store.accounts.session(hashSecret(keys, 'session', secret))) !== undefined

/** The session of a secret with its person; undefined if the secret is unknown or the session has ended. */
export async function findSession(deps: AccountDeps, secret: string): Promise<SignedInPerson | undefined> {
  const session = await deps.store.accounts.session(hashSecret(deps.keys, 'session', secret))
  if (!session || session.expiresAt <= deps.clock.now()) return undefined
  const person = await deps.store.accounts.person(session.personId)
  return person && { person, session }
}

export async function endSession(deps: AccountDeps, { person, session }: SignedInPerson, from: string): Promise<void> {
  const { personId } = person
  await deps.store.write([
    { account: { drop: 'session', hash: session.hash } },
    auditChange(deps, { by: personId, from }, { what: 'signOut', object: personId }),
  ])
}

/** The open sessions of a person, newest first. */
export async function findOpenSessions({ store, clock }: AccountDeps, personId: string): Promise<SessionRecord[]> {
  const sessions = await store.accounts.sessionsOf(personId)
  return sessions.filter(({ expiresAt }) => expiresAt > clock.now())
}

/** Ends another session of the person, or their own, and forgets its device. Throws sessionUnknown. */
export async function endSessionById(
  deps: AccountDeps,
  { person }: SignedInPerson,
  sessionId: string,
  from: string,
): Promise<void> {
  const { personId } = person
  const session = (await findOpenSessions(deps, personId)).find((each) => sessionIdOf(each) === sessionId)
  if (!session) throw fault('sessionUnknown')
  await deps.store.write([
    { account: { drop: 'session', hash: session.hash } },
    { account: { drop: 'device', personId, deviceId: deviceIdOf(session) } },
    auditChange(deps, { by: personId, from }, { what: 'endSession', object: personId, before: { sessionId } }),
  ])
}
