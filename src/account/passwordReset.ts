import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import { fault } from '#contract/fault.ts'
import { equalBytes } from '#kit/cipher.ts'
import type { PersonRecord } from '#store/accounts.ts'
import { type AccountDeps, type AuditActor, auditChange } from './accountDeps.ts'
import { createAttemptLimiter } from './attemptLimiter.ts'
import { clientNetwork } from './clientNetwork.ts'
import { refuseInvalidPassword } from './password.ts'
import { changePerson, hashEmail, openProfile, openSandboxLink, replacePerson, sealProfile } from './person.ts'
import { createSession, type NewSession } from './session.ts'
import type { SignInDeps } from './signInLimiter.ts'

/**
 * A link that sets a new password. It is not stored: it contains the person, its expiry, and a keyed hash of both
 * with the current password and e-mail. Any change of the password therefore invalidates every link of the person.
 */
const resetLinkLifetimeMs = 3_600_000

const proofOf = ({ keys }: Pick<AccountDeps, 'keys'>, person: PersonRecord, expiresAt: number) => {
  const { personId, password = '', emailKey = new Uint8Array() } = person
  const email = Buffer.from(emailKey).toString('base64url')
  return keys.hashToken(['password reset', personId, password, email, expiresAt].join('\0'))
}

/** `baseUrl` ends with the version segment. */
function createResetUrl(deps: Pick<AccountDeps, 'keys' | 'clock'>, person: PersonRecord, baseUrl: string) {
  const expiresAt = deps.clock.now() + resetLinkLifetimeMs
  const secret = [person.personId, expiresAt, proofOf(deps, person, expiresAt).toString('base64url')].join('.')
  return { url: `${baseUrl}/account/reset/${secret}`, expiresAt }
}

/** The person of a reset link; undefined if it is unknown, was used, has expired or the password changed since. */
export async function findResetPerson(deps: AccountDeps, secret: string): Promise<PersonRecord | undefined> {
  const [personId = '', expiresText = '', proof = ''] = secret.slice(0, 200).split('.')
  const expiresAt = Number(expiresText)
  if (!/^per_\w{1,60}$/.test(personId) || !(expiresAt > deps.clock.now())) return undefined
  const person = await deps.store.accounts.person(personId)
  return person && equalBytes(proofOf(deps, person, expiresAt), Buffer.from(proof, 'base64url')) ? person : undefined
}

/** The person who signs in with an e-mail, and a link for them. Only for the operator. Throws personUnknown. */
export async function createResetLink(
  deps: AccountDeps,
  { baseUrl, email }: { baseUrl: string; email: string },
  who: AuditActor,
): Promise<{ personId: string; name: string; email: string; url: string; expiresAt: number }> {
  const person = await deps.store.accounts.personByEmail(hashEmail(deps.keys, email))
  if (!person) throw fault('memberUnknown', { message: 'No person signs in with this e-mail in this environment.' })
  const { personId } = person
  await deps.store.write([auditChange(deps, who, { what: 'createResetLink', object: personId })])
  const { name, email: to = '' } = openProfile(person, deps.keys)
  return { personId, name, email: to, ...createResetUrl(deps, person, baseUrl) }
}

export type PasswordResets = {
  /**
   * Mails a link if a person signs in with the e-mail. Resolves before that is known, so that neither the answer nor its
   * timing reveals it. Throws tooManyAttempts, whether or not the e-mail is known.
   */
  requestReset(email: string, from: string, language: DashboardLanguage): Promise<void>
  /** Sets the password, ends every session and every other link, and signs in; undefined if the link is not valid. */
  resetPassword(
    secret: string,
    password: string,
    from: string,
    language: DashboardLanguage,
  ): Promise<NewSession | undefined>
}

async function mailLink(deps: SignInDeps, emailHash: Buffer, from: string, language: DashboardLanguage): Promise<void> {
  const person = await deps.store.accounts.personByEmail(emailHash)
  if (!person || !deps.mails) return
  const { personId } = person
  const { email: to = '' } = openProfile(person, deps.keys)
  await deps.store.write([auditChange(deps, { by: personId, from }, { what: 'requestReset', object: personId })])
  deps.mails.send.resetPassword({ to, language, key: personId }, createResetUrl(deps, person, deps.mails.baseUrl).url)
}

async function writePassword(
  deps: SignInDeps,
  secret: string,
  password: string,
  from: string,
): Promise<{ person: PersonRecord; session: NewSession } | undefined> {
  const person = await findResetPerson(deps, secret)
  if (!person) return undefined
  const { personId } = person
  const { session, changes } = createSession(deps, personId)
  const { name, email } = openProfile(person, deps.keys)
  // Linking to the sandbox required the password. This reset does not, so the link is removed.
  const isLinked = email !== undefined && openSandboxLink(person, deps.keys)
  const row = { ...person, ...(isLinked && sealProfile(personId, { name, email }, deps.keys)), password }
  await deps.store.write([
    ...replacePerson(deps, person, row),
    { account: { drop: 'emailChange', personId } },
    { account: { drop: 'sessionsOf', personId } },
    { account: { drop: 'devicesOf', personId } },
    ...changes,
    auditChange(deps, { by: personId, from }, { what: 'resetPassword', object: personId }),
  ])
  return { person, session }
}

/** Ten requests per address and three per e-mail in 15 minutes. The links of all three mails stay valid. */
export function createPasswordResets(deps: SignInDeps): PasswordResets {
  const attempts = createAttemptLimiter(deps)
  return {
    async requestReset(email, from, language) {
      const emailHash = hashEmail(deps.keys, email)
      const counted = [
        attempts.name('reset address', clientNetwork(from), 10),
        attempts.name('reset e-mail', emailHash.toString('base64url'), 3),
      ]
      await attempts.runCounted(counted, async () => {
        mailLink(deps, emailHash, from, language).catch((error) =>
          deps.log({ level: 'error', message: 'could not send the mail with a password link', error }),
        )
      })
    },
    async resetPassword(secret, password, from, language) {
      const { environment, passwords, mails, keys } = deps
      const person = await findResetPerson(deps, secret)
      if (!person) return undefined
      refuseInvalidPassword(password)
      const { personId } = person
      // Counted before the hash, because the hash is the cost of an attempt.
      const hash = await attempts.runCounted([attempts.name('change of a person', personId, 5)], () =>
        passwords.hash(password, { environment, purpose: 'change', key: personId }),
      )
      const written = await changePerson(personId, () => writePassword(deps, secret, hash, from))
      const { email } = openProfile(person, keys)
      if (written && email) mails?.send.passwordChanged({ to: email, language, key: personId })
      return written?.session
    },
  }
}
