import type { Keyring } from '#account/keyring.ts'
import type { RootKeys } from '#account/rootKey.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { deriveKey } from '#kit/cipher.ts'
import { readSealedFile, writeSealedFile } from '#kit/sealedFile.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { Snapshot } from '#store/snapshot.ts'
import type { HostClaim, SealingKeyPair, Store } from '#store/store.ts'
import type { ServedHosts } from '#tag/servedHosts.ts'

/** An older file is too outdated to serve the tags. */
const maxAgeMs = 86_400_000
/** Tolerance for a correction of this machine's clock since the file was written. */
const maxAheadMs = 60_000

/** The data that an edge reads from its database at a start. Keys are sealed with the root key. */
export type EdgeFile = {
  /** By this machine's clock (epoch ms). */
  writtenAt: number
  settings: Record<string, string>
  teams: { teamId: string; sealedKey: Uint8Array }[]
  snapshots: Snapshot[]
  claims: HostClaim[]
  pausedScripts: string[]
  sealingKeys: SealingKeyPair[]
}

type Row =
  | { head: Pick<EdgeFile, 'writtenAt' | 'settings' | 'pausedScripts'> & { format: 1 } }
  | { teamId: string; sealedKey: string }
  | { sealingKey: Omit<SealingKeyPair, 'sealedPrivate'>; sealedPrivate: string }
  | { claim: HostClaim }
  | { snapshot: Snapshot }

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const keyOf = ({ inUse }: RootKeys, environment: EnvironmentName) =>
  deriveKey(inUse, `aglet 1 ${environment} edge file`)

function* rowsOf({ teams, sealingKeys, claims, snapshots, ...head }: EdgeFile): Generator<Row> {
  yield { head: { ...head, format: 1 } }
  for (const { teamId, sealedKey } of teams) yield { teamId, sealedKey: base64(sealedKey) }
  for (const { sealedPrivate, ...sealingKey } of sealingKeys) yield { sealingKey, sealedPrivate: base64(sealedPrivate) }
  for (const claim of claims) yield { claim }
  for (const snapshot of snapshots) yield { snapshot }
}

function toEdgeFile(rows: readonly Row[]): EdgeFile {
  const [first, ...more] = rows
  if (!first || !('head' in first) || first.head.format !== 1) throw new Error('The file has an unsupported version.')
  const { format: _, ...head } = first.head
  const file: EdgeFile = { ...head, teams: [], sealingKeys: [], claims: [], snapshots: [] }
  for (const row of more)
    if ('snapshot' in row) file.snapshots.push(row.snapshot)
    else if ('claim' in row) file.claims.push(row.claim)
    else if ('teamId' in row) file.teams.push({ ...row, sealedKey: Buffer.from(row.sealedKey, 'base64') })
    else if ('sealingKey' in row)
      file.sealingKeys.push({ ...row.sealingKey, sealedPrivate: Buffer.from(row.sealedPrivate, 'base64') })
  return file
}

type EdgeFilePlace = { path: string; environment: EnvironmentName; rootKeys: RootKeys }

export const writeEdgeFile = ({ path, environment, rootKeys }: EdgeFilePlace, file: EdgeFile): Promise<void> =>
  writeSealedFile(path, keyOf(rootKeys, environment), rowsOf(file))

/**
 * Reads the file; undefined if there is none. Throws an Error if it was written more than a day ago or in the future, was
 * changed, or belongs to another root key, environment or version.
 */
export async function readEdgeFile(
  { path, environment, rootKeys }: EdgeFilePlace,
  nowMs: number,
): Promise<EdgeFile | undefined> {
  const rows = await readSealedFile(path, keyOf(rootKeys, environment))
  if (!rows) return undefined
  const file = toEdgeFile(rows as Row[])
  const ageMs = nowMs - file.writtenAt
  if (ageMs > maxAgeMs) throw new Error('The file is more than a day old.')
  if (ageMs < -maxAheadMs) throw new Error('The file has a time in the future: the clock of this machine was set back.')
  return file
}

/** The store for a starting edge: reads from the file until the database responds. */
export function storeWithEdgeFile(store: Store, file: EdgeFile, isAway: () => boolean): Store {
  const orFile =
    <Parameters extends unknown[], Result>(
      read: (...parameters: Parameters) => Promise<Result>,
      fromFile: (...parameters: Parameters) => Result,
    ) =>
    async (...parameters: Parameters): Promise<Result> =>
      isAway() ? fromFile(...parameters) : read(...parameters)
  const hostClaims = async (of: Parameters<Store['hostClaims']>[0]) =>
    isAway() && of === 'all' ? file.claims : store.hostClaims(of)
  return {
    ...store,
    hostClaims,
    setting: orFile(store.setting, (name) => file.settings[name]),
    teams: orFile(store.teams, () => file.teams.map((team) => ({ ...team, name: '', createdAt: 0 }))),
    pausedScripts: orFile(store.pausedScripts, () => file.pausedScripts),
    sealingKeys: orFile(store.sealingKeys, () => file.sealingKeys),
    deployments: orFile(store.deployments, () =>
      file.snapshots.map((snapshot) => ({
        ...{ tagId: snapshot.tagId, number: snapshot.number, snapshot },
        ...{ by: '', createdAt: file.writtenAt },
      })),
    ),
  }
}

type EdgeState = {
  keys: Pick<Keyring, 'sealedTeamKey' | 'sealedEnvironmentKey'>
  snapshots: Pick<Snapshots, 'all' | 'pausedScripts'>
  servedHosts: Pick<ServedHosts, 'claims'>
  settings: Record<string, string>
  sealingKeys: SealingKeyPair[]
}

/** The in-memory state of this process, for the file. */
export function edgeFileOf(
  { keys, snapshots, servedHosts, settings, sealingKeys }: EdgeState,
  nowMs: number,
): EdgeFile {
  const live = snapshots.all()
  const teamIds = new Set(live.map(({ teamId }) => teamId))
  return {
    ...{ settings, sealingKeys, writtenAt: nowMs },
    teams: [...teamIds].map((teamId) => ({ teamId, sealedKey: keys.sealedTeamKey(teamId) })),
    snapshots: live,
    claims: servedHosts.claims(),
    pausedScripts: snapshots.pausedScripts(),
  }
}
