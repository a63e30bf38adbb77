import type { DatabaseSync } from 'node:sqlite'
import { slotOf } from '#cluster/slotOf.ts'
import { type Disk, openDisk } from '#log/disk.ts'
import { segmentName } from '#log/format.ts'
import type { LogPlace } from '#log/log.ts'
import { logFolderOf } from '#log/logFolder.ts'
import type { Database, QueryRow } from '#postgres/database.ts'
import type { DatedPositions, DaySpan, DayStart } from '#postgres/movedPositions.ts'
import { type MoveRun, moveRows, type RowSource } from '#postgres/moveRows.ts'
import { eachOf, type KeyHalves, wordsOf } from '#stream/dedup/keyPairs.ts'
import { unpackPlace } from '#stream/dedup/keyPlaces.ts'
import { rowOf } from '#stream/dedup/segmentWriter.ts'
import { type BodyRecord, decodeBody, setIndexes } from '#stream/log/bodyRecords.ts'
import { dayOfPosition, firstPosition, generationOfDay } from './positions.ts'
import { bodyTable, openStreamTables, positionSequence, seenTable } from './streamTables.ts'

/** The first position of each day that has records in the stream. */
export const readDayStarts = (db: DatabaseSync): DayStart[] =>
  db.prepare('SELECT appended_at / 86400000 AS day, min(position) AS position FROM body GROUP BY 1').all() as DayStart[]

type StreamMove = { db: DatabaseSync; toPosition(position: number): number }

/** Reads a body at its place in the log; undefined if it was erased. Throws if the file is missing. */
function readBody(disk: Disk, { segment, offset, length }: LogPlace): BodyRecord | undefined {
  const file = disk.open(segmentName(segment), false)
  try {
    const bytes = Buffer.allocUnsafe(length)
    disk.read(file, bytes, offset)
    return decodeBody(bytes)
  } finally {
    disk.close(file)
  }
}

const selectBodies = `
  SELECT position, tag, appended_at, new_indexes, segment, offset, length FROM body WHERE position BETWEEN ? AND ? ORDER BY position
  LIMIT -1 OFFSET ?`

/** The records of a day. Only their new events are known, so `events` may be too small; no reader needs it by then. */
function bodiesOfDay({ db, toPosition }: StreamMove, { day, from, to }: DaySpan, last: number): RowSource {
  return {
    table: bodyTable(day),
    *rowsAfter(skipped) {
      const disk = openDisk(logFolderOf(db.location()!))
      for (const row of db.prepare(selectBodies).iterate(from, Math.min(to, last), skipped)) {
        const newIndexes = setIndexes(row.new_indexes as Uint8Array)
        yield {
          position: toPosition(Number(row.position)),
          tag: row.tag,
          slot: slotOf(String(row.tag)),
          appended_ms: row.appended_at,
          writer: 0,
          events: (newIndexes.at(-1) ?? 0) + 1,
          new_indexes: `{${newIndexes.join(',')}}`,
          payload: readBody(disk, row as unknown as LogPlace)?.payload ?? new Uint8Array(),
        }
      }
    },
  }
}

const selectUnsettled = `
  SELECT position, tag, new_indexes, length AS bytes FROM body
  WHERE position > (SELECT cursor FROM checkpoint) AND position NOT IN (SELECT position FROM settled)
  ORDER BY position LIMIT -1 OFFSET ?`

const unsettled = ({ db, toPosition }: StreamMove): RowSource => ({
  table: 'todo',
  *rowsAfter(skipped) {
    for (const row of db.prepare(selectUnsettled).iterate(skipped))
      yield {
        slot: slotOf(String(row.tag)),
        position: toPosition(Number(row.position)),
        tag: row.tag,
        events: setIndexes(row.new_indexes as Uint8Array).length,
        bytes: row.bytes,
      }
  },
})

const toKey = ({ low, high }: KeyHalves) => BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low))

/** The pairs of keys and places of a day, newest first. */
function* pairsOfDay(db: DatabaseSync, day: number): Generator<Uint8Array> {
  for (const { run } of db.prepare('SELECT run FROM run WHERE day = ? AND whole = 1 ORDER BY run DESC').all(day))
    for (const { pairs } of db
      .prepare('SELECT pairs FROM bucket WHERE row >= ? AND row < ? ORDER BY row')
      .iterate(rowOf(Number(run), 0), rowOf(Number(run) + 1, 0)))
      yield pairs as Uint8Array
}

/** The keys of a generation, newest day first. Of equal keys, the newest is stored. */
function keysOfGeneration({ db, toPosition }: StreamMove, generation: number, days: readonly number[]): RowSource {
  function* keys(): Generator<QueryRow> {
    for (const day of days)
      for (const pairs of pairsOfDay(db, day))
        for (const { key, place } of eachOf(wordsOf(pairs))) {
          const { position, index } = unpackPlace(place)
          yield { key: toKey(key), place: (BigInt(toPosition(position)) << 9n) | BigInt(index) }
        }
  }
  return {
    table: seenTable(generation),
    rowsAfter: (skipped) => keys().drop(skipped),
    keepsFirst: true,
  }
}

/** The days on which keys were stored, the newest first. */
const keyDays = (db: DatabaseSync): number[] =>
  db
    .prepare('SELECT DISTINCT day FROM run WHERE whole = 1 ORDER BY day DESC')
    .all()
    .map(({ day }) => Number(day))

/** Continues the positions of the day of the last record after it. */
async function continuePositions({ sql }: Database, last: number): Promise<void> {
  await sql(`SELECT setval('${positionSequence(dayOfPosition(last))}', $1)`, [
    last - firstPosition(dayOfPosition(last)),
  ])
}

/**
 * Moves a SQLite stream, which is open in `db` and not in use, into an empty migrated schema: its records, the list of
 * unsettled ones, and its deduplication keys. An interrupted move continues when it is run again. Returns the number of
 * rows of each table. `positions`: the same as for the store.
 */
export async function moveSqliteStream(
  db: DatabaseSync,
  database: Database,
  { positions, ...run }: MoveRun & { positions: DatedPositions },
): Promise<Record<string, number>> {
  const last = Number(db.prepare('SELECT position FROM checkpoint').get()!.position)
  if (last === 0) return {}
  const { toPosition, spans } = positions
  const tables = openStreamTables(database)
  const createTables = (day: number, stored: readonly number[]) =>
    tables.using(day, { stored, probed: [] }, async () => {})
  const move: StreamMove = { db, toPosition }
  const firstBody = Number(db.prepare('SELECT min(position) AS first FROM body').get()?.first ?? last)
  const sources: RowSource[] = []
  for (const span of spans.filter(({ from, to }) => to >= firstBody && from <= last)) {
    await createTables(span.day, [])
    sources.push(bodiesOfDay(move, span, last))
  }
  sources.push(unsettled(move))
  const lastDay = dayOfPosition(toPosition(last))
  for (const [generation, days] of Map.groupBy(keyDays(db), generationOfDay)) {
    await createTables(lastDay, [generation])
    sources.push(keysOfGeneration(move, generation, days))
  }
  const counts: Record<string, number> = {}
  for (const each of sources) counts[each.table] = await moveRows(database, each, run)
  await createTables(lastDay, [])
  await continuePositions(database, toPosition(last))
  return counts
}
