import { setTimeout as wait } from 'node:timers/promises'
import { allSlots, noSpread, slotOf, slotOfUser, type TagSpread } from '#cluster/slotOf.ts'
import { createBatcher } from '#kit/batcher.ts'
import type { Clock } from '#kit/clock.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import { localBoundsSeconds, type Meter, noMeter } from '#kit/meter.ts'
import { toBinaryArray, toBinaryFields } from '#postgres/binaryArrays.ts'
import type { Database, Sql } from '#postgres/database.ts'
import { isAway } from '#postgres/databaseError.ts'
import { flushSizes } from '#postgres/flushSizes.ts'
import { type Ownership, ownerTransaction } from '#postgres/ownership.ts'
import { repeatWhileAway } from '#postgres/repeatWhileAway.ts'
import { checkEntry } from '#stream/checkEntry.ts'
import { dayOf } from '#stream/days.ts'
import type { SharedStream } from '#stream/sharedStream.ts'
import type { EventPlace } from '#stream/stream.ts'
import { type AppendDeps, appendGroup } from './appendGroup.ts'
import { openAppendNotices } from './appendNotices.ts'
import { openBodies } from './bodies.ts'
import { openLeases, type SlotLeases } from './leases.ts'
import type { SlottedEntry } from './packRecords.ts'
import { generationsAt, oldestPlace } from './positions.ts'
import { nextTransaction } from './readTodo.ts'
import type { TodoRow } from './slotCursors.ts'
import { openStreamTables, type StreamTables, seenTable } from './streamTables.ts'
import { trimStream } from './trimStream.ts'

export type PostgresStreamOptions = {
  database: Database
  /**
   * The database time (see `DatabaseClock`), for the time of records and the expiry of keys. The times of two processes
   * may differ by less than five minutes.
   */
  clock: Pick<Clock, 'now'>
  meter?: Meter
  /** The number of the database among the event shards of the environment: 0, the default, to 63. */
  shard?: number
  /** A clock that is never set (ms). Default: the time since the start of the process. */
  monotonicMs?(): number
  /** The slots that are leased and settled. Absent: only this process leases. */
  ownership?: Ownership
  /** The tags whose new events are spread over several slots. They are registered already. */
  spread?: TagSpread
}

const groupBytes = 4 * 1024 * 1024
/** After a smaller group, the next one is collected for this time: in a larger group, each record costs less. */
const gatherMs = 5
const largeGroup = 64

const weigh = ({ payload, keys, others }: SlottedEntry) => payload.length + (keys.length + (others?.length ?? 0)) * 16

const slotForIn = (spread: TagSpread) => (tagId: string, userId: string) => {
  const count = spread.get(tagId)
  return count === undefined ? undefined : slotOfUser(tagId, userId, count)
}

/** Collects entries into groups. Each group is one statement. */
const appendBatcher = (
  deps: AppendDeps,
  { appended, isClosed, meter }: Pick<SlotLeases, 'appended'> & { isClosed(): boolean; meter: Meter },
) => {
  const records = meter.counter('aglet_append_records_total', 'Records that were stored in the database.')
  const help = 'Time to store a group of records in the database, its confirmation by standbys included.'
  const duration = meter.histogram('aglet_append_duration_seconds', help, localBoundsSeconds)
  const sizes = flushSizes(meter, 'records')
  return createBatcher<SlottedEntry, readonly boolean[]>(
    async (group) => {
      const startedAt = performance.now()
      const entries = group.map(({ unit }) => unit)
      const isNew = await appendGroup(entries, deps)
      records.add(entries.length)
      sizes.record(entries.length)
      duration.record((performance.now() - startedAt) / 1_000)
      appended(entries.map(({ slot }) => slot))
      for (const [index, { resolve }] of group.entries()) resolve(isNew[index]!)
      if (group.length < largeGroup && !isClosed()) await wait(Math.max(1, gatherMs - (performance.now() - startedAt)))
    },
    { limit: groupBytes, weigh },
  )
}

// Looks up each row by its key. A join could read the whole table, whose size changes all the time.
const byKeys = `
  DELETE FROM todo WHERE ctid = ANY(ARRAY(
    SELECT t.ctid FROM unnest($1::int[], $2::bigint[], $3::bigint[]) AS d(slot, xid, position) CROSS JOIN LATERAL (
      SELECT ctid FROM todo WHERE slot = d.slot AND xid = d.xid AND position = d.position LIMIT 1
    ) t
  ))`
const byPositions = 'DELETE FROM todo WHERE slot = ANY($1::int[]) AND position = ANY($2::bigint[])'

/**
 * Deletes these positions from the waiting records. `known`: returns the row of a record that was leased here. Other
 * positions are searched in `slots`.
 */
async function settleRecords(
  positions: readonly number[],
  { known, slots }: { known(position: number): TodoRow | undefined; slots: readonly number[] },
  sql: Sql,
): Promise<void> {
  const rows = positions.flatMap((position) => known(position) ?? [])
  if (rows.length > 0) await sql(byKeys, toBinaryFields(rows, { slot: 'int4', xid: 'int8', position: 'int8' }))
  const others = positions.filter((position) => !known(position))
  if (others.length > 0) await sql(byPositions, [toBinaryArray('int4', slots), toBinaryArray('int8', others)])
}

type SettleDeps = {
  database: Database
  ownership: Ownership | undefined
  slots(): readonly number[]
  leases: SlotLeases
  meter: Meter
}

/** Collects settled positions into groups. Each group is one transaction. */
const settleBatcher = ({ database, ownership, slots, leases, meter }: SettleDeps) => {
  const sizes = flushSizes(meter, 'settled')
  return createBatcher<readonly number[], void>(
    async (group) => {
      const positions = [...new Set(group.flatMap(({ unit }) => unit))]
      const known = { known: leases.known, slots: slots() }
      await repeatWhileAway(() => ownerTransaction(database, ownership, (sql) => settleRecords(positions, known, sql)))
      sizes.record(positions.length)
      leases.settled(positions)
      for (const { resolve } of group) resolve()
    },
    { limit: Number.POSITIVE_INFINITY, weigh: () => 0 },
  )
}

/**
 * The first transaction that has not begun yet. If the database is away while a process starts, any record may be
 * planned already. A worker opens its own stream later, which requires the database.
 */
async function openedAt({ database, ownership }: PostgresStreamOptions): Promise<number> {
  try {
    return await nextTransaction(database)
  } catch (error) {
    if (ownership || !isAway(error)) throw error
    return Number.MAX_SAFE_INTEGER
  }
}

/** Opens the stream in the schema of the database, which is migrated. Closing it leaves the database open. */
export async function openPostgresStream(options: PostgresStreamOptions): Promise<SharedStream> {
  const { database, clock, ownership, shard = 0, meter = noMeter, spread = noSpread } = options
  const { monotonicMs = performance.now.bind(performance) } = options
  const tables = openStreamTables(database)
  const bodies = openBodies(database, tables.days)
  const slots = () => ownership?.slots() ?? allSlots
  const leases = openLeases({ database, bodies, slots, monotonicMs, openedAt: await openedAt(options) })
  const notices = openAppendNotices(database, { monotonicMs })
  const inTurn = keyedMutex()
  let rewritten = 0
  let closed = false

  const appends = appendBatcher(
    { database, tables, clock, shard },
    {
      appended(appended) {
        leases.appended(appended)
        notices.appended(appended)
      },
      isClosed: () => closed,
      meter,
    },
  )
  const settles = settleBatcher({ database, ownership, slots, leases, meter })
  return {
    async append(entry) {
      checkEntry(entry)
      return appends.add({ ...entry, slot: entry.slot ?? slotOf(entry.tagId), addedAt: performance.now() })
    },
    ...(spread.size > 0 && { slotFor: slotForIn(spread) }),
    lease: leases.lease,
    async settle(positions) {
      if (positions.length > 0) await settles.add(positions)
    },
    read: async (position) => (await bodies.readMany([position]))[0],
    rewrite: (position, change) =>
      inTurn(String(position), async () => {
        if (await bodies.rewrite(position, change)) rewritten++
      }),
    rewritten: () => rewritten,
    find: (key) => findPlace(BigInt.asIntN(64, key), { database, tables, clock }),
    async waiting() {
      const [row] = await database.sql<{ count: number }>(
        'SELECT count(*) AS count FROM todo WHERE slot = ANY($1::int[])',
        [slots()],
      )
      return row!.count
    },
    trim: (beforeMs, guard) =>
      trimStream({ beforeMs, nowMs: clock.now(), spare: guard }, { database, tables, isClosed: () => closed }),
    forgetSlots: leases.forget,
    slotsGained: leases.gain,
    noteRewritten: () => void rewritten++,
    async close() {
      closed = true
      await Promise.all([leases.close(), appends.close(), settles.close()])
      await notices.close()
    },
  }
}

/** The last place at which a key was stored, while the key is kept. */
async function findPlace(
  key: bigint,
  { database, tables, clock }: Pick<PostgresStreamOptions, 'database' | 'clock'> & { tables: StreamTables },
): Promise<EventPlace | undefined> {
  const nowMs = clock.now()
  const generations = generationsAt(nowMs)
  const texts = [...generations.stored, ...generations.probed].map(
    (generation) => `SELECT place FROM ${seenTable(generation)} WHERE key = $1 AND place >= $2`,
  )
  const rows = await tables.using(dayOf(nowMs), generations, () =>
    database.sql<EventPlace>(
      `SELECT place >> 9 AS position, (place & 511)::int AS index FROM (${texts.join(' UNION ALL ')}) AS s
       ORDER BY place DESC LIMIT 1`,
      [key, oldestPlace(nowMs)],
    ),
  )
  return rows[0]
}
