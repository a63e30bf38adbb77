import type { Refusal, SeenCaller } from '#contract/intake.ts'
import type { WriteUnit } from '#kit/writeBatch.ts'
import { minutesOf, minutesOfStep } from '#store/countRange.ts'
import {
  type IntakeBatch,
  type IntakeRecord,
  type IntakeRequest,
  keptHosts,
  keptRefusals,
  latencyKinds,
} from '#store/intake.ts'
import { toKeyText } from '#store/keyText.ts'
import { withoutNulls } from '#store/sql/rowMappings.ts'
import { matchStatements } from './matchTables.ts'
import { addRefs, selectRef } from './refs.ts'
import type { SqlReader, SqlRow } from './sqlReader.ts'

const minuteMs = 60_000
const minuteOf = (ms: number) => Math.floor(ms / minuteMs)
const addCount = 'ON CONFLICT DO UPDATE SET count = count + excluded.count'

const upsertIntakeCount = `INSERT INTO intake_count (tag, minute, code, count) VALUES (${selectRef}, ?, ?, ?) ${addCount}`
const upsertLatencyCount = `
  INSERT INTO latency_count (tag, minute, script, kind, bucket, count)
  VALUES (${selectRef}, ?, ${selectRef}, ?, ?, ?) ${addCount}`
const insertRefusal = `
  INSERT INTO refused_call (tag, number, at, code, method, path, origin) VALUES (${selectRef}, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`
const deleteOldRefusals = `
  DELETE FROM refused_call WHERE tag = (SELECT no FROM ref WHERE id = ?1) AND number <= (
    SELECT number FROM refused_call WHERE tag = (SELECT no FROM ref WHERE id = ?1)
    ORDER BY number DESC LIMIT 1 OFFSET ${keptRefusals})`
const upsertSeen = `
  INSERT INTO seen_caller (tag, call, host, sdk_version, at) VALUES (${selectRef}, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET at = excluded.at, sdk_version = excluded.sdk_version`
const deleteOldHosts = `
  DELETE FROM seen_caller WHERE tag = (SELECT no FROM ref WHERE id = ?1) AND call = ?2 AND at <= (
    SELECT at FROM seen_caller WHERE tag = (SELECT no FROM ref WHERE id = ?1) AND call = ?2
    ORDER BY at DESC LIMIT 1 OFFSET ${keptHosts})`

const upsertRepeat = `
  INSERT INTO event_repeat (tag, key, at, count) VALUES (${selectRef}, ?, ?, ?)
  ON CONFLICT DO UPDATE SET at = excluded.at, count = count + excluded.count`

/** Adds counts, the last refusals and the last calls, and drops those that are over their limits. */
export function intakeStatements({ counts, latencies, refusals, seen, repeats, matches }: IntakeBatch): WriteUnit {
  const calls = new Set(seen.map(({ tagId, call }) => `${tagId} ${call}`))
  return [
    addRefs([counts, latencies, refusals, seen, repeats, matches].flatMap((rows) => rows.map(({ tagId }) => tagId))),
    addRefs([...latencies, ...matches].map(({ scriptId }) => scriptId)),
    {
      sql: upsertIntakeCount,
      rows: counts.map(({ tagId, at, code, count }) => [tagId, minuteOf(at), code, count]),
    },
    {
      sql: upsertLatencyCount,
      rows: latencies.map(({ tagId, scriptId, at, kind, bucket, count }) => {
        return [tagId, minuteOf(at), scriptId, latencyKinds.indexOf(kind), bucket, count]
      }),
    },
    {
      sql: insertRefusal,
      rows: refusals.map(({ tagId, number, at, code, method, path, origin }) => {
        return [tagId, number, at, code, method, path, origin ?? null]
      }),
    },
    { sql: deleteOldRefusals, rows: [...new Set(refusals.map(({ tagId }) => tagId))].map((tagId) => [tagId]) },
    {
      sql: upsertSeen,
      rows: seen.map(({ tagId, call, host, sdkVersion, at }) => [tagId, call, host ?? '', sdkVersion ?? null, at]),
    },
    { sql: upsertRepeat, rows: repeats.map(({ tagId, key, at, count }) => [tagId, toKeyText(key), at, count]) },
    { sql: deleteOldHosts, rows: [...calls].map((each) => each.split(' ')) },
    ...matchStatements(matches),
  ]
}

const selectCounts = `
  SELECT minute - minute % ?4 AS step, code, sum(count) AS count FROM intake_count
  WHERE tag = ?1 AND minute >= ?2 AND minute < ?3 GROUP BY 1, 2`
const selectRefusals = 'SELECT * FROM refused_call WHERE tag = ? ORDER BY number DESC LIMIT ?'
const selectSeen = 'SELECT * FROM seen_caller WHERE tag = ?'

const readRefusal = ({ at, code, method, path, origin }: SqlRow) =>
  withoutNulls<Refusal>({ at, code, method, path, origin })
const readSeen = ({ call, at, host, sdk_version }: SqlRow) =>
  withoutNulls<SeenCaller>({ call, at, host: host || null, sdkVersion: sdk_version })

export function readIntake(read: SqlReader, tagId: string, request: IntakeRequest): IntakeRecord {
  const tag = Number(read.one('SELECT no FROM ref WHERE id = ?', tagId)?.no ?? 0)
  const range = [tag, ...minutesOf(request), minutesOfStep[request.step]]
  return {
    counts: read
      .all(selectCounts, ...range)
      .map((row) => ({ at: Number(row.step) * minuteMs, code: String(row.code), count: Number(row.count) }))
      .sort((one, other) => one.at - other.at),
    refusals: read.all(selectRefusals, tag, keptRefusals).map(readRefusal),
    seen: read
      .all(selectSeen, tag)
      .map(readSeen)
      .sort((one, other) => other.at - one.at),
  }
}

const selectRepeats = `SELECT count FROM event_repeat WHERE tag = ${selectRef} AND key = ?`

/** How often the events with these deduplication keys came again. */
export const readRepeats = (read: SqlReader, tagId: string, keys: readonly bigint[]): number =>
  keys.reduce((sum, key) => sum + Number(read.one(selectRepeats, tagId, toKeyText(key))?.count ?? 0), 0)
