import type { Sql } from './database.ts'

/**
 * What every process must know, and the id of what changed:
 * - `deployment`, `tagDropped`: of the tag
 * - `hosts`: the host
 * - `pause`, `paused`: of the script, whose channel was paused by its vendor, or by a person
 * - `teamKey`: of the team, also of a new one
 * - `sealingKeys`: empty
 * - `setting`: its name
 * - `rewritten`: the position
 */
type ChangeKind =
  | 'deployment'
  | 'tagDropped'
  | 'hosts'
  | 'pause'
  | 'paused'
  | 'teamKey'
  | 'sealingKeys'
  | 'setting'
  | 'rewritten'
export type Change = { kind: ChangeKind; id: string }

const insertChanges = `
  INSERT INTO change (seq, kind, id, at_ms)
  SELECT (SELECT coalesce(max(seq), 0) FROM change) + place, kind, id, extract(epoch FROM clock_timestamp()) * 1000
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS each (kind, id, place)`

// Not an advisory lock: every role that may connect to the database can hold one.
const lockFeed = 'LOCK TABLE identity IN SHARE ROW EXCLUSIVE MODE'

/**
 * Appends changes to the change feed, and returns the number of the last. It must be the last statement of a transaction:
 * other transactions that append wait for its end, so that the numbers follow the order of commits. The last row of the
 * feed must never be deleted, because the next number follows it.
 */
export async function appendChanges(sql: Sql, schema: string, changes: readonly Change[]): Promise<number> {
  await sql(lockFeed)
  await sql(insertChanges, [changes.map(({ kind }) => kind), changes.map(({ id }) => id)])
  const [row] = await sql<{ seq: number }>('SELECT max(seq) AS seq FROM change')
  await sql('SELECT pg_notify($1, $2)', [`${schema}_change`, String(row!.seq)])
  return row!.seq
}
