import type { PersonRecord, SessionRecord } from '#store/accounts.ts'
import type { StoreChange } from '#store/store.ts'
import { type AccountDeps, auditChange } from './accountDeps.ts'
import { generateSecret, hashSecret } from './oneTimeSecret.ts'

/** A session expires after this time, whether it is used or not. */
export const sessionLifeMs = 14 * 86_400_000

/** A signed-in person and their session. */
export type SignedInPerson = { person: PersonRecord; session: SessionRecord }

/** A new session. The pages keep its secret in a cookie; the API takes it as a bearer token. */
export type NewSession = { secret: string; personId: string; expiresAt: number }

/** A new session and the changes that store it; `byLink` if it was opened by a sign-in link. */
export function createSession(deps: Pick<AccountDeps, 'clock' | 'keys'>, personId: string, byLink = false) {
  const secret = generateSecret()
  const createdAt = deps.clock.now()
  const expiresAt = createdAt + sessionLifeMs
  const hash = hashSecret(deps.keys, 'session', secret)
  const row: SessionRecord = { hash, personId, createdAt, expiresAt, ...(byLink && { byLink }) }
  const changes: StoreChange[] = [
    { account: { sweep: 'session', before: createdAt } },
    { account: { add: 'session', row } },
  ]
  const session: NewSession = { secret, personId, expiresAt }
  return { session, changes }
}

/** The session of a secret with its person; undefined if it is unknown or has ended. */
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
