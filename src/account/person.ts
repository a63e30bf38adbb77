import { badRequest, fault } from '#contract/fault.ts'
import { newId } from '#kit/id.ts'
import type { Person } from '#store/accounts.ts'
import { Conflict } from '#store/store.ts'
import type { Keyring } from './keyring.ts'
import { hashPassword } from './password.ts'

type Keys = Pick<Keyring, 'tokenHash' | 'sealPrivate' | 'openPrivate'>

/** What a person is called by, and signs in with. */
export type Profile = { name: string; email: string }
export type SignUp = Profile & { password: string }

const bindOf = (personId: string) => `person ${personId}`

/** What an e-mail is found by: case and space around it do not matter. */
export const emailKey = (keys: Pick<Keyring, 'tokenHash'>, email: string): Buffer =>
  keys.tokenHash(`e-mail\0${email.trim().toLowerCase()}`)

/** Throws badRequest with what is wrong. */
function readProfile({ name, email }: Profile): Profile {
  const read = { name: name.trim(), email: email.trim() }
  const isName = read.name.length > 0 && read.name.length <= 200
  const isEmail = read.email.length <= 254 && /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)*$/.test(read.email)
  const issues = [
    ...(isName ? [] : [{ path: 'name', message: 'must have 1 to 200 characters' }]),
    ...(isEmail ? [] : [{ path: 'email', message: 'is no e-mail address' }]),
  ]
  if (issues.length > 0) throw badRequest(...issues)
  return read
}

/** What a person is found by and called, as it is kept. Throws badRequest. */
function keptProfile(personId: string, given: Profile, keys: Keys) {
  const profile = readProfile(given)
  return {
    emailKey: emailKey(keys, profile.email),
    sealed: keys.sealPrivate(Buffer.from(JSON.stringify(profile)), bindOf(personId)),
  }
}

/** A new person, not written yet. Throws badRequest. */
export async function newPerson(
  { password, ...given }: SignUp,
  on: { clock: { now(): number }; keys: Keys },
): Promise<Person> {
  const createdAt = on.clock.now()
  const personId = newId('per', createdAt)
  const kept = keptProfile(personId, given, on.keys)
  return { personId, name: '', role: 'member', createdAt, ...kept, password: await hashPassword(password) }
}

/**
 * The same person with another name, e-mail or password, not written yet; what is left out stays. Throws badRequest, also
 * where nothing is there to stay: the operator has no e-mail and no password at first.
 */
export async function withSignIn(person: Person, { password, ...given }: Partial<SignUp>, keys: Keys): Promise<Person> {
  const { name, email = '' } = profileOf(person, keys)
  const profile = { name: given.name ?? name, email: given.email ?? email }
  if (password === undefined && person.password === undefined)
    throw badRequest({ path: 'password', message: 'is required' })
  const kept = keptProfile(person.personId, profile, keys)
  return { ...person, ...kept, ...(password !== undefined && { password: await hashPassword(password) }) }
}

export function profileOf({ personId, name, sealed }: Person, keys: Keys): { name: string; email?: string } {
  if (!sealed) return { name }
  return JSON.parse(keys.openPrivate(sealed, bindOf(personId)).toString()) as Profile
}

/** To be caught around a write of a person. */
export function refuseTakenEmail(error: unknown): never {
  throw error instanceof Conflict && error.unique === 'person.email' ? fault('emailTaken') : error
}
