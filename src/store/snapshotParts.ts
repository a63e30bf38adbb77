import { createHash } from 'node:crypto'
import { channelRulesOf } from '#contract/rule/channelRules.ts'
import type { Snapshot, SnapshotScript } from './snapshot.ts'
import type { ScriptRecord } from './store.ts'

/**
 * A part of a snapshot: a script, or a group of its settings. It is identified by the hash of its text, so that the
 * deployments of a tag and its saved scripts share equal parts.
 */
type SnapshotPart = { hash: string; body: string; scriptId?: string }

type PartValue = Partial<Snapshot> | SnapshotScript

/** Settings that may be long have their own parts, so that a change of another setting does not copy them. */
const longSettings = ['allowedOrigins', 'hosts', 'plugins'] as const

/** 128 bits: nobody can find different texts with equal hashes, even if they choose the texts. */
const hashBytes = 16

/** Rejects other texts, because PostgreSQL cannot read a list that contains a NUL. */
export const isPartHash = (text: string): boolean => /^[\w-]{22}$/.test(text)

const hashes = new WeakMap<object, string>()

const hashOf = (body: string) => createHash('sha256').update(body).digest().subarray(0, hashBytes).toString('base64url')

function toPart(value: PartValue): SnapshotPart {
  const body = JSON.stringify(value)
  const hash = hashes.get(value) ?? hashOf(body)
  hashes.set(value, hash)
  return { hash, body, ...('scriptId' in value && { scriptId: value.scriptId }) }
}

/** Converts a saved script to its form in a snapshot. */
export const toSnapshotScript = ({
  scriptId,
  name,
  providerId,
  consentCategory,
  geoRegions,
  ...rest
}: ScriptRecord): SnapshotScript => ({
  scriptId,
  name,
  providerId,
  ...(consentCategory !== undefined && { consentCategory }),
  ...(geoRegions !== undefined && { geoRegions }),
  purchaseValueMode: rest.purchaseValueMode ?? 'gross',
  ...channelRulesOf(rest),
  secrets: rest.secrets,
})

/** The part of a saved script. It is already stored when the script is published. */
export const savedPart = (script: ScriptRecord): SnapshotPart => toPart(toSnapshotScript(script))

/** The settings as parts, in a fixed order. The tag and the number are stored in the deployment. */
function settingsParts({ tagId: _, number: __, scripts: ___, ...settings }: Snapshot): SnapshotPart[] {
  const isLong = (name: string) => (longSettings as readonly string[]).includes(name)
  const members = Object.entries(settings).filter(([, value]) => value !== undefined)
  const short = Object.fromEntries(members.filter(([name]) => !isLong(name)))
  const long = members.filter(([name]) => isLong(name)).map(([name, value]) => ({ [name]: value }))
  return [short, ...long].map((each) => toPart(each))
}

/** The parts of a snapshot, in the order that `joinParts` expects. */
const splitSnapshot = (snapshot: Snapshot): SnapshotPart[] => [
  ...settingsParts(snapshot),
  ...snapshot.scripts.map(toPart),
]

/**
 * The parts that the previous deployment of the tag does not have. Scripts that are the same object in both are
 * skipped.
 */
export function newParts(snapshot: Snapshot, previous: Snapshot | undefined): SnapshotPart[] {
  if (!previous) return splitSnapshot(snapshot)
  const shared = new Set(previous.scripts)
  const known = new Set(settingsParts(previous).map(({ hash }) => hash))
  const scripts = snapshot.scripts.filter((script) => !shared.has(script))
  return [...settingsParts(snapshot), ...scripts.map(toPart)].filter(({ hash }) => !known.has(hash))
}

/** The hashes of the parts of a snapshot. */
export const partHashes = (snapshot: Snapshot): string[] => [
  ...settingsParts(snapshot).map(({ hash }) => hash),
  ...snapshot.scripts.map((script) => hashes.get(script) ?? toPart(script).hash),
]

/** Parses a part. Equal parts of one read share one object. */
export function readPart({ hash, body }: Pick<SnapshotPart, 'hash' | 'body'>): PartValue {
  const value = JSON.parse(body) as PartValue
  hashes.set(value, hash)
  return value
}

/**
 * The snapshot of a deployment. Absent parts are left out, so that two deployments can be compared by their
 * differences.
 */
export function joinParts(
  { tagId, number, parts }: { tagId: string; number: number; parts: readonly string[] },
  values: ReadonlyMap<string, PartValue>,
): Snapshot {
  const found = parts.flatMap((hash) => values.get(hash) ?? [])
  const scripts = found.filter((each): each is SnapshotScript => 'scriptId' in each)
  const settings = found.filter((each) => !('scriptId' in each))
  return Object.assign({}, ...settings, { tagId, number, scripts }) as Snapshot
}
