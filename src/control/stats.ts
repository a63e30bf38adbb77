import { badRequest } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import type { ControlDeps } from './controlDeps.ts'
import { requireTag } from './tags.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const minutesOf = { minute: 1, hour: 60, day: 24 * 60 } as const
/** Maximum steps of a series. */
const maxSteps = 1_500

type StatsStep = keyof typeof minutesOf
type StatsRange = { from: number; to: number; step: StatsStep }

function parseRange(query: { from?: number; to?: number; step?: StatsStep }, now: number): StatsRange {
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

export const readStats: OperationAnswer<(typeof operations)['readStats'], ControlDeps> = async (
  { params, query, access },
  deps,
) => {
  const tag = await requireTag(deps, access, params.tagId)
  const statsQuery = { ...query, ...parseRange(query, deps.clock.now()) }
  return deps.store.queries(tag.teamId).stats(tag.tagId, statsQuery)
}
