import { appendChanges } from '#postgres/appendChanges.ts'
import { toBinaryArray } from '#postgres/binaryArrays.ts'
import type { Database, Sql } from '#postgres/database.ts'
import { repeatWhileAway } from '#postgres/repeatWhileAway.ts'
import type { LeasedRecord } from '#stream/stream.ts'
import { dayOfPosition } from './positions.ts'
import { bodyTable, isTableMissing } from './streamTables.ts'

type BodyRow = { position: number; tag: string; events: number; new_indexes: number[] | null; payload: Uint8Array }

const columns = 'position, tag, events, new_indexes, payload'

const toRecord = ({ position, tag, events, new_indexes, payload }: BodyRow): LeasedRecord => ({
  position,
  tagId: tag,
  payload,
  newIndexes: new_indexes?.toSorted((one, other) => one - other) ?? Array.from({ length: events }, (_, index) => index),
})

type ChangePayload = (payload: Uint8Array) => Uint8Array

/** Reads and rewrites records by their positions. */
export type Bodies = ReturnType<typeof openBodies>

/** Runs work with the tables that may have a record of a day. */
type OnTables = <Result>(day: number, work: (tables: readonly string[]) => Promise<Result>) => Promise<Result>

/** A record moves to the second table when it outlives its day. If a table is missing, the days are read again. */
function openDayTables(readDays: () => Promise<readonly number[]>): OnTables {
  let days = new Set<number>()
  const tablesOf = (day: number) => (days.has(day) ? [bodyTable(day), 'body_kept'] : ['body_kept'])
  return async (day, work) => {
    if (!days.has(day)) days = new Set(await readDays())
    try {
      return await work(tablesOf(day))
    } catch (error) {
      if (!isTableMissing(error)) throw error
      days = new Set(await readDays())
      return work(tablesOf(day))
    }
  }
}

type RewriteTarget = { position: number; tables: readonly string[]; schema: string }

async function rewriteIn(
  { position, tables, schema }: RewriteTarget,
  change: ChangePayload,
  sql: Sql,
): Promise<boolean> {
  for (const table of tables) {
    const text = `SELECT payload FROM ${table} WHERE position = $1 FOR UPDATE`
    const [row] = await sql<{ payload: Uint8Array }>(text, [position])
    if (!row) continue
    await sql(`UPDATE ${table} SET payload = $2 WHERE position = $1`, [position, change(row.payload)])
    await appendChanges(sql, schema, [{ kind: 'rewritten', id: String(position) }])
    return true
  }
  return false
}

/** Applies a change only once: after an unknown commit, the payload may already be the changed one. */
function applyOnce(change: ChangePayload): ChangePayload {
  let written: Uint8Array | undefined
  return (payload) => {
    if (!written || Buffer.compare(payload, written) !== 0) written = change(payload)
    return written
  }
}

/** `readDays`: reads the days that have a table. */
export function openBodies(database: Database, readDays: () => Promise<readonly number[]>) {
  const onTables = openDayTables(readDays)
  const readDay = (day: number, positions: readonly number[]) =>
    onTables(day, (tables) => {
      const texts = tables.map((table) => `SELECT ${columns} FROM ${table} WHERE position = ANY($1::bigint[])`)
      return database.sql<BodyRow>(texts.join(' UNION ALL '), [toBinaryArray('int8', positions)])
    })
  return {
    /** The existing records, in no order. */
    async readMany(positions: readonly number[]): Promise<LeasedRecord[]> {
      const byDay = Map.groupBy(positions, dayOfPosition)
      const records: LeasedRecord[] = []
      for (const [day, ofDay] of byDay) records.push(...(await readDay(day, ofDay)).map(toRecord))
      return records
    },
    /** Resolves to whether the record exists. Notifies all processes. Repeated while the database is away. */
    rewrite(position: number, change: ChangePayload): Promise<boolean> {
      const { schema } = database
      const once = applyOnce(change)
      return repeatWhileAway(() =>
        onTables(dayOfPosition(position), (tables) =>
          database.transaction((sql) => rewriteIn({ position, tables, schema }, once, sql)),
        ),
      )
    },
  }
}
