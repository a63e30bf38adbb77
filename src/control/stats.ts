import { badRequest } from '#contract/fault.ts'
import { defined } from '#kit/defined.ts'
import { toTagStats } from '#store/stats.ts'
import type { AnswerFor } from './controlDeps.ts'
import { toDeliveryFilter } from './deliveryFilter.ts'
import { toPageRequest } from './pagination.ts'
import { parseSeriesRange } from './seriesRange.ts'
import { requireTag } from './tags.ts'

const hourMs = 3_600_000

export const readStats: AnswerFor<'readStats'> = async ({ params, query, access }, deps) => {
  const tag = await requireTag(deps, access, params.tagId)
  const { from: _, to: __, step: ___, series, ...filter } = query
  const { statuses, reasons, scriptId, eventName } = toDeliveryFilter(filter)
  return deps.store.queries(tag.teamId).stats(tag.tagId, {
    ...parseSeriesRange(query, deps.clock.now()),
    ...defined({ statuses, reasons, scriptId, eventName }),
    ...(series === 'script' && { hasScriptSeries: true }),
  })
}

export const readTeamStats: AnswerFor<'readTeamStats'> = async ({ query, access }, deps) => {
  const range = parseSeriesRange(query, deps.clock.now())
  const { rows, next } = await deps.store.tags(access.teamId, toPageRequest(query))
  const tagIds = rows.map(({ tagId }) => tagId)
  const counts = await deps.store.queries(access.teamId).teamCounts(tagIds, range)
  const tags = rows.map(({ name }, n) => ({ name, ...toTagStats(counts[n]!, range) }))
  return { ...range, tags, ...(next !== undefined && { next }) }
}

export const readFunnel: AnswerFor<'readFunnel'> = async ({ params, query, access }, deps) => {
  const tag = await requireTag(deps, access, params.tagId)
  const { to = deps.clock.now(), scriptId } = query
  const { from = to - hourMs } = query
  if (from >= to) throw badRequest({ path: 'from', message: 'must be before `to`' })
  const funnel = await deps.store.queries(tag.teamId).funnel(tag.tagId, {
    from,
    to: query.to ?? Number.POSITIVE_INFINITY,
    ...(scriptId !== undefined && { scriptId }),
  })
  return { from, to, ...funnel }
}
