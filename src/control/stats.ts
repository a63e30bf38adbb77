import { badRequest } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import { knownTag } from './tags.ts'
import type { ControlWorld } from './world.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const minutesOf = { minute: 1, hour: 60, day: 24 * 60 } as const
/** So many steps may a series have. */
const mostSteps = 1_500

type Step = keyof typeof minutesOf
type Range = { from: number; to: number; step: Step }

function rangeOf(asked: { from?: number; to?: number; step?: Step }, now: number): Range {
  const { to = now, step = 'minute' } = asked
  const { from = to - hourMs } = asked
  if (from >= to) throw badRequest({ path: 'from', message: 'must lie before `to`' })
  if ((to - from) / minuteMs / minutesOf[step] > mostSteps)
    throw badRequest({ path: 'step', message: `makes more than ${mostSteps} steps of this time: take a longer one` })
  return { from, to, step }
}

export const readStats: Answer<(typeof operations)['readStats'], ControlWorld> = async (
  { params, query, access },
  on,
) => {
  const tag = await knownTag(on, access, params.tagId)
  const asked = { ...query, ...rangeOf(query, on.clock.now()) }
  return on.store.queries(tag.teamId).stats(tag.tagId, asked)
}
