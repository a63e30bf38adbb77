import type { Keyring } from '#account/keyring.ts'
import { fault } from '#contract/fault.ts'
import { equalBytes } from '#kit/cipher.ts'
import type { DeviceRecord, PersonRecord } from '#store/accounts.ts'
import type { StoreChange } from '#store/store.ts'
import { type AccountDeps, auditChange } from './accountDeps.ts'
import { deviceIdOf, deviceLifeMs, type SignedInPerson } from './session.ts'

/** The first that a user agent names, in this order: each browser below also names some of those after it. */
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

/** The kind of a browser and its system, as it says of itself, or `other`. Everything else of the text is left out. */
export function deviceKind(userAgent = ''): { browser: string; system: string } {
  const text = userAgent.slice(0, maxLength)
  const first = (of: typeof browsers) => of.find(([, ...signs]) => signs.some((sign) => text.includes(sign)))?.[0]
  return { browser: first(browsers) ?? 'other', system: first(systems) ?? 'other' }
}

/**
 * A browser in which a person has signed in keeps a proof of it, one for each of its last people. With it the person can
 * sign in while strangers guess the password elsewhere. It gives no access. It ends with the password, when the device is
 * forgotten, and when the session in which it was given is ended from another device.
 */
const maxPeople = 4
/** The devices of a person that were seen longest ago are forgotten beyond this number. */
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

/** The device by what its browser keeps; undefined unless this person has signed in there. */
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

/** What a request says of its browser: what the browser keeps, and its `User-Agent`. */
type BrowserSigns = { device: string | undefined; userAgent: string | undefined }

/** What the device keeps once a person has signed in there, or has a new password, from what it kept before. */
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

/** The known devices of a person, the one seen last first. */
export async function findKnownDevices({ store, clock }: DeviceDeps, personId: string): Promise<DeviceRecord[]> {
  return (await store.accounts.devicesOf(personId)).filter(({ expiresAt }) => expiresAt > clock.now())
}

/** Forgets a device of the person, or their own: what its browser keeps is then worth nothing. Throws deviceUnknown. */
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
