import type { DatabaseSync } from 'node:sqlite'

/** A table of the SQLite store, moved into the PostgreSQL table of the same name. */
export type MovedTable = {
  name: string
  /** Columns with another name or another value, as an SQLite expression. */
  columns?: Readonly<Record<string, { as?: string; sql?: string }>>
  /** Columns that only PostgreSQL has, as SQLite expressions. */
  added?: Readonly<Record<string, string>>
  /** Columns that only SQLite has. */
  left?: readonly string[]
}

const userId = { user: { as: 'user_id' } }

/** The id of a delivery, from the place of its event and the number of its script. */
const idOf = (table: string) => `(
  SELECT delivery_id(event.received_at, ${table}.position, ${table}.idx, ref.id) FROM ref, event
  WHERE ref.no = ${table}.script AND event.position = ${table}.position AND event.idx = ${table}.idx AND event.tag = (
    SELECT tag FROM delivery AS own
    WHERE own.position = ${table}.position AND own.idx = ${table}.idx AND own.script = ${table}.script))`
const nameOf = `(
  SELECT name FROM event
  WHERE event.tag = delivery.tag AND event.position = delivery.position AND event.idx = delivery.idx)`

/** The tables whose columns differ. */
const changedTables: readonly MovedTable[] = [
  {
    name: 'event',
    columns: { ...userId, order_hash: { sql: "nullif(lower(hex(order_hash)), '')" } },
    left: ['bucket'],
  },
  {
    name: 'delivery',
    columns: {
      replay: { sql: '(SELECT id FROM replay WHERE no = delivery.replay)' },
      provider: { sql: '(SELECT id FROM ref WHERE no = delivery.provider)' },
    },
    added: { id: idOf('delivery'), name: nameOf },
  },
  { name: 'attempt', added: { delivery: idOf('attempt') }, left: ['position', 'idx', 'script'] },
  { name: 'held', columns: userId },
  { name: 'purchase', left: ['bucket'] },
]

/**
 * Tables that are not moved. `ref` has numbers of ids, which PostgreSQL stores as they are; the names in `own_name` are
 * in the code; sign-in attempts count for 15 minutes; `fold` is a position in a log; PostgreSQL counts a funnel in its
 * rows; the others are SQLite's own.
 */
const unmovedTables: readonly string[] = [
  ...['ref', 'fold', 'funnel_count', 'own_name', 'sign_in_attempt', 'migration', 'sqlite_sequence'],
]

/** In order of creation, so that each table comes after the tables that it refers to. */
export const movedTables = (db: DatabaseSync): MovedTable[] =>
  db
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid`)
    .all()
    .map((row) => String(row.name))
    .filter((name) => !unmovedTables.includes(name))
    .map((name) => changedTables.find((each) => each.name === name) ?? { name })
