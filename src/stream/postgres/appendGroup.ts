import { randomBytes } from 'node:crypto'
import type { Clock } from '#kit/clock.ts'
import { toBinaryArray, toBinaryColumns, toBinaryFields } from '#postgres/binaryArrays.ts'
import type { Database, SqlValue } from '#postgres/database.ts'
import { CommitUnknown } from '#postgres/databaseError.ts'
import { repeatWhileAway } from '#postgres/repeatWhileAway.ts'
import { dayOf } from '#stream/days.ts'
import { appendStatement } from './appendStatement.ts'
import { type CandidateEvent, candidatesOf, type SlottedEntry } from './packRecords.ts'
import { dayOfPosition, generationsAt, oldestPlace } from './positions.ts'
import { bodyTable, type StreamTables, seenTable } from './streamTables.ts'

/** `shard`: the number in the positions of new records. */
export type AppendDeps = { database: Database; tables: StreamTables; clock: Pick<Clock, 'now'>; shard: number }

/** The time limit for storing an entry. The first entry of a group was added first. */
const repeatForMs = 5_000

type Group = { entries: readonly SlottedEntry[]; candidates: readonly CandidateEvent[]; mark: bigint }

/**
 * Stores the entries of a group in one statement. Resolves to whether each event of each entry is new. While the
 * database is away, the statement is repeated until the first entry has waited for five seconds; then the DatabaseError
 * is thrown.
 */
export async function appendGroup(entries: readonly SlottedEntry[], deps: AppendDeps): Promise<boolean[][]> {
  const mark = randomBytes(8).readBigInt64BE()
  const group: Group = { entries, candidates: candidatesOf(entries), mark }
  const isNew = entries.map(({ keys }) => keys.map(() => false))
  if (group.candidates.length === 0) return isNew
  let mayBeStored = false
  await repeatWhileAway(
    async () => {
      await appendOnce(group, isNew, deps)
      if (mayBeStored) await addStored(group, isNew, deps)
    },
    {
      forMs: repeatForMs - (performance.now() - entries[0]!.addedAt),
      failed(error) {
        mayBeStored ||= error instanceof CommitUnknown
      },
    },
  )
  return isNew
}

async function appendOnce(
  { entries, candidates, mark }: Group,
  isNew: boolean[][],
  { database, tables, clock, shard }: AppendDeps,
): Promise<void> {
  const nowMs = clock.now()
  const shape = { day: dayOf(nowMs), shard, generations: generationsAt(nowMs) }
  const hasOthers = candidates.some(({ other }) => other !== 0n)
  const events = candidates.map(({ key, record, index, other }) => [key, (record << 9) | index, other])
  const [keys, refs, others] = toBinaryColumns(events, ['int8', 'int4', 'int8'])
  const records = entries.map(({ tagId, slot, keys: ofEvents, payload }) => [tagId, slot, ofEvents.length, payload])
  const columns = toBinaryColumns(records, ['text', 'int4', 'int4', 'bytea'])
  const values: SqlValue[] = [keys!, refs!, ...columns, oldestPlace(nowMs), nowMs, mark]
  const text = appendStatement({ ...shape, hasOthers })
  const rows = await tables.using(shape.day, shape.generations, () =>
    database.sql<{ record: number; new_indexes: number[] | null }>(text, hasOthers ? [...values, others!] : values),
  )
  for (const { record, new_indexes } of rows) {
    const flags = isNew[record - 1]!
    if (new_indexes) for (const index of new_indexes) flags[index] = true
    else flags.fill(true)
  }
}

/**
 * Counts events as new that an earlier run of the same statement has stored, if its answer was lost. Call it after a
 * repetition, which has waited for the earlier run: that run may have committed late.
 */
async function addStored(
  { candidates, mark }: Group,
  isNew: boolean[][],
  { database, clock }: AppendDeps,
): Promise<void> {
  const open = candidates.filter(({ record, index }) => !isNew[record]![index])
  const keys = toBinaryFields(open, { key: 'int8' })
  const places = new Map<string, { position: number; index: number }>()
  for (const generation of generationsAt(clock.now()).stored) {
    const rows = await database.sql<{ key: string; position: number; index: number }>(
      `SELECT key::text, place >> 9 AS position, (place & 511)::int AS index FROM ${seenTable(generation)}
       WHERE key = ANY($1::bigint[])`,
      keys,
    )
    for (const { key, position, index } of rows) places.set(key, { position, index })
  }
  const positions = Array.from(places.values(), ({ position }) => position)
  const own = await positionsWithMark(positions, mark, database)
  for (const { key, record, index } of open) {
    const place = places.get(String(key))
    if (!place || place.index !== index || !own.has(place.position)) continue
    isNew[record]![index] = true
    places.delete(String(key))
  }
}

/** The positions that the statement with this mark has stored. */
async function positionsWithMark(positions: readonly number[], mark: bigint, database: Database): Promise<Set<number>> {
  const own = new Set<number>()
  for (const [day, ofDay] of Map.groupBy(positions, dayOfPosition)) {
    const rows = await database.sql<{ position: number }>(
      `SELECT position FROM ${bodyTable(day)} WHERE position = ANY($1::bigint[]) AND writer = $2`,
      [toBinaryArray('int8', ofDay), mark],
    )
    for (const { position } of rows) own.add(position)
  }
  return own
}
