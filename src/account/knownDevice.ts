import type { Keyring } from '#account/keyring.ts'
import { equalBytes } from '#kit/cipher.ts'
import type { PersonRecord } from '#store/accounts.ts'
import type { AccountDeps } from './accountDeps.ts'
import { deviceLifeMs, hashDevice, type SignedInPerson, sessionIdOf } from './session.ts'

/**
 * A browser in which a person has signed in keeps a proof of it, one for each of its last people. With it the person can
 * sign in while strangers guess the password elsewhere. It gives no access. It ends with the password, and when the
 * session in which it was given is ended from another device.
 */
const maxPeople = 4

type DeviceDeps = Pick<AccountDeps, 'keys' | 'clock' | 'store'>
type Proof = { deviceId: string; expiresAt: number; proof: string }

const proofOf = (
  keys: Pick<Keyring, 'hashToken'>,
  { personId, password = '' }: PersonRecord,
  of: Omit<Proof, 'proof'>,
) => keys.hashToken(['device of a person', personId, password, of.deviceId, of.expiresAt].join('\0'))

const readProofs = (text: string): Proof[] =>
  text
    .split('~')
    .slice(0, maxPeople)
    .map((each) => each.split('.'))
    .map(([deviceId = '', expiresAt = '', proof = '']) => ({ deviceId, expiresAt: Number(expiresAt), proof }))
const writeProof = ({ deviceId, expiresAt, proof }: Proof) => `${deviceId}.${expiresAt}.${proof}`

/** The id of a device by what it keeps; undefined unless this person has signed in there. */
export async function findDevice(
  deps: DeviceDeps,
  person: PersonRecord | undefined,
  text: string | undefined,
): Promise<string | undefined> {
  if (!person || !text) return undefined
  const isOf = (each: Proof) => equalBytes(proofOf(deps.keys, person, each), Buffer.from(each.proof, 'base64url'))
  const found = readProofs(text).find((each) => each.expiresAt > deps.clock.now() && isOf(each))
  const isEnded = found && (await deps.store.accounts.isSecretUsed(hashDevice(deps.keys, found.deviceId)))
  return isEnded ? undefined : found?.deviceId
}

/** What the device keeps once a person has signed in there, or has a new password, from what it kept before. */
export async function rememberDevice(
  deps: DeviceDeps,
  { person, session }: SignedInPerson,
  before: string | undefined,
): Promise<string> {
  const device = { deviceId: sessionIdOf(session), expiresAt: deps.clock.now() + deviceLifeMs }
  const proof = proofOf(deps.keys, person, device).toString('base64url')
  const known = [device.deviceId, await findDevice(deps, person, before)]
  const others = readProofs(before ?? '').filter(({ deviceId }) => deviceId !== '' && !known.includes(deviceId))
  return [{ ...device, proof }, ...others].slice(0, maxPeople).map(writeProof).join('~')
}
