import type { Person, Session } from '#store/accounts.ts'
import type { Change } from '#store/store.ts'
import { mintSecret, secretHash } from './oneTime.ts'
import { type AccountWorld, auditOf } from './world.ts'

/** How long a session lasts, used or not. */
export const sessionLifeMs = 14 * 86_400_000

/** A person who has signed in, and the session's hash. */
export type SignedIn = { person: Person; session: Session }

/** What opens a session: on the pages a cookie holds it, at the API its bearer shows it. */
export type NewSession = { secret: string; personId: string; expiresAt: number }

/** A new session, not written yet; `byLink` where a sign-in link opened it. */
export function newSession(on: Pick<AccountWorld, 'clock' | 'keys'>, personId: string, byLink = false) {
  const secret = mintSecret()
  const createdAt = on.clock.now()
  const expiresAt = createdAt + sessionLifeMs
  const hash = secretHash(on.keys, 'session', secret)
  const row: Session = { hash, personId, createdAt, expiresAt, ...(byLink && { byLink }) }
  const changes: Change[] = [{ account: { sweep: 'session', before: createdAt } }, { account: { add: 'session', row } }]
  const session: NewSession = { secret, personId, expiresAt }
  return { session, changes }
}

/** Whose session a secret opens; undefined where it is unknown or has ended. */
export async function sessionOf(on: AccountWorld, secret: string): Promise<SignedIn | undefined> {
  const session = await on.store.accounts.session(secretHash(on.keys, 'session', secret))
  if (!session || session.expiresAt <= on.clock.now()) return undefined
  const person = await on.store.accounts.person(session.personId)
  return person && { person, session }
}

export async function signOut(on: AccountWorld, { person, session }: SignedIn, from: string): Promise<void> {
  const { personId } = person
  await on.store.write([
    { account: { drop: 'session', hash: session.hash } },
    auditOf(on, { by: personId, from }, { what: 'signOut', object: personId }),
  ])
}
