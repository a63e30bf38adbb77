import { matchSources } from '#contract/matchQuality.ts'
import type { Sql } from '#postgres/database.ts'
import { minutesOf } from '#store/countRange.ts'
import {
  createMatchSums,
  type MatchExample,
  type MatchRecord,
  type MatchRequest,
  matchSlices,
  minutesOfMatchStep,
} from '#store/matchCounts.ts'

const minuteMs = 60_000

/** $4 is the number of minutes of a step, $5 a channel or null. */
const selectSums = `
  SELECT minute - minute % $4 AS step, script, name, source, what, sum(count)::bigint AS count FROM match_count
  WHERE tag = $1 AND minute >= $2 AND minute < $3 AND ($5::text IS NULL OR script = $5)
  GROUP BY minute - minute % $4, script, name, source, what`
const selectExamples = 'SELECT script, what, position, idx FROM match_example WHERE tag = $1'

export async function readMatches(sql: Sql, tagId: string, request: MatchRequest): Promise<MatchRecord> {
  const sums = createMatchSums(request)
  for (const [start, end] of matchSlices(minutesOf(request))) {
    const rows = await sql(selectSums, [tagId, start, end, minutesOfMatchStep(request), request.scriptId ?? null])
    sums.add(
      rows.map((row) => ({
        at: Number(row.step) * minuteMs,
        scriptId: String(row.script),
        eventName: String(row.name),
        source: matchSources[Number(row.source)]!,
        what: String(row.what),
        count: Number(row.count),
      })),
    )
  }
  const examples = (await sql(selectExamples, [tagId])).map(
    (row): MatchExample => ({
      scriptId: String(row.script),
      what: String(row.what),
      position: Number(row.position),
      index: Number(row.idx),
    }),
  )
  return sums.result(examples)
}
