import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import { badRequest, Fault, fault } from '#contract/fault.ts'
import { equalBytes } from '#kit/cipher.ts'
import type { PersonRecord } from '#store/accounts.ts'
import type { StoreChange } from '#store/store.ts'
import { auditChange } from './accountDeps.ts'
import { type AttemptLimiter, createAttemptLimiter } from './attemptLimiter.ts'
import { createEmailLink, emailChangeRequest } from './emailChange.ts'
import { refuseInvalidPassword } from './password.ts'
import {
  changePerson,
  hashEmail,
  openProfile,
  openSandboxLink,
  parseProfile,
  refuseTakenEmail,
  replacePerson,
  type SignUp,
  sealProfile,
} from './person.ts'
import type { SignedInPerson } from './session.ts'
import type { SignInDeps } from './signInLimiter.ts'

/** Absent fields do not change. */
type SignInChange = Partial<SignUp> & { currentPassword?: string }

/**
 * Changes the name, e-mail or password of a person, and ends their other sessions. A new e-mail is pending until a link
 * confirms it (emailChange.ts), and the response does not show whether it is taken. The operator, who makes those
 * links, changes their own e-mail at once. Throws badRequest, passwordRefused, tooManyAttempts, overloaded,
 * sessionRefused, and for the operator emailTaken.
 */
export type ChangeSignIn = (
  who: SignedInPerson,
  change: SignInChange,
  from: string,
  language: DashboardLanguage,
) => Promise<void>

/** For this time a session from a sign-in link counts as proof instead of the password. */
const linkProofMs = 3_600_000

type SignInChangePlan = Partial<SignUp> & { isNewEmail: boolean }

/** Throws badRequest. The operator's first change must contain e-mail and password, because there are none to keep. */
function planChange(
  { keys }: Pick<SignInDeps, 'keys'>,
  person: PersonRecord,
  { password, ...fields }: SignInChange,
): SignInChangePlan {
  if (password === undefined && person.password === undefined)
    throw badRequest({ path: 'password', message: 'is required' })
  if (password !== undefined) refuseInvalidPassword(password)
  const { name, email = '' } = openProfile(person, keys)
  const profile = parseProfile({ name: fields.name ?? name, email: fields.email ?? email })
  return {
    ...(fields.name !== undefined && { name: profile.name }),
    ...(fields.email !== undefined && { email: profile.email }),
    ...(password !== undefined && { password }),
    isNewEmail: !person.emailKey || !equalBytes(hashEmail(keys, profile.email), person.emailKey),
  }
}

/** Throws passwordRefused, and badRequest if the current password is required and absent. */
async function requireProof(
  { environment, passwords, clock }: Pick<SignInDeps, 'environment' | 'passwords' | 'clock'>,
  { person, session }: SignedInPerson,
  currentPassword: string | undefined,
): Promise<void> {
  if (person.password === undefined) return
  if (session.byLink && clock.now() < session.createdAt + linkProofMs) return
  if (currentPassword === undefined)
    throw badRequest({ path: 'currentPassword', message: 'is required to change the e-mail or the password' })
  const request = { environment, purpose: 'change', key: person.personId } as const
  if (!(await passwords.fits(currentPassword, person.password, request))) throw fault('passwordRefused')
}

/** The hash of the new password. Throws like `ChangeSignIn`. A change of only the name needs no proof. */
async function proveAndHash(
  deps: SignInDeps,
  attempts: AttemptLimiter,
  who: SignedInPerson,
  plan: SignInChangePlan,
  currentPassword?: string,
) {
  const { environment, passwords } = deps
  const { personId } = who.person
  const { password, isNewEmail } = plan
  if (password === undefined && !isNewEmail) return undefined
  return attempts.runCounted([attempts.name('change of a person', personId, 5)], async () => {
    await requireProof(deps, who, currentPassword)
    const request = { environment, purpose: 'change', key: personId } as const
    return password === undefined ? undefined : passwords.hash(password, request)
  })
}

/** Reloads the person. Throws sessionRefused or passwordRefused if the session or password changed since the proof. */
export async function reloadPerson(
  { store }: Pick<SignInDeps, 'store'>,
  { person, session }: SignedInPerson,
): Promise<PersonRecord> {
  const now = await store.accounts.person(person.personId)
  const isSignedIn = (await store.accounts.session(session.hash)) !== undefined
  if (!now || !isSignedIn) throw fault('sessionRefused')
  if (now.password !== person.password) throw fault('passwordRefused')
  return now
}

/** Replaces or drops the pending e-mail; keeps it if the change contains no e-mail. */
function pendingEmailChanges(
  deps: SignInDeps,
  personId: string,
  { email }: SignInChangePlan,
  isPending: boolean,
): StoreChange[] {
  if (email === undefined) return []
  return isPending ? emailChangeRequest(deps, personId, email) : [{ account: { drop: 'emailChange', personId } }]
}

function personChanges(
  deps: SignInDeps,
  person: PersonRecord,
  plan: SignInChangePlan,
  password?: string,
): StoreChange[] {
  const { personId } = person
  const profile = openProfile(person, deps.keys)
  const isPending = plan.isNewEmail && person.role !== 'operator'
  const email = (isPending ? profile.email : (plan.email ?? profile.email)) ?? ''
  const sandbox = openSandboxLink(person, deps.keys)
  const sealed = sealProfile(personId, { name: plan.name ?? profile.name, email, sandbox }, deps.keys)
  const row = { ...person, ...sealed, ...(password !== undefined && { password }) }
  return [...replacePerson(deps, person, row), ...pendingEmailChanges(deps, personId, plan, isPending)]
}

/** Tells both addresses about a new e-mail, which the new address must confirm, and the person about a new password. */
async function mailChange(
  deps: SignInDeps,
  person: PersonRecord,
  { password, isNewEmail, email: newEmail }: SignInChangePlan,
  language: DashboardLanguage,
): Promise<void> {
  const { mails } = deps
  const { personId: key } = person
  const { email: to } = openProfile(person, deps.keys)
  if (!mails) return
  if (password !== undefined && to) mails.send.passwordChanged({ to, language, key })
  if (!isNewEmail || newEmail === undefined || person.role === 'operator') return
  if (to) mails.send.emailRequested({ to, language, key })
  const { url } = await createEmailLink(deps, { baseUrl: mails.baseUrl, personId: key }, { by: key })
  mails.send.confirmEmail({ to: newEmail, language, key }, url)
}

/** If the e-mail belongs to another person, no link is sent and nobody is notified. */
const isTaken = (error: unknown) =>
  error instanceof Fault && (error.fault === 'emailTaken' || error.fault === 'emailChangeUnknown')

/** Five changes of e-mail or password per person in 15 minutes, successful or not: each costs up to two hashes. */
export function createSignInChanger(deps: SignInDeps): ChangeSignIn {
  const attempts = createAttemptLimiter(deps)
  return async (who, { currentPassword, ...change }, from, language) => {
    const plan = planChange(deps, who.person, change)
    const password = await proveAndHash(deps, attempts, who, plan, currentPassword)
    const { personId } = who.person
    await changePerson(personId, async () => {
      const person = await reloadPerson(deps, who)
      const changes: StoreChange[] = [
        ...personChanges(deps, person, plan, password),
        { account: { drop: 'sessionsOf', personId, but: who.session.hash } },
        ...(password === undefined ? [] : [{ account: { drop: 'devicesOf', personId } } as const]),
        auditChange(deps, { by: personId, from }, { what: 'changeSignIn', object: personId }),
      ]
      await deps.store.write(changes).catch(refuseTakenEmail)
    })
    mailChange(deps, who.person, plan, language).catch((error) => {
      if (!isTaken(error))
        deps.log({ level: 'error', message: 'could not send the mail about a changed sign-in', error })
    })
  }
}
