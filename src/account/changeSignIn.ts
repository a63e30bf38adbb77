import { badRequest, fault } from '#contract/fault.ts'
import { sameBytes } from '#kit/cipher.ts'
import type { Person } from '#store/accounts.ts'
import type { Change } from '#store/store.ts'
import { type Attempts, attempt, countAttempts, quarterHourMs } from './attempts.ts'
import { waitForEmail } from './emailChange.ts'
import { refuseBadPassword } from './password.ts'
import {
  emailKey,
  inTurnOfPerson,
  keptProfile,
  profileOf,
  readProfile,
  refuseTakenEmail,
  type SignUp,
} from './person.ts'
import type { SignedIn } from './session.ts'
import type { SignInDeps } from './trySignIn.ts'
import { auditOf } from './world.ts'

/** What a person changes; what is left out stays. */
export type SignInChange = Partial<SignUp> & { currentPassword?: string }

/**
 * Changes what a person is called and signs in with, and ends every other session of theirs. Another e-mail waits until it is
 * confirmed by a link (emailChange.ts), but for the operator, who would make that link: whether it is taken is told to nobody
 * else. Throws badRequest, passwordRefused, tooManyAttempts, overloaded, sessionRefused, and for the operator emailTaken.
 */
export type ChangeSignIn = (who: SignedIn, change: SignInChange, from: string) => Promise<void>

/** How long a session that a sign-in link opened proves as much as the password. */
const linkProvesMs = 3_600_000

/** A change that was found good: what it gives of name and e-mail, trimmed. */
type Planned = Partial<SignUp> & { isNewEmail: boolean }

/** Throws badRequest, also where nothing is there to stay: the operator has no e-mail and no password at first. */
function readChange({ keys }: SignInDeps, person: Person, { password, ...given }: SignInChange): Planned {
  if (password === undefined && person.password === undefined)
    throw badRequest({ path: 'password', message: 'is required' })
  if (password !== undefined) refuseBadPassword(password)
  const { name, email = '' } = profileOf(person, keys)
  const read = readProfile({ name: given.name ?? name, email: given.email ?? email })
  return {
    ...(given.name !== undefined && { name: read.name }),
    ...(given.email !== undefined && { email: read.email }),
    ...(password !== undefined && { password }),
    isNewEmail: !person.emailKey || !sameBytes(emailKey(keys, read.email), person.emailKey),
  }
}

/** Throws passwordRefused, and badRequest where there is a password and it is not said. */
async function refuseUnproved(
  { environment, passwords, clock }: SignInDeps,
  { person, session }: SignedIn,
  currentPassword: string | undefined,
): Promise<void> {
  if (person.password === undefined) return
  if (session.byLink && clock.now() < session.createdAt + linkProvesMs) return
  if (currentPassword === undefined)
    throw badRequest({ path: 'currentPassword', message: 'is required for another e-mail or password' })
  const asked = { environment, purpose: 'change', key: person.personId } as const
  if (!(await passwords.fits(currentPassword, person.password, asked))) throw fault('passwordRefused')
}

/** Gives the hash of the new password. Throws what `ChangeSignIn` does; a change of the name alone needs no proof. */
async function prove(deps: SignInDeps, tries: Attempts, who: SignedIn, planned: Planned, currentPassword?: string) {
  const { environment, passwords } = deps
  const { personId } = who.person
  const { password, isNewEmail } = planned
  if (password === undefined && !isNewEmail) return undefined
  return attempt([{ attempts: tries, name: personId }], async () => {
    await refuseUnproved(deps, who, currentPassword)
    const asked = { environment, purpose: 'change', key: personId } as const
    return password === undefined ? undefined : passwords.hash(password, asked)
  })
}

/** The person as they are now, if they are still who has proved it. Throws sessionRefused and passwordRefused. */
async function stillSignedIn({ store }: SignInDeps, { person, session }: SignedIn): Promise<Person> {
  const now = await store.accounts.person(person.personId)
  const isSignedIn = (await store.accounts.session(session.hash)) !== undefined
  if (!now || !isSignedIn) throw fault('sessionRefused')
  if (now.password !== person.password) throw fault('passwordRefused')
  return now
}

/** What becomes of the e-mail that waits: another takes its place, or it waits no more, or it is left alone. */
function waitingChanges(deps: SignInDeps, personId: string, { email }: Planned, waits: boolean): Change[] {
  if (email === undefined) return []
  return waits ? waitForEmail(deps, personId, email) : [{ account: { drop: 'emailChange', personId } }]
}

/** The person and their e-mail as the change leaves them. */
function changesOf(deps: SignInDeps, person: Person, planned: Planned, password?: string): Change[] {
  const { personId } = person
  const now = profileOf(person, deps.keys)
  const waits = planned.isNewEmail && person.role !== 'operator'
  const email = (waits ? now.email : (planned.email ?? now.email)) ?? ''
  const kept = keptProfile(personId, { name: planned.name ?? now.name, email }, deps.keys)
  const row = { ...person, ...kept, ...(password !== undefined && { password }) }
  return [{ account: { put: 'person', row } }, ...waitingChanges(deps, personId, planned, waits)]
}

/** Five changes of e-mail or password in a quarter of an hour, of one person, done or refused: each costs up to two hashes. */
export function limitChanges(deps: SignInDeps): ChangeSignIn {
  const tries = countAttempts({ most: 5, windowMs: quarterHourMs }, deps.clock)
  return async (who, { currentPassword, ...change }, from) => {
    const planned = readChange(deps, who.person, change)
    const password = await prove(deps, tries, who, planned, currentPassword)
    const { personId } = who.person
    await inTurnOfPerson(personId, async () => {
      const person = await stillSignedIn(deps, who)
      const changes: Change[] = [
        ...changesOf(deps, person, planned, password),
        { account: { drop: 'sessionsOf', personId, but: who.session.hash } },
        auditOf(deps, { by: personId, from }, { what: 'changeSignIn', object: personId }),
      ]
      await deps.store.write(changes).catch(refuseTakenEmail)
    })
  }
}
