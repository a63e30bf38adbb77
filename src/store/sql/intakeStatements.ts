import { matchSources } from '#contract/matchSources.ts'
import type { SqlParam, Statement, WriteUnit } from '#kit/writeBatch.ts'
import type { RefusedCalls } from '#store/deliveryQueries.ts'
import { type IntakeBatch, keptHosts, keptRefusals, latencyKinds } from '#store/intake.ts'
import { toKeyText } from '#store/keyText.ts'
import { hourMinutes, type MatchCount } from '#store/matchCounts.ts'
import { addCounts, mergeRows } from './bulkRows.ts'
import type { Dialect } from './dialect.ts'

const minuteMs = 60_000
const minuteOf = (ms: number) => Math.floor(ms / minuteMs)
const hourOf = (ms: number) => Math.floor(ms / minuteMs / hourMinutes) * hourMinutes

type Row = readonly SqlParam[]
const last = (_: Row, other: Row) => other
const laterCount = ([tag, key, at, count]: Row, other: Row): Row => [
  ...[tag!, key!, Math.max(Number(at), Number(other[2])), Number(count) + Number(other[3])],
]

/** Deletes the rows above the limit of a group, for the tags in a JSON array. */
const trim = ({ isRefOf }: Dialect, table: string, key: string, group: string, order: string, kept: number): string => `
  DELETE FROM ${table} WHERE ${isRefOf('tag', '?1')} AND (${key}) IN (
    SELECT ${key} FROM (
      SELECT ${key}, row_number() OVER (PARTITION BY ${group} ORDER BY ${order} DESC) AS place
      FROM ${table} WHERE ${isRefOf('tag', '?1')}
    ) AS numbered WHERE place > ${kept})`

const tagsOf = (rows: readonly { tagId: string }[]): Row[] =>
  rows.length > 0 ? [[JSON.stringify([...new Set(rows.map(({ tagId }) => tagId))])]] : []

function createMatchStatements(dialect: Dialect): (matches: readonly MatchCount[]) => Statement[] {
  const add = addCounts(dialect, 'match_count')
  const putExamples = dialect.insert(
    'match_example',
    { tag: 'ref', script: 'ref', what: 'text', position: 'int8', idx: 'int8' },
    'ON CONFLICT (tag, script, what) DO UPDATE SET position = excluded.position, idx = excluded.idx',
  )
  const exampleRow = ({ tagId, scriptId, what, example }: MatchCount): Row[] =>
    example ? [[tagId, scriptId, what, example.position, example.index]] : []
  return (matches) => [
    add(
      matches.map(({ tagId, at, scriptId, eventName, source, what, count }) => {
        return [tagId, hourOf(at), scriptId, eventName, matchSources.indexOf(source), what, count]
      }),
    ),
    putExamples(mergeRows(matches.flatMap(exampleRow), 3, last)),
  ]
}

/** Adds counts, last refusals and last calls, and drops those above their limits. */
export function createIntakeStatements(dialect: Dialect): (batch: IntakeBatch) => WriteUnit {
  const { insert, addRefs } = dialect
  const [addCalls, addLatencies] = [addCounts(dialect, 'intake_count'), addCounts(dialect, 'latency_count')]
  const matchStatements = createMatchStatements(dialect)
  const insertRefusals = insert(
    'refused_call',
    { tag: 'ref', number: 'int8', at: 'int8', code: 'text', method: 'text', path: 'text', origin: 'text' },
    'ON CONFLICT DO NOTHING',
  )
  const putSeen = insert(
    'seen_caller',
    { tag: 'ref', call: 'text', host: 'text', sdk_version: 'text', at: 'int8' },
    `ON CONFLICT (tag, call, host) DO UPDATE SET at = excluded.at, sdk_version = excluded.sdk_version
    WHERE seen_caller.at <= excluded.at`,
  )
  const addRepeats = insert(
    'event_repeat',
    { tag: 'ref', key: 'text', at: 'int8', count: 'int8' },
    `ON CONFLICT (tag, key) DO UPDATE SET count = event_repeat.count + excluded.count,
      at = CASE WHEN event_repeat.at > excluded.at THEN event_repeat.at ELSE excluded.at END`,
  )
  const trimRefusals = trim(dialect, 'refused_call', 'tag, number', 'tag', 'number', keptRefusals)
  const trimHosts = trim(dialect, 'seen_caller', 'tag, call, host', 'tag, call', 'at', keptHosts)
  return ({ counts, latencies, refusals, seen, repeats, matches }) => [
    ...addRefs([counts, latencies, refusals, seen, repeats, matches].flatMap((rows) => rows.map(({ tagId }) => tagId))),
    ...addRefs([...latencies, ...matches].map(({ scriptId }) => scriptId)),
    addCalls(counts.map(({ tagId, at, code, count }) => [tagId, minuteOf(at), code, count])),
    addLatencies(
      latencies.map(({ tagId, scriptId, at, kind, bucket, count }) => {
        return [tagId, minuteOf(at), scriptId, latencyKinds.indexOf(kind), bucket, count]
      }),
    ),
    addRepeats(
      mergeRows(
        repeats.map(({ tagId, key, at, count }) => [tagId, toKeyText(key), at, count]),
        2,
        laterCount,
      ),
    ),
    insertRefusals(
      mergeRows(
        refusals.map(({ tagId, number, at, code, method, path, origin = null }) => {
          return [tagId, number, at, code, method, path, origin]
        }),
        2,
        (one) => one,
      ),
    ),
    { sql: trimRefusals, rows: tagsOf(refusals) },
    putSeen(
      mergeRows(
        seen.map(({ tagId, call, host = '', sdkVersion = null, at }) => [tagId, call, host, sdkVersion, at]),
        3,
        (one, other) => (Number(one[4]) > Number(other[4]) ? one : other),
      ),
    ),
    { sql: trimHosts, rows: tagsOf(seen) },
    ...matchStatements(matches),
  ]
}

/** Counts calls that a rate limit refused in their minutes. */
export function createRefusedStatements(dialect: Dialect): (rows: readonly RefusedCalls[]) => WriteUnit {
  const add = addCounts(dialect, 'refused_count')
  return (rows) => [
    ...dialect.addRefs(rows.map(({ tagId }) => tagId)),
    add(rows.map(({ tagId, at, of, calls }) => [tagId, minuteOf(at), of, calls])),
  ]
}
