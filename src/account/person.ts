import { isName, nameIssue } from '#contract/displayText.ts'
import { badRequest, fault } from '#contract/fault.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { newId } from '#kit/id.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import type { PersonRecord } from '#store/accounts.ts'
import { Conflict, type StoreChange } from '#store/store.ts'
import { clientNetwork } from './clientNetwork.ts'
import type { Keyring } from './keyring.ts'
import { hashSecret } from './oneTimeSecret.ts'
import type { PasswordHasher } from './password.ts'

type PersonKeys = Pick<Keyring, 'hashToken' | 'sealSecret' | 'openSecret'>

/** The name of a person, and the e-mail that they sign in with. */
type PersonProfile = { name: string; email: string }
export type SignUp = PersonProfile & { password: string }

const personAad = (personId: string) => `person ${personId}`

/** The keyed hash that finds a person by e-mail. It ignores case and surrounding space. */
export const hashEmail = (keys: Pick<Keyring, 'hashToken'>, email: string): Buffer =>
  keys.hashToken(`e-mail\0${email.trim().toLowerCase()}`)

/** Trims name and e-mail. Throws badRequest with every issue. */
export function parseProfile({ name, email }: PersonProfile): PersonProfile {
  const trimmed = { name: name.trim(), email: email.trim() }
  const isLength = trimmed.name.length > 0 && trimmed.name.length <= 200
  const isEmail =
    trimmed.email.length <= 254 && isName(trimmed.email) && /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)*$/.test(trimmed.email)
  const issues = [
    ...(isLength ? [] : [{ path: 'name', message: 'must have 1 to 200 characters' }]),
    ...(isName(trimmed.name) || !isLength ? [] : [{ path: 'name', message: nameIssue }]),
    ...(isEmail ? [] : [{ path: 'email', message: 'is not an e-mail address' }]),
  ]
  if (issues.length > 0) throw badRequest(...issues)
  return trimmed
}

/** The account of the sandbox that a person of production has linked, and the sandbox's proof of it (sandboxAccounts.ts). */
export type SandboxLink = { personId: string; proof: string }
type StoredProfile = PersonProfile & { sandbox?: SandboxLink | undefined }

/** The stored form of a profile: the hash of the e-mail; and name, e-mail and link sealed. Throws badRequest. */
export function sealProfile(personId: string, { sandbox, ...fields }: StoredProfile, keys: PersonKeys) {
  const profile = parseProfile(fields)
  return {
    emailKey: hashEmail(keys, profile.email),
    sealed: keys.sealSecret(Buffer.from(JSON.stringify({ ...profile, sandbox })), personAad(personId)),
  }
}

export type NewPersonDeps = {
  environment: EnvironmentName
  clock: { now(): number }
  keys: PersonKeys
  passwords: Pick<PasswordHasher, 'hash'>
}

/** The record of a person who signs up from an IP address; it is not written yet. Throws badRequest and overloaded. */
export async function createPersonRecord(
  { password, ...fields }: SignUp,
  { environment, clock, keys, passwords }: NewPersonDeps,
  from: string,
): Promise<PersonRecord> {
  const createdAt = clock.now()
  const personId = newId('per', createdAt)
  const sealedProfile = sealProfile(personId, fields, keys)
  const hash = await passwords.hash(password, { environment, purpose: 'sign-up', key: clientNetwork(from) })
  return { personId, name: '', role: 'member', createdAt, ...sealedProfile, password: hash }
}

const openStored = (personId: string, sealed: Uint8Array, keys: PersonKeys) =>
  JSON.parse(keys.openSecret(sealed, personAad(personId)).toString()) as StoredProfile

export function openProfile(
  { personId, name, sealed }: PersonRecord,
  keys: PersonKeys,
): { name: string; email?: string } {
  if (!sealed) return { name }
  const profile = openStored(personId, sealed, keys)
  return { name: profile.name, email: profile.email }
}

export const openSandboxLink = ({ personId, sealed }: PersonRecord, keys: PersonKeys): SandboxLink | undefined =>
  sealed && openStored(personId, sealed, keys).sandbox

const lockPerson = keyedMutex()
/** Longer than the write of a process that has read a person. */
const writeMs = 3_600_000
const maxRuns = 5

/**
 * Serialises changes of a person, so that none overwrites another. If another process changed the person meanwhile, the
 * change runs again on the new record.
 */
export const changePerson = <Result>(personId: string, change: () => Promise<Result>): Promise<Result> =>
  lockPerson(personId, async () => {
    for (let run = 1; ; run++)
      try {
        return await change()
      } catch (error) {
        if (run === maxRuns || !(error instanceof Conflict && error.unique === 'used')) throw error
      }
  })

/** Replaces a person. The write is a Conflict if another process replaced the record after it was read. */
export function replacePerson(
  { keys, clock }: { keys: PersonKeys; clock: { now(): number } },
  before: PersonRecord,
  row: PersonRecord,
): StoreChange[] {
  const { personId, sealed = new Uint8Array(), password = '' } = before
  const version = [personId, Buffer.from(sealed).toString('base64url'), password]
  const hash = hashSecret(keys, 'version of a person', version.join('\0'))
  return [{ account: { use: 'once', hash, expiresAt: clock.now() + writeMs } }, { account: { put: 'person', row } }]
}

/** For `catch` on a write of a person: throws emailTaken on a duplicate e-mail, else the error itself. */
export function refuseTakenEmail(error: unknown): never {
  throw error instanceof Conflict && error.unique === 'person.email' ? fault('emailTaken') : error
}
