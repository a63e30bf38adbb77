import { matchSources } from '#contract/matchQuality.ts'
import type { Statement } from '#kit/writeBatch.ts'
import { minutesOf } from '#store/countRange.ts'
import {
  createMatchSums,
  hourMinutes,
  type MatchCount,
  type MatchRecord,
  type MatchRequest,
  matchSlices,
  minutesOfMatchStep,
} from '#store/matchCounts.ts'
import { selectRef } from './refs.ts'
import type { SqlReader } from './sqlReader.ts'

const minuteMs = 60_000
const hourOf = (ms: number) => Math.floor(ms / minuteMs / hourMinutes) * hourMinutes

const upsertCount = `
  INSERT INTO match_count (tag, minute, script, name, source, what, count)
  VALUES (${selectRef}, ?, ${selectRef}, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count`
const upsertExample = `
  INSERT INTO match_example (tag, script, what, position, idx) VALUES (${selectRef}, ${selectRef}, ?, ?, ?)
  ON CONFLICT DO UPDATE SET position = excluded.position, idx = excluded.idx`

/** Adds the counts of match keys. */
export const matchStatements = (matches: readonly MatchCount[]): Statement[] => [
  {
    sql: upsertCount,
    rows: matches.map(({ tagId, at, scriptId, eventName, source, what, count }) => {
      return [tagId, hourOf(at), scriptId, eventName, matchSources.indexOf(source), what, count]
    }),
  },
  {
    sql: upsertExample,
    rows: matches.flatMap(({ tagId, scriptId, what, example }) =>
      example ? [[tagId, scriptId, what, example.position, example.index]] : [],
    ),
  },
]

/** `?4`: the number of minutes of a step. `?5`: the number of a channel, or null. */
const selectSums = `
  SELECT step, name, source, what, count, ref.id AS script_id FROM (
    SELECT minute - minute % ?4 AS step, script, name, source, what, sum(count) AS count FROM match_count
    WHERE tag = ?1 AND minute >= ?2 AND minute < ?3 AND script = coalesce(?5, script) GROUP BY 1, 2, 3, 4, 5
  ) AS counted JOIN ref ON ref.no = counted.script`
const selectExamples = `
  SELECT what, position, idx, ref.id AS script_id FROM match_example JOIN ref ON ref.no = match_example.script WHERE tag = ?`

export function readMatches(read: SqlReader, tagId: string, request: MatchRequest): MatchRecord {
  const numberOf = (id: string) => Number(read.one('SELECT no FROM ref WHERE id = ?', id)?.no ?? 0)
  const tag = numberOf(tagId)
  const script = request.scriptId === undefined ? null : numberOf(request.scriptId)
  const sums = createMatchSums(request)
  for (const [start, end] of matchSlices(minutesOf(request)))
    sums.add(
      read.all(selectSums, tag, start, end, minutesOfMatchStep(request), script).map((row) => ({
        at: Number(row.step) * minuteMs,
        scriptId: String(row.script_id),
        eventName: String(row.name),
        source: matchSources[Number(row.source)]!,
        what: String(row.what),
        count: Number(row.count),
      })),
    )
  const examples = read.all(selectExamples, tag).map((row) => ({
    scriptId: String(row.script_id),
    what: String(row.what),
    position: Number(row.position),
    index: Number(row.idx),
  }))
  return sums.result(examples)
}
