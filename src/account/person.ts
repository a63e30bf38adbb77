import { badRequest, fault } from '#contract/fault.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { newId } from '#kit/id.ts'
import { turns } from '#kit/turns.ts'
import type { Person } from '#store/accounts.ts'
import { Conflict } from '#store/store.ts'
import type { Keyring } from './keyring.ts'
import { networkOf } from './network.ts'
import type { Passwords } from './password.ts'

type Keys = Pick<Keyring, 'tokenHash' | 'sealPrivate' | 'openPrivate'>

/** What a person is called by, and signs in with. */
export type Profile = { name: string; email: string }
export type SignUp = Profile & { password: string }

const bindOf = (personId: string) => `person ${personId}`

/** What an e-mail is found by: case and space around it do not matter. */
export const emailKey = (keys: Pick<Keyring, 'tokenHash'>, email: string): Buffer =>
  keys.tokenHash(`e-mail\0${email.trim().toLowerCase()}`)

/** Name and e-mail without the space around them. Throws badRequest with what is wrong. */
export function readProfile({ name, email }: Profile): Profile {
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
export function keptProfile(personId: string, given: Profile, keys: Keys) {
  const profile = readProfile(given)
  return {
    emailKey: emailKey(keys, profile.email),
    sealed: keys.sealPrivate(Buffer.from(JSON.stringify(profile)), bindOf(personId)),
  }
}

export type NewPersonDeps = {
  environment: EnvironmentName
  clock: { now(): number }
  keys: Keys
  passwords: Pick<Passwords, 'hash'>
}

/** A new person who signs up from an address, not written yet. Throws badRequest and overloaded. */
export async function newPerson(
  { password, ...given }: SignUp,
  { environment, clock, keys, passwords }: NewPersonDeps,
  from: string,
): Promise<Person> {
  const createdAt = clock.now()
  const personId = newId('per', createdAt)
  const kept = keptProfile(personId, given, keys)
  const hash = await passwords.hash(password, { environment, purpose: 'sign-up', key: networkOf(from) })
  return { personId, name: '', role: 'member', createdAt, ...kept, password: hash }
}

export function profileOf({ personId, name, sealed }: Person, keys: Keys): { name: string; email?: string } {
  if (!sealed) return { name }
  return JSON.parse(keys.openPrivate(sealed, bindOf(personId)).toString()) as Profile
}

/** Changes of one person are made one after the other: none puts back what another has changed. */
export const inTurnOfPerson = turns()

/** To be caught around a write of a person. */
export function refuseTakenEmail(error: unknown): never {
  throw error instanceof Conflict && error.unique === 'person.email' ? fault('emailTaken') : error
}
