import type { WriteUnit } from '#kit/writeBatch.ts'
import { type IntakeBatch, keptHosts, keptRefusals, latencyKinds } from '#store/intake.ts'
import { toKeyText } from '#store/keyText.ts'
import { matchStatements } from './matchTables.ts'
import { addRefs, selectRef } from './refs.ts'

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
