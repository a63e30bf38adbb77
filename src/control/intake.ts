import type { IntakeReport } from '#contract/intake.ts'
import type { IntakeRecord } from '#store/intake.ts'
import type { AnswerFor } from './controlDeps.ts'
import { parseSeriesRange } from './seriesRange.ts'
import { requireTag } from './tags.ts'

type IntakeCounts = Pick<IntakeReport, 'accepted' | 'duplicate' | 'rejected' | 'refused'>

function sumCounts(counts: readonly { code: string; count: number }[]): IntakeCounts {
  const sums: IntakeCounts = { accepted: 0, duplicate: 0, rejected: 0, refused: {} }
  for (const { code, count } of counts) {
    if (code === 'accepted' || code === 'duplicate' || code === 'rejected') sums[code] += count
    else sums.refused[code] = (sums.refused[code] ?? 0) + count
  }
  return sums
}

const seriesOf = ({ counts }: IntakeRecord): IntakeReport['series'] =>
  [...Map.groupBy(counts, ({ at }) => at)].map(([at, rows]) => ({ at, ...sumCounts(rows) }))

export const readIntake: AnswerFor<'readIntake'> = async ({ params, query, access }, deps) => {
  const tag = await requireTag(deps, access, params.tagId)
  const range = parseSeriesRange(query, deps.clock.now())
  await deps.intakeLog.flush()
  const record = await deps.store.queries(tag.teamId).intake(tag.tagId, range)
  const { refusals, seen } = record
  return { ...range, ...sumCounts(record.counts), series: seriesOf(record), refusals, seen }
}
