import type { Refusal, SeenCaller } from '#contract/intake.ts'
import { matchSources } from '#contract/matchSources.ts'
import { minutesOf, minutesOfStep } from '#store/countRange.ts'
import { type IntakeRecord, type IntakeRequest, keptRefusals } from '#store/intake.ts'
import { toKeyText } from '#store/keyText.ts'
import {
  createMatchSums,
  type MatchExample,
  type MatchRecord,
  type MatchRequest,
  matchSlices,
  minutesOfMatchStep,
} from '#store/matchCounts.ts'
import { selectSums, stepAt } from './countReads.ts'
import type { Dialect } from './dialect.ts'
import type { Read } from './read.ts'
import { withoutNulls } from './rowMappings.ts'
import type { SqlRow } from './sql.ts'

const readRefusal = ({ at, code, method, path, origin }: SqlRow) =>
  withoutNulls<Refusal>({ at, code, method, path, origin })
const readSeen = ({ call, at, host, sdk_version }: SqlRow) =>
  withoutNulls<SeenCaller>({ call, at, host: host || null, sdkVersion: sdk_version })

export function readIntake(dialect: Dialect) {
  const ofTag = `tag = ${dialect.ref('?1')}`
  const selectCounts = selectSums(dialect, 'intake_count', ['step', 'code'], ofTag)
  const selectRefusals = `SELECT * FROM refused_call WHERE ${ofTag} ORDER BY number DESC LIMIT ?2`
  const selectSeen = `SELECT * FROM seen_caller WHERE ${ofTag}`
  return function* (tagId: string, request: IntakeRequest): Read<IntakeRecord> {
    const counts = yield [selectCounts, tagId, ...minutesOf(request), minutesOfStep[request.step]]
    return {
      counts: counts
        .map((row) => ({ at: stepAt(row), code: String(row.code), count: Number(row.count) }))
        .sort((one, other) => one.at - other.at || (one.code < other.code ? -1 : 1)),
      refusals: (yield [selectRefusals, tagId, keptRefusals]).map(readRefusal),
      seen: (yield [selectSeen, tagId]).map(readSeen).sort((one, other) => other.at - one.at),
    }
  }
}

/** How many repeats the events with these deduplication keys had. */
export function readRepeats({ ref, elements }: Dialect) {
  const select = `
    SELECT CAST(coalesce(sum(count), 0) AS bigint) AS count FROM event_repeat
    WHERE tag = ${ref('?1')} AND key IN (${elements('?2')})`
  return function* (tagId: string, keys: readonly bigint[]): Read<number> {
    return Number((yield [select, tagId, JSON.stringify(keys.map(toKeyText))])[0]!.count)
  }
}

/** The match keys that the channels of a tag sent, and their issues. */
export function readMatches(dialect: Dialect) {
  const ofTag = `tag = ${dialect.ref('?1')}`
  // PostgreSQL infers the type of `?5` from its first use.
  const ofScript = `(script = ${dialect.ref('?5')} OR ?5 IS NULL)`
  const columns = ['step', 'script', 'name', 'source', 'what']
  const select = selectSums(dialect, 'match_count', columns, `${ofTag} AND ${ofScript}`)
  const selectExamples = `
    SELECT what, position, idx, ${dialect.idOf('script')} AS script_id FROM match_example WHERE ${ofTag}`
  const readExample = (row: SqlRow): MatchExample => ({
    scriptId: String(row.script_id),
    what: String(row.what),
    position: Number(row.position),
    index: Number(row.idx),
  })
  return function* (tagId: string, request: MatchRequest): Read<MatchRecord> {
    const sums = createMatchSums(request)
    for (const slice of matchSlices(minutesOf(request))) {
      const rows = yield [select, tagId, ...slice, minutesOfMatchStep(request), request.scriptId ?? null]
      sums.add(
        rows.map((row) => ({
          at: stepAt(row),
          scriptId: String(row.script_id),
          eventName: String(row.name),
          source: matchSources[Number(row.source)]!,
          what: String(row.what),
          count: Number(row.count),
        })),
      )
    }
    return sums.result((yield [selectExamples, tagId]).map(readExample))
  }
}
