import { silentLog } from '#kit/log.ts'
import type { Database } from '#postgres/database.ts'
import { openPostgresStore } from '#store/postgres/postgresStore.ts'
import { openShardedStore, type ShardedStore } from './shardedStore.ts'
import { registerShards } from './shardList.ts'
import { createShardReads, createShardRecords } from './shardRecords.ts'
import { openTagShards } from './tagShards.ts'

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
