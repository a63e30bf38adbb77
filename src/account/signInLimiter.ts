import { fault } from '#contract/fault.ts'
import type { Log } from '#kit/log.ts'
import type { PersonRecord } from '#store/accounts.ts'
import { type AccountDeps, auditChange } from './accountDeps.ts'
import type { AccountMails } from './accountMails.ts'
import { createAttemptLimiter } from './attemptLimiter.ts'
import { clientNetwork } from './clientNetwork.ts'
import { findDevice } from './knownDevice.ts'
import type { PasswordHasher } from './password.ts'
import { hashEmail } from './person.ts'
import { createSession, isStored, type NewSession } from './session.ts'

/** `mails`: absent if the operator has set no SMTP server. `baseUrl` ends with the version segment. */
export type SignInDeps = AccountDeps & {
  passwords: PasswordHasher
  log: Log
  mails: { send: AccountMails; baseUrl: string } | undefined
}
export type Credentials = { email: string; password: string }

/**
 * Signs in by e-mail and password, from an IP address. Throws signInRefused, tooManyAttempts and overloaded. An unknown
 * e-mail takes as long as a wrong password. `device`: the proofs that the caller's browser stores.
 */
export type SignInAttempt = (credentials: Credentials, from: string, device?: string) => Promise<NewSession>

export type CheckDeps = AccountDeps & { passwords: Pick<PasswordHasher, 'fits'> }

async function findByPassword(
  { environment, passwords, store, keys }: CheckDeps,
  { email, password }: Credentials,
  from: string,
): Promise<PersonRecord> {
  const person = await store.accounts.personByEmail(hashEmail(keys, email))
  const isRight = await passwords.fits(password, person?.password, {
    environment,
    purpose: 'sign-in',
    key: clientNetwork(from),
  })
  if (!isRight || !person) throw fault('signInRefused')
  return person
}

const hourMs = 3_600_000

/**
 * Finds a person by e-mail and password. Failures slow down further attempts, across pages, API and all processes. On a
 * known device of the person, only its own failures count; elsewhere those of the address, of address and e-mail, and of
 * the e-mail. The address is counted first: an address that must wait adds no count to e-mails of others.
 */
export function createPasswordCheck(deps: CheckDeps) {
  const attempts = createAttemptLimiter(deps)
  return async (credentials: Credentials, from: string, deviceText?: string): Promise<PersonRecord> => {
    const emailHash = hashEmail(deps.keys, credentials.email)
    const email = emailHash.toString('base64url')
    const network = clientNetwork(from)
    const device = await findDevice(deps, await deps.store.accounts.personByEmail(emailHash), deviceText)
    const address = attempts.slowed('sign-in address', network, 30, 30_000)
    const own =
      device === undefined
        ? [
            attempts.slowed('sign-in address and e-mail', `${network}\0${email}`, 5, 180_000),
            attempts.slowed('sign-in e-mail', email, 10, 60_000, hourMs),
          ]
        : [attempts.slowed('sign-in device', device.deviceId, 5, 60_000)]
    const counted = device === undefined ? [address, ...own] : own
    const person = await attempts.runCounted(counted, () => findByPassword(deps, credentials, from))
    for (const each of own) await attempts.reset(each)
    if (device === undefined) await attempts.undo(address)
    return person
  }
}

export function createSignInLimiter(deps: CheckDeps): SignInAttempt {
  const checkPassword = createPasswordCheck(deps)
  return async (credentials, from, device) => {
    const { personId, password } = await checkPassword(credentials, from, device)
    const { session, changes } = createSession(deps, personId, { password })
    const audit = auditChange(deps, { by: personId, from }, { what: 'signIn', object: personId })
    await deps.store.write([...changes, audit])
    if (!(await isStored(deps, session))) throw fault('signInRefused')
    return session
  }
}
