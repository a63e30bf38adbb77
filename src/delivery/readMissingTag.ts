import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { retryUntilDone } from '#kit/retryUntilDone.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { Store } from '#store/store.ts'

/** Reads a tag that this process does not know: another process may just have deployed it. */
export async function readMissingTag(
  tagId: string,
  deps: {
    clock: Clock
    log: Log
    store: Pick<Store, 'deployment'>
    snapshots: Pick<Snapshots, 'get' | 'put'>
    giveUp: AbortSignal
  },
): Promise<void> {
  if (deps.snapshots.get(tagId)) return
  const read = async () => {
    const newest = await deps.store.deployment(tagId)
    if (newest) deps.snapshots.put(newest.snapshot)
  }
  await retryUntilDone('read the tag of a record', read, deps, deps.giveUp)
}
