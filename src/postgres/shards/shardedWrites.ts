import { openActivity } from '#kit/activity.ts'
import { newId } from '#kit/id.ts'
import type { Log } from '#kit/log.ts'
import { Conflict, PartlyWritten, type StoreChange, type StoreWrites } from '#store/store.ts'
import { controlPlace, isBulk, splitChanges } from './splitChanges.ts'
import type { ShardReads, TagShards } from './tagShards.ts'

/** Deferred changes of a shard, which may already be written. They are idempotent. */
export type DeferredWrite = { id: string; shard: number; changes: readonly StoreChange[] }

/** The records of the control database about the shards. */
export type ShardRecords = ShardReads & {
  /** Writes changes of the control part, the shards of new tags, and deferred changes of shards, in one transaction. */
  write(
    changes: readonly StoreChange[],
    more: { tagShards: ReadonlyMap<string, number>; deferred: readonly DeferredWrite[] },
  ): Promise<void>
  /** Deferred changes that are some seconds old, oldest first. */
  deferred(): Promise<DeferredWrite[]>
  dropDeferred(id: string): Promise<void>
}

type ShardedWritesDeps = {
  records: ShardRecords
  shards: readonly Pick<StoreWrites, 'write'>[]
  home: number | undefined
  tagShards: TagShards
  log: Log
}

type ShardedWrites = StoreWrites & {
  /** Writes the deferred changes of shards that were away. */
  writeDeferred(): Promise<void>
}

/** Assigns a shard to new tags, and to each deployment the shard of its tag. */
async function placeTags(changes: readonly StoreChange[], { ofTag, choose }: TagShards) {
  const chosen = new Map<string, number>()
  for (const each of changes) if ('add' in each && each.add === 'tag') chosen.set(each.row.tagId, await choose())
  const find = async (tagId: string) => chosen.get(tagId) ?? (await ofTag(tagId))
  const placed: StoreChange[] = []
  for (const each of changes) {
    const isDeployment = 'add' in each && each.add === 'deployment'
    const shard = isDeployment ? await find(each.row.tagId) : 0
    if (isDeployment && shard > 0)
      placed.push({ ...each, row: { ...each.row, snapshot: { ...each.row.snapshot, shard } } })
    else placed.push(each)
  }
  return { chosen, find, placed }
}

/**
 * Writes changes to the databases that have their rows. Changes for several databases are written to the control
 * database first, together with the deferred changes of the shards. A shard that is away gets them later: the call
 * succeeds.
 */
export function openShardedWrites({ records, shards, home, tagShards, log }: ShardedWritesDeps): ShardedWrites {
  const all = shards.map((_, number) => number)
  const writeTo = (place: number, changes: readonly StoreChange[], chosen: ReadonlyMap<string, number>) =>
    place === controlPlace ? records.write(changes, { tagShards: chosen, deferred: [] }) : shards[place]!.write(changes)

  /** Resolves to whether the changes are written, now or earlier. */
  async function settle({ id, shard, changes }: DeferredWrite): Promise<boolean> {
    try {
      await shards[shard]!.write(changes).catch((error) => {
        if (!(error instanceof Conflict)) throw error // a conflict: an earlier run has written the changes
      })
      await records.dropDeferred(id)
      return true
    } catch (error) {
      log({ level: 'warn', message: 'could not write a change to an event shard; retrying later', shard, error })
      return false
    }
  }
  async function writeEach(split: ReadonlyMap<number, StoreChange[]>, chosen: ReadonlyMap<string, number>) {
    const parts = [...split]
    const results = await Promise.allSettled(parts.map(([place, own]) => writeTo(place, own, chosen)))
    const unwritten = parts.filter((_, n) => results[n]!.status === 'rejected').flatMap(([, own]) => own)
    const failed = results.find((each) => each.status === 'rejected')
    if (!failed) return
    if (parts.length === 1) throw failed.reason
    throw new PartlyWritten('could not write to an event shard', { unwritten, cause: failed.reason })
  }
  async function write(changes: readonly StoreChange[]): Promise<void> {
    const { chosen, find, placed } = await placeTags(changes, tagShards)
    const places = { all, ofTag: find, ofScript: tagShards.ofScript }
    const split = await splitChanges(placed, places, home)
    if (split.size <= 1 || placed.every(isBulk)) return writeEach(split, chosen)
    const deferred = [...split].flatMap(([shard, own]): DeferredWrite[] =>
      shard === controlPlace ? [] : [{ id: newId('def', Date.now()), shard, changes: own }],
    )
    await records.write(split.get(controlPlace) ?? [], { tagShards: chosen, deferred })
    await Promise.all(deferred.map(settle))
  }
  const activity = openActivity()
  let isClosed = false
  return {
    async write(changes) {
      if (isClosed) throw new Error('the store is closed')
      await activity.run(() => write(changes))
    },
    async writeDeferred() {
      const away = new Set<number>()
      for (const each of await records.deferred())
        if (!away.has(each.shard) && !(await settle(each))) away.add(each.shard)
    },
    async close() {
      isClosed = true
      await activity.ended()
    },
  }
}
