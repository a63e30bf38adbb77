import type { Keyring } from '#account/keyring.ts'
import type { Store } from '#store/store.ts'
import type { ServedHosts } from '#tag/servedHosts.ts'
import type { Snapshot, Snapshots } from './snapshot.ts'

type FindHostDeps = Omit<FindTagDeps, 'snapshots' | 'store'> & {
  store: Pick<Store, 'deployment' | 'hostClaims'>
  snapshots: FindTagDeps['snapshots'] & Pick<Snapshots, 'byHost'>
  servedHosts: Pick<ServedHosts, 'tagOf' | 'put'>
}

export type FindTagDeps = {
  store: Pick<Store, 'deployment'>
  snapshots: Pick<Snapshots, 'get' | 'put' | 'drop'>
  keys: Pick<Keyring, 'findTeamKey'>
}

/**
 * Reads a tag that this process does not know, and its team's keys, from the store: another process may have just
 * deployed it, and the change feed may be late. `sealed`: bytes that the keys must open. Undefined if there is no tag.
 */
export async function findTag(
  tagId: string,
  { store, snapshots, keys }: FindTagDeps,
  sealed?: Uint8Array,
): Promise<Snapshot | undefined> {
  const newest = await store.deployment(tagId)
  if (!newest) return undefined
  await keys.findTeamKey(newest.snapshot.teamId, sealed)
  const known = snapshots.get(tagId)
  if (known && known.number >= newest.snapshot.number) return known
  snapshots.put(newest.snapshot)
  // The tag may have been deleted meanwhile, and the change feed may have reported that before the tag was added
  // here.
  if (!(await store.deployment(tagId))) snapshots.drop(tagId)
  return snapshots.get(tagId)
}

/** Does the same for the tag of a host name. Undefined if no tag is served on it. */
export async function findHost(host: string, deps: FindHostDeps): Promise<Snapshot | undefined> {
  const { store, snapshots, servedHosts } = deps
  const claims = await store.hostClaims({ host })
  if (claims.length === 0) return undefined
  servedHosts.put(host, claims)
  const tagId = servedHosts.tagOf(host)
  if (tagId === undefined) return undefined
  await findTag(tagId, deps)
  // The claim may have been lost meanwhile, and the change feed may have reported that before the claim was added
  // here.
  servedHosts.put(host, await store.hostClaims({ host }))
  return snapshots.byHost(host)
}
