import type { Person, Session } from '#store/accounts.ts'
import type { Change } from '#store/store.ts'
import { mintSecret, secretHash } from './oneTime.ts'
import { isPassword } from './password.ts'
import { emailKey, refuseTakenEmail, type SignUp, withSignIn } from './person.ts'
import { type AccountWorld, auditOf, type Who } from './world.ts'

/** How long a session lasts, used or not. */
export const sessionLifeMs = 14 * 86_400_000

/** A person who has signed in, and the session's hash. */
export type SignedIn = { person: Person; session: Session }

/** What opens a session: on the pages a cookie holds it, at the API its bearer shows it. */
export type NewSession = { secret: string; personId: string; expiresAt: number }

/** A new session, not written yet. */
export function newSession(on: Pick<AccountWorld, 'clock' | 'keys'>, personId: string) {
  const secret = mintSecret()
  const createdAt = on.clock.now()
  const expiresAt = createdAt + sessionLifeMs
  const row: Session = { hash: secretHash(on.keys, 'session', secret), personId, createdAt, expiresAt }
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

/** Signs in by e-mail and password; undefined where they do not fit, which takes as long as where they do. */
export async function signIn(
  on: AccountWorld,
  { email, password }: { email: string; password: string },
  from: string,
): Promise<NewSession | undefined> {
  const person = await on.store.accounts.personByEmail(emailKey(on.keys, email))
  if (!(await isPassword(password, person?.password)) || !person) return undefined
  const { personId } = person
  const { session, changes } = newSession(on, personId)
  await on.store.write([...changes, auditOf(on, { by: personId, from }, { what: 'signIn', object: personId })])
  return session
}

export async function signOut(on: AccountWorld, { person, session }: SignedIn, from: string): Promise<void> {
  const { personId } = person
  await on.store.write([
    { account: { drop: 'session', hash: session.hash } },
    auditOf(on, { by: personId, from }, { what: 'signOut', object: personId }),
  ])
}

/**
 * Changes what a person signs in with; what is left out stays. Every other session of theirs ends. Gives the person as
 * they are then. Throws badRequest and emailTaken.
 */
export async function changeSignIn(
  on: AccountWorld,
  { person, session }: SignedIn,
  change: Partial<SignUp>,
  from: string,
): Promise<Person> {
  const row = await withSignIn(person, change, on.keys)
  const who: Who = { by: person.personId, from }
  await on.store
    .write([
      { account: { put: 'person', row } },
      { account: { drop: 'sessionsOf', personId: person.personId, but: session.hash } },
      auditOf(on, who, { what: 'changeSignIn', object: person.personId }),
    ])
    .catch(refuseTakenEmail)
  return row
}
