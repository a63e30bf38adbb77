import { matchSources } from '#contract/matchQuality.ts'
import type { Sql, SqlValue } from '#postgres/database.ts'
import { type IntakeBatch, keptHosts, keptRefusals, latencyKinds } from '#store/intake.ts'
import { toKeyText } from '#store/keyText.ts'
import { hourMinutes } from '#store/matchCounts.ts'
import type { StoreChange } from '#store/store.ts'

const minuteMs = 60_000
const minuteOf = (ms: number) => Math.floor(ms / minuteMs)

/** Adds up the rows of one key, and sorts the keys, so that of two writes of the same counts one waits for the other. */
const addCounts = (table: string, key: string, types: string) => `
  INSERT INTO ${table} (${key}, count) SELECT ${key}, sum(count)
  FROM unnest(${types}) AS added (${key}, count) GROUP BY ${key} ORDER BY ${key}
  ON CONFLICT (${key}) DO UPDATE SET count = ${table}.count + excluded.count`

const addRefused = addCounts(
  'refused_count',
  'tag, minute, scope',
  '$1::text[], $2::bigint[], $3::text[], $4::bigint[]',
)
const addIntakeCounts = addCounts(
  'intake_count',
  'tag, minute, code',
  '$1::text[], $2::bigint[], $3::text[], $4::bigint[]',
)
const addLatencies = addCounts(
  'latency_count',
  'tag, minute, script, kind, bucket',
  '$1::text[], $2::bigint[], $3::text[], $4::int[], $5::int[], $6::bigint[]',
)
const addMatches = addCounts(
  'match_count',
  'tag, minute, script, name, source, what',
  '$1::text[], $2::bigint[], $3::text[], $4::text[], $5::int[], $6::text[], $7::bigint[]',
)
const putExamples = `
  INSERT INTO match_example (tag, script, what, position, idx)
  SELECT DISTINCT ON (tag, script, what) *
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::int[]) AS seen (tag, script, what, position, idx)
  ORDER BY tag, script, what, position DESC
  ON CONFLICT (tag, script, what) DO UPDATE SET position = excluded.position, idx = excluded.idx`
const insertRefusals = `
  INSERT INTO refused_call (tag, number, at, code, method, path, origin)
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[])
  ORDER BY 1, 2 ON CONFLICT DO NOTHING`
const deleteOldRefusals = `
  DELETE FROM refused_call WHERE ctid = ANY (ARRAY(
    SELECT old.ctid FROM unnest($1::text[]) AS changed (tag) CROSS JOIN LATERAL (
      SELECT ctid FROM refused_call WHERE refused_call.tag = changed.tag ORDER BY number DESC OFFSET ${keptRefusals}
    ) AS old))`
const putSeen = `
  INSERT INTO seen_caller (tag, call, host, sdk_version, at)
  SELECT DISTINCT ON (tag, call, host) * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
    AS seen (tag, call, host, sdk_version, at)
  ORDER BY tag, call, host, at DESC
  ON CONFLICT (tag, call, host) DO UPDATE SET at = excluded.at, sdk_version = excluded.sdk_version
    WHERE seen_caller.at <= excluded.at`
const deleteOldHosts = `
  DELETE FROM seen_caller WHERE ctid = ANY (ARRAY(
    SELECT old.ctid FROM unnest($1::text[], $2::text[]) AS changed (tag, call) CROSS JOIN LATERAL (
      SELECT ctid FROM seen_caller WHERE seen_caller.tag = changed.tag AND seen_caller.call = changed.call
      ORDER BY at DESC OFFSET ${keptHosts}
    ) AS old))`
const addRepeats = `
  INSERT INTO event_repeat (tag, key, at, count) SELECT tag, key, max(at), sum(count)
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS added (tag, key, at, count)
  GROUP BY tag, key ORDER BY tag, key
  ON CONFLICT (tag, key) DO UPDATE SET at = greatest(event_repeat.at, excluded.at),
    count = event_repeat.count + excluded.count`

/** Runs a statement with the columns of the rows, if there are any. */
async function writeRows<Row>(
  sql: Sql,
  text: string,
  rows: readonly Row[],
  ...columns: ((row: Row) => SqlValue)[]
): Promise<void> {
  if (rows.length > 0)
    await sql(
      text,
      columns.map((column) => rows.map(column)),
    )
}

/** Adds calls to the counts of their minutes. */
export const addRefusedCalls = (sql: Sql, { rows }: Extract<StoreChange, { add: 'refusedCalls' }>): Promise<void> =>
  writeRows(
    sql,
    addRefused,
    rows,
    ({ tagId }) => tagId,
    ({ at }) => minuteOf(at),
    ({ of }) => of,
    ({ calls }) => calls,
  )

async function writeCounts(sql: Sql, { counts, latencies, repeats }: IntakeBatch): Promise<void> {
  await writeRows(
    sql,
    addIntakeCounts,
    counts,
    ({ tagId }) => tagId,
    ({ at }) => minuteOf(at),
    ({ code }) => code,
    ({ count }) => count,
  )
  await writeRows(
    sql,
    addLatencies,
    latencies,
    ({ tagId }) => tagId,
    ({ at }) => minuteOf(at),
    ({ scriptId }) => scriptId,
    ({ kind }) => latencyKinds.indexOf(kind),
    ({ bucket }) => bucket,
    ({ count }) => count,
  )
  await writeRows(
    sql,
    addRepeats,
    repeats,
    ({ tagId }) => tagId,
    ({ key }) => toKeyText(key),
    ({ at }) => at,
    ({ count }) => count,
  )
}

async function writeMatches(sql: Sql, matches: IntakeBatch['matches']): Promise<void> {
  await writeRows(
    sql,
    addMatches,
    matches,
    ({ tagId }) => tagId,
    ({ at }) => minuteOf(at) - (minuteOf(at) % hourMinutes),
    ({ scriptId }) => scriptId,
    ({ eventName }) => eventName,
    ({ source }) => matchSources.indexOf(source),
    ({ what }) => what,
    ({ count }) => count,
  )
  await writeRows(
    sql,
    putExamples,
    matches.filter(({ example }) => example),
    ({ tagId }) => tagId,
    ({ scriptId }) => scriptId,
    ({ what }) => what,
    ({ example }) => example!.position,
    ({ example }) => example!.index,
  )
}

async function writeRefusals(sql: Sql, refusals: IntakeBatch['refusals']): Promise<void> {
  await writeRows(
    sql,
    insertRefusals,
    refusals,
    ({ tagId }) => tagId,
    ({ number }) => number,
    ({ at }) => at,
    ({ code }) => code,
    ({ method }) => method,
    ({ path }) => path,
    ({ origin }) => origin ?? null,
  )
  const tagIds = [...new Set(refusals.map(({ tagId }) => tagId))].sort()
  await writeRows(sql, deleteOldRefusals, tagIds, (tagId) => tagId)
}

async function writeSeen(sql: Sql, seen: IntakeBatch['seen']): Promise<void> {
  await writeRows(
    sql,
    putSeen,
    seen,
    ({ tagId }) => tagId,
    ({ call }) => call,
    ({ host }) => host ?? '',
    ({ sdkVersion }) => sdkVersion ?? null,
    ({ at }) => at,
  )
  const calls = [...new Set(seen.map(({ tagId, call }) => `${tagId} ${call}`))].sort().map((each) => each.split(' '))
  await writeRows(
    sql,
    deleteOldHosts,
    calls,
    ([tagId]) => tagId!,
    ([, call]) => call!,
  )
}

/** Adds counts, the last refusals and the last calls, and drops those that are over their limits. */
export async function addIntake(sql: Sql, { batch }: Extract<StoreChange, { add: 'intake' }>): Promise<void> {
  await writeCounts(sql, batch)
  await writeRefusals(sql, batch.refusals)
  await writeSeen(sql, batch.seen)
  await writeMatches(sql, batch.matches)
}
