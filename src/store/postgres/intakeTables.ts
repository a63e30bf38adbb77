import type { Refusal, SeenCaller } from '#contract/intake.ts'
import type { QueryRow, Sql } from '#postgres/database.ts'
import { minutesOf, minutesOfStep } from '#store/countRange.ts'
import { type IntakeRecord, type IntakeRequest, keptRefusals } from '#store/intake.ts'
import { withoutNulls } from '#store/sql/rowMappings.ts'

const minuteMs = 60_000

const selectCounts = `
  SELECT minute - minute % $4 AS step, code, sum(count)::bigint AS count FROM intake_count
  WHERE tag = $1 AND minute >= $2 AND minute < $3 GROUP BY code, minute - minute % $4 ORDER BY step, code`
const selectRefusals = 'SELECT * FROM refused_call WHERE tag = $1 ORDER BY number DESC LIMIT $2'
const selectSeen = 'SELECT * FROM seen_caller WHERE tag = $1 ORDER BY at DESC, call, host'

const readRefusal = ({ at, code, method, path, origin }: QueryRow) =>
  withoutNulls<Refusal>({ at, code, method, path, origin })
const readSeen = ({ call, at, host, sdk_version }: QueryRow) =>
  withoutNulls<SeenCaller>({ call, at, host: host || null, sdkVersion: sdk_version })

export async function readIntake(sql: Sql, tagId: string, request: IntakeRequest): Promise<IntakeRecord> {
  type CountRow = { step: number; code: string; count: number }
  const counts = await sql<CountRow>(selectCounts, [tagId, ...minutesOf(request), minutesOfStep[request.step]])
  return {
    counts: counts.map(({ step, code, count }) => ({ at: step * minuteMs, code, count })),
    refusals: (await sql(selectRefusals, [tagId, keptRefusals])).map(readRefusal),
    seen: (await sql(selectSeen, [tagId])).map(readSeen),
  }
}
