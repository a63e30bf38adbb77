import type { Keyring } from '#account/keyring.ts'
import { fault } from '#contract/fault.ts'
import { equalBytes } from '#kit/cipher.ts'
import type { DeviceRecord, PersonRecord } from '#store/accounts.ts'
import type { StoreChange } from '#store/store.ts'
import { type AccountDeps, auditChange } from './accountDeps.ts'
import { deviceIdOf, deviceLifeMs, type SignedInPerson } from './session.ts'

/** Checked in this order, because each user agent also names browsers further down. */
const browsers: readonly (readonly [name: string, ...signs: string[]])[] = [
  ['Edge', 'Edg/', 'EdgA/', 'EdgiOS/', 'Edge/'],
  ['Opera', 'OPR/', 'OPT/'],
  ['Samsung Internet', 'SamsungBrowser/'],
  ['Firefox', 'Firefox/', 'FxiOS/'],
  ['Chrome', 'Chrome/', 'CriOS/'],
  ['Safari', 'Safari/'],
]
const systems: typeof browsers = [
  ['Android', 'Android'],
  ['iOS', 'iPhone', 'iPad', 'iPod'],
  ['ChromeOS', 'CrOS'],
  ['Windows', 'Windows'],
  ['macOS', 'Macintosh'],
  ['Linux', 'Linux'],
]
const maxLength = 500

/** The browser and system that a user agent names, or `other`. The rest of the text is discarded. */
export function deviceKind(userAgent = ''): { browser: string; system: string } {
  const text = userAgent.slice(0, maxLength)
  const first = (of: typeof browsers) => of.find(([, ...signs]) => signs.some((sign) => text.includes(sign)))?.[0]
  return { browser: first(browsers) ?? 'other', system: first(systems) ?? 'other' }
}

/**
 * A browser stores a proof for each of the last people who signed in there. The proof lets a person sign in while
 * strangers guess the password elsewhere, but gives no access. It becomes invalid when the password changes, when the
 * device is forgotten, or when the session that created it is ended from another device.
 */
const maxPeople = 4
/** The maximum devices of a person. Those not seen for longest are forgotten. */
const maxDevices = 20

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

/** The device that a browser's stored proofs belong to; undefined unless this person has signed in there. */
export async function findDevice(
  deps: DeviceDeps,
  person: PersonRecord | undefined,
  text: string | undefined,
): Promise<DeviceRecord | undefined> {
  if (!person || !text) return undefined
  const isOf = (each: Proof) => equalBytes(proofOf(deps.keys, person, each), Buffer.from(each.proof, 'base64url'))
  const found = readProofs(text).find((each) => each.expiresAt > deps.clock.now() && isOf(each))
  const device = found && (await deps.store.accounts.device(found.deviceId))
  return device?.personId === person.personId ? device : undefined
}

type BrowserSigns = { device: string | undefined; userAgent: string | undefined }

/** Returns the proofs to store in the browser after a sign-in or a new password, based on its previous ones. */
export async function rememberDevice(
  deps: DeviceDeps,
  { person, session }: SignedInPerson,
  { device: before, userAgent }: BrowserSigns,
): Promise<string> {
  const { personId } = person
  const nowMs = deps.clock.now()
  const device = { deviceId: deviceIdOf(session), expiresAt: nowMs + deviceLifeMs }
  const earlier = await findDevice(deps, person, before)
  const known = [device.deviceId, ...(earlier ? [earlier.deviceId] : [])]
  const row = { ...device, personId, createdAt: earlier?.createdAt ?? nowMs, seenAt: nowMs, ...deviceKind(userAgent) }
  await deps.store.write([
    { account: { sweep: 'device', before: nowMs } },
    ...known.map((deviceId): StoreChange => ({ account: { drop: 'device', personId, deviceId } })),
    { account: { add: 'device', row } },
    { account: { drop: 'oldDevices', personId, keep: maxDevices } },
  ])
  const proof = proofOf(deps.keys, person, device).toString('base64url')
  const others = readProofs(before ?? '').filter(({ deviceId }) => deviceId !== '' && !known.includes(deviceId))
  return [{ ...device, proof }, ...others].slice(0, maxPeople).map(writeProof).join('~')
}

/** The known devices of a person, most recently seen first. */
export async function findKnownDevices({ store, clock }: DeviceDeps, personId: string): Promise<DeviceRecord[]> {
  return (await store.accounts.devicesOf(personId)).filter(({ expiresAt }) => expiresAt > clock.now())
}

/** Forgets a device of the person, including the one in use, and invalidates its proof. Throws deviceUnknown. */
export async function forgetDevice(
  deps: DeviceDeps,
  { person: { personId } }: SignedInPerson,
  deviceId: string,
  from: string,
): Promise<void> {
  const devices = await findKnownDevices(deps, personId)
  if (!devices.some((each) => each.deviceId === deviceId)) throw fault('deviceUnknown')
  await deps.store.write([
    { account: { drop: 'device', personId, deviceId } },
    auditChange(deps, { by: personId, from }, { what: 'forgetDevice', object: personId, before: { deviceId } }),
  ])
}
