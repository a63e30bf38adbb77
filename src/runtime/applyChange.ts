import type { Keyring } from '#account/keyring.ts'
import { RootKeyError } from '#account/rootKey.ts'
import type { RotatableSealingKeys } from '#account/sealingKeys.ts'
import { type ClusterChange, everythingChanged } from '#cluster/cluster.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { Store } from '#store/store.ts'
import type { ServedHosts } from '#tag/servedHosts.ts'
import { loadVendorList, vendorSetting } from './givenVendorList.ts'

type ApplyChangeDeps = {
  environment: EnvironmentName
  store: Pick<
    Store,
    'deployment' | 'deployments' | 'hostClaims' | 'pausedScripts' | 'script' | 'setting' | 'team' | 'teams'
  >
  snapshots: Pick<Snapshots, 'all' | 'pausedScripts' | 'put' | 'drop' | 'setPaused'>
  servedHosts: Pick<ServedHosts, 'claims' | 'put'>
  keys: Pick<Keyring, 'loadTeamKey'>
  sealingKeys: Pick<RotatableSealingKeys, 'reload'>
  /** A record of the stream was rewritten, so earlier reads of it are stale. */
  noteRewritten(): void
}

async function applyDeployment(tagId: string, { store, snapshots }: ApplyChangeDeps): Promise<void> {
  const newest = await store.deployment(tagId)
  if (newest) snapshots.put(newest.snapshot)
  else snapshots.drop(tagId)
}

async function applyTeamKey(teamId: string, { store, keys }: ApplyChangeDeps): Promise<void> {
  const team = await store.team(teamId)
  if (!team) return
  try {
    keys.loadTeamKey(teamId, team.sealedKey)
  } catch (problem) {
    // The root key is changing, and this process only has the previous one until its restart: later changes must not wait.
    if (!(problem instanceof RootKeyError)) throw problem
  }
}

/** Reloads all in-memory state from the store. */
async function applyEverything(deps: ApplyChangeDeps): Promise<void> {
  const { store, snapshots, servedHosts, keys, sealingKeys } = deps
  for (const { teamId, sealedKey } of await store.teams()) keys.loadTeamKey(teamId, sealedKey)
  await sealingKeys.reload()
  const live = new Map((await store.deployments()).map(({ snapshot }) => [snapshot.tagId, snapshot]))
  for (const { tagId } of snapshots.all()) if (!live.has(tagId)) snapshots.drop(tagId)
  for (const snapshot of live.values()) snapshots.put(snapshot)
  const claims = Map.groupBy(await store.hostClaims('all'), ({ host }) => host)
  for (const { host } of servedHosts.claims()) if (!claims.has(host)) servedHosts.put(host, [])
  for (const [host, ofHost] of claims) servedHosts.put(host, ofHost)
  const paused = new Set(await store.pausedScripts())
  for (const scriptId of snapshots.pausedScripts()) if (!paused.has(scriptId)) snapshots.setPaused(scriptId, false)
  for (const scriptId of paused) snapshots.setPaused(scriptId, true)
  await loadVendorList(deps)
}

/**
 * Applies a change of the change feed to the in-memory state of this process. It reads the present state from the store,
 * so that a change may be applied twice or after a later one. Tokens, sessions and vendor pauses are always read from the
 * store.
 */
export async function applyChange({ kind, id }: ClusterChange, deps: ApplyChangeDeps): Promise<void> {
  if (kind === 'deployment' || kind === 'tagDropped') await applyDeployment(id, deps)
  else if (kind === 'hosts') deps.servedHosts.put(id, await deps.store.hostClaims({ host: id }))
  else if (kind === 'paused') deps.snapshots.setPaused(id, (await deps.store.script(id))?.paused === true)
  else if (kind === 'teamKey') await applyTeamKey(id, deps)
  else if (kind === 'sealingKeys') await deps.sealingKeys.reload()
  else if (kind === 'setting' && id === vendorSetting) await loadVendorList(deps)
  else if (kind === 'rewritten') deps.noteRewritten()
  else if (kind === everythingChanged.kind) await applyEverything(deps)
}
