import { silentLog } from '#kit/log.ts'
import type { Database } from '#postgres/database.ts'
import { registerShards } from '#postgres/shards.ts'
import { openShardedStore, type ShardedStore } from '#store/sharded/shardedStore.ts'
import { openTagShards } from '#store/sharded/tagShards.ts'
import { openPostgresStore } from './postgresStore.ts'
import { createShardReads, createShardRecords } from './shardRecords.ts'

/** The databases of a sharded store. The first shard may be the control database. */
type ShardedDatabases = { control: Database; shards: readonly Database[] }

/** Opens the store of a process. Closing it leaves the databases open. */
export async function openShardedOn({ control, shards }: ShardedDatabases): Promise<ShardedStore> {
  const home = await registerShards(control, shards)
  const store = await openPostgresStore({ database: control })
  const stores = await Promise.all(
    shards.map(async (database, number) => (number === home ? store : openPostgresStore({ database }))),
  )
  return openShardedStore({
    control: store,
    shards: stores,
    records: createShardRecords(control, store.write),
    tagShards: openTagShards(createShardReads(control.sql), shards.length),
    ...(home !== undefined && { home }),
    log: silentLog,
  })
}
