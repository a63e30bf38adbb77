import type { Keyring } from '#account/keyring.ts'
import type { Store } from '#store/store.ts'
import type { Snapshot, Snapshots } from './snapshot.ts'

export type FindTagDeps = {
  store: Pick<Store, 'deployment'>
  snapshots: Pick<Snapshots, 'get' | 'put' | 'drop'>
  keys: Pick<Keyring, 'findTeamKey'>
}

/**
 * Reads a tag from the store that this process does not know, with the keys of its team: another process may just have
 * deployed it, and the change feed is late. `sealed`: bytes that the keys are to open. Undefined if there is no tag.
 */
export async function findTag(
  tagId: string,
  { store, snapshots, keys }: FindTagDeps,
  sealed?: Uint8Array,
): Promise<Snapshot | undefined> {
  const newest = await store.deployment(tagId)
  if (!newest) return undefined
  await keys.findTeamKey(newest.snapshot.teamId, sealed)
  if (snapshots.get(tagId)) return snapshots.get(tagId)
  snapshots.put(newest.snapshot)
  // The tag may have been deleted meanwhile, and the change feed may have said so before it was put here.
  if (!(await store.deployment(tagId))) snapshots.drop(tagId)
  return snapshots.get(tagId)
}
