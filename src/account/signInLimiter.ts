import { fault } from '#contract/fault.ts'
import { type AccountDeps, auditChange } from './accountDeps.ts'
import { createAttemptLimiter } from './attemptLimiter.ts'
import { clientNetwork } from './clientNetwork.ts'
import type { PasswordHasher } from './password.ts'
import { hashEmail } from './person.ts'
import { createSession, type NewSession } from './session.ts'

export type SignInDeps = AccountDeps & { passwords: PasswordHasher }
type Credentials = { email: string; password: string }

/**
 * Signs in by e-mail and password, from an IP address. Throws signInRefused, tooManyAttempts and overloaded. An unknown
 * e-mail takes as long as a wrong password.
 */
export type SignInAttempt = (credentials: Credentials, from: string) => Promise<NewSession>

async function signInWithPassword(
  deps: SignInDeps,
  { email, password }: Credentials,
  from: string,
): Promise<NewSession> {
  const { environment, passwords, store, keys } = deps
  const person = await store.accounts.personByEmail(hashEmail(keys, email))
  const isRight = await passwords.fits(password, person?.password, {
    environment,
    purpose: 'sign-in',
    key: clientNetwork(from),
  })
  if (!isRight || !person) throw fault('signInRefused')
  const { personId } = person
  const { session, changes } = createSession(deps, personId)
  await store.write([...changes, auditChange(deps, { by: personId, from }, { what: 'signIn', object: personId })])
  return session
}

/**
 * Allows five failures of an e-mail and thirty of an IP address in 15 minutes, for pages, API and all processes together.
 * The address is counted first: one that has used up its attempts counts nothing for the e-mails of others.
 */
export function createSignInLimiter(deps: SignInDeps): SignInAttempt {
  const attempts = createAttemptLimiter(deps)
  return async (credentials, from) => {
    const emailKey = hashEmail(deps.keys, credentials.email).toString('base64url')
    const address = attempts.name('sign-in address', clientNetwork(from), 30)
    const email = attempts.name('sign-in e-mail', emailKey, 5)
    const session = await attempts.runCounted([address, email], () => signInWithPassword(deps, credentials, from))
    await attempts.reset(email)
    await attempts.undo(address)
    return session
  }
}
