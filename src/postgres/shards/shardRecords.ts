import type { Database, Sql } from '#postgres/database.ts'
import { repeatUnknown } from '#postgres/repeatWhileAway.ts'
import type { StoreChange } from '#store/store.ts'
import type { DeferredWrite, ShardRecords } from './shardedWrites.ts'
import type { ShardReads } from './tagShards.ts'

/** Newer writes are still tried by the process that was called. */
const selectDeferred = `
  SELECT id, shard, changes FROM deferred_write WHERE at < now() - interval '5 seconds' ORDER BY no LIMIT 1000`
const insertDeferred = `
  INSERT INTO deferred_write (id, shard, changes)
  SELECT * FROM unnest($1::text[], $2::int[], $3::text[]) AS deferred (id, shard, changes)`
const placeTags = `
  UPDATE tag SET shard = placed.shard FROM unnest($1::text[], $2::int[]) AS placed (id, shard) WHERE tag.id = placed.id`

/** Further writes in the transaction of a write of the control part. */
type AlsoWrite = (sql: Sql) => Promise<void>

/** `write` writes changes to the control database, and further rows in the same transaction. */
export function createShardRecords(
  { sql }: Pick<Database, 'sql'>,
  write: (changes: readonly StoreChange[], also: AlsoWrite) => Promise<void>,
): ShardRecords {
  return {
    ...createShardReads(sql),
    write: (changes, { tagShards, deferred }) =>
      write(changes, async (each) => {
        if (tagShards.size > 0) await each(placeTags, [[...tagShards.keys()], [...tagShards.values()]])
        if (deferred.length === 0) return
        const texts = deferred.map((one) => JSON.stringify(one.changes))
        await each(insertDeferred, [deferred.map(({ id }) => id), deferred.map(({ shard }) => shard), texts])
      }),
    async deferred() {
      const rows = await sql<{ id: string; shard: number; changes: string }>(selectDeferred)
      return rows.map((row): DeferredWrite => ({ ...row, changes: JSON.parse(row.changes) }))
    },
    async dropDeferred(id) {
      await repeatUnknown(() => sql('DELETE FROM deferred_write WHERE id = $1', [id]))
    },
  }
}

export const createShardReads = (sql: Sql): ShardReads => ({
  async shardOfTag(tagId) {
    const [row] = await sql<{ shard: number }>('SELECT shard FROM tag WHERE id = $1', [tagId])
    return row?.shard
  },
  async tagCounts() {
    const rows = await sql<{ shard: number; count: number }>('SELECT shard, count(*) AS count FROM tag GROUP BY shard')
    return new Map(rows.map(({ shard, count }) => [shard, count]))
  },
  async tagOfScript(scriptId) {
    const [row] = await sql<{ tag: string }>('SELECT tag FROM script WHERE id = $1', [scriptId])
    return row?.tag
  },
})
