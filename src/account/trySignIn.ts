import { fault } from '#contract/fault.ts'
import { attempt, countAttempts, quarterHourMs } from './attempts.ts'
import { networkOf } from './network.ts'
import type { Passwords } from './password.ts'
import { emailKey } from './person.ts'
import { type NewSession, newSession } from './session.ts'
import { type AccountWorld, auditOf } from './world.ts'

export type SignInDeps = AccountWorld & { passwords: Passwords }
type Given = { email: string; password: string }

/**
 * Signs in by e-mail and password, from an address. Throws signInRefused, for an e-mail that nobody has after as long as for
 * a wrong password, tooManyAttempts and overloaded.
 */
export type TrySignIn = (given: Given, from: string) => Promise<NewSession>

async function signIn(deps: SignInDeps, { email, password }: Given, from: string): Promise<NewSession> {
  const { environment, passwords, store, keys } = deps
  const person = await store.accounts.personByEmail(emailKey(keys, email))
  const isRight = await passwords.fits(password, person?.password, {
    environment,
    purpose: 'sign-in',
    key: networkOf(from),
  })
  if (!isRight || !person) throw fault('signInRefused')
  const { personId } = person
  const { session, changes } = newSession(deps, personId)
  await store.write([...changes, auditOf(deps, { by: personId, from }, { what: 'signIn', object: personId })])
  return session
}

/**
 * Five failures of an e-mail or thirty of an address in a quarter of an hour. There is one for an environment: whoever was
 * refused by the page has no more attempts left at the API.
 */
export function limitSignIn(deps: SignInDeps): TrySignIn {
  const byEmail = countAttempts({ most: 5, windowMs: quarterHourMs }, deps.clock)
  const byAddress = countAttempts({ most: 30, windowMs: quarterHourMs }, deps.clock)
  return async (given, from) => {
    const email = emailKey(deps.keys, given.email).toString('base64url')
    const address = networkOf(from)
    const counted = [
      { attempts: byEmail, name: email },
      { attempts: byAddress, name: address },
    ]
    const session = await attempt(counted, () => signIn(deps, given, from))
    byEmail.forget(email)
    byAddress.takeBack(address)
    return session
  }
}
