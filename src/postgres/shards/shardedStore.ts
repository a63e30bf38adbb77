import type { Log } from '#kit/log.ts'
import type { ControlStore, DeploymentRecord, Store, StoreWrites, WorkStore } from '#store/store.ts'
import type { PerShard } from './perShard.ts'
import { createShardedJournal, type RetainedJournal, retentionOf } from './shardedJournal.ts'
import {
  createShardedOrders,
  createShardedQueries,
  createShardedReplays,
  createShardedRuns,
  createShardedUsers,
} from './shardedWork.ts'
import { openShardedWrites, type ShardRecords } from './shardedWrites.ts'
import type { TagShards } from './tagShards.ts'

type ShardedStoreOptions = {
  /** The control database. Its work part is empty unless it is a shard. */
  control: ControlStore & WorkStore & Pick<StoreWrites, 'close'>
  records: ShardRecords
  tagShards: TagShards
  /** In the order of their numbers. */
  shards: readonly (WorkStore & StoreWrites)[]
  /** The number of the shard that is also the control database; absent if there is none. */
  home?: number
  log: Log
}

export type ShardedStore = Store & {
  /** The journal of a control database that is not a shard. */
  controlJournal?: RetainedJournal
  /** Writes the deferred changes of shards that were away. */
  writeDeferred(): Promise<void>
}

type DeploymentReads = Pick<ControlStore, 'deployment' | 'deploymentAt' | 'deployments'>

/** Remembers the shards of tags from deployments, so that few tags need a look-up. Callers do not see shards. */
function deploymentReads(control: ControlStore, { learn }: TagShards): DeploymentReads {
  function read(record: DeploymentRecord): DeploymentRecord {
    learn(record.snapshot)
    const { shard: _, ...snapshot } = record.snapshot
    return { ...record, snapshot }
  }
  const readOne = (record: DeploymentRecord | undefined) => record && read(record)
  return {
    deployment: async (tagId, number) => readOne(await control.deployment(tagId, number)),
    deploymentAt: async (tagId, at) => readOne(await control.deploymentAt(tagId, at)),
    deployments: async () => (await control.deployments()).map(read),
  }
}

/** One store for a control database and its event shards. The work part of a tag lies on one shard. */
export function openShardedStore(options: ShardedStoreOptions): ShardedStore {
  const { control, shards, tagShards, home } = options
  const work: PerShard<WorkStore> = {
    all: shards,
    ofTag: async (tagId) => shards[await tagShards.ofTag(tagId)]!,
    async ofScript(scriptId) {
      const shard = await tagShards.ofScript(scriptId)
      return shard === undefined ? shards : [shards[shard]!]
    },
  }
  const writes = openShardedWrites({ ...options, home })
  return {
    ...control,
    ...deploymentReads(control, tagShards),
    ...writes,
    ...(home === undefined && { controlJournal: control.journal }),
    journal: createShardedJournal(work, home === undefined ? control.journal : undefined),
    queries: (teamId) => createShardedQueries(work, teamId),
    replays: createShardedReplays(work),
    runs: createShardedRuns(work),
    orders: createShardedOrders(work),
    users: createShardedUsers(work, tagShards.known),
    async close() {
      await writes.close()
      await Promise.all([...new Set([control, ...shards])].map((each) => each.close()))
    },
  }
}

/**
 * The store of a worker of one shard, which reads and writes only the work part of that shard. `own`: the store of the
 * shard, whose writes need the worker's lease. The worker of the first shard also drops expired rows of a control
 * database that is not a shard.
 */
export function openWorkerStore(all: ShardedStore, own: Store, shard: number): Store {
  const { journal, replays, users, runs, orders } = own
  const extra = shard === 0 ? all.controlJournal : undefined
  return {
    ...all,
    journal: extra ? { ...journal, ...retentionOf([journal, extra]) } : journal,
    replays,
    users,
    runs,
    orders,
    async close() {
      await Promise.all([all.close(), own.close()])
    },
  }
}
