import { badRequest } from '#contract/fault.ts'
import type { Stats } from '#contract/stats.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const minutesOf = { minute: 1, hour: 60, day: 24 * 60 } as const
/** Maximum steps of a series. */
const maxSteps = 1_500

type SeriesRange = Pick<Stats, 'from' | 'to' | 'step'>

/** The range and step of a series; by default the last hour by minutes. Throws badRequest. */
export function parseSeriesRange(query: Partial<SeriesRange>, now: number): SeriesRange {
  const { to = now, step = 'minute' } = query
  const { from = to - hourMs } = query
  if (from >= to) throw badRequest({ path: 'from', message: 'must be before `to`' })
  if ((to - from) / minuteMs / minutesOf[step] > maxSteps)
    throw badRequest({
      path: 'step',
      message: `gives more than ${maxSteps} steps in this time range: use a longer step or a shorter range`,
    })
  return { from, to, step }
}
