import { badRequest, fault } from '#contract/fault.ts'
import type { OrderScope, reportIntervals } from '#contract/order.ts'
import { defined } from '#kit/defined.ts'
import { intervalOf, intervalRanges } from '#order/localTime.ts'
import { toOutcomeText } from '#order/outcome.ts'
import { countOrders, type IntervalGroup } from '#order/report.ts'
import { fillScope, isTimeZone } from '#order/scope.ts'
import { createJudge, type JudgedTag, storeOutcomes } from '#order/settleOrders.ts'
import type { OrderRange, OrderWithPurchases } from '#store/orders.ts'
import type { TagRecord } from '#store/store.ts'
import { withChangeLock } from './changeLock.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { judgedTag, rangeOf } from './orders.ts'
import { saveChange } from './saveChange.ts'
import { reserveSearch } from './searchSlots.ts'
import { requireTag, updatedTag } from './tags.ts'

const pageSize = 1_000
/** Maximum time that a report judges unsettled orders. The results are stored for the next report. */
const maxJudgingMs = 8_000
/** Maximum range of a report, by interval. */
const maxRangeMs = { hour: 31 * 86_400_000, day: 800 * 86_400_000, week: 800 * 86_400_000 }

const toGroup = (order: OrderWithPurchases, outcome: string, openAfter: number): Omit<IntervalGroup, 'from'> => ({
  status: order.status,
  ...defined({ salesChannel: order.salesChannel, currency: order.currency }),
  outcome,
  isOpen: order.placedAt > openAfter,
  count: 1,
  value: order.value ?? 0,
})

/**
 * All orders of a range, grouped by outcome: first the settled ones, then the unsettled ones, each judged by the
 * journal. In this order none is counted twice: an order settled between the two reads is in the next report.
 */
async function readGroups(
  deps: ControlDeps,
  tag: JudgedTag,
  range: OrderRange,
  interval: (typeof reportIntervals)[number],
): Promise<IntervalGroup[]> {
  const { clock, store } = deps
  const queries = store.queries(tag.teamId)
  const { graceMs, timezone } = fillScope(tag.reconciliation)
  const openAfter = clock.now() - graceMs
  const groups: IntervalGroup[] = []
  const ranges = intervalRanges(range, interval, timezone)
  for (const { from, ...own } of ranges)
    for (const group of await queries.orderGroups(tag.tagId, { ...own, openAfter })) groups.push({ ...group, from })
  const judge = createJudge(tag, deps)
  const endAt = clock.now() + maxJudgingMs
  const judged: OrderWithPurchases[] = []
  let cursor: string | undefined
  do {
    const page = { limit: pageSize, ...(cursor !== undefined && { cursor }) }
    const { rows, next } = await queries.orders(tag.tagId, { ...range, isUnsettled: true }, page)
    for (const order of rows) {
      const { from } = intervalOf(order.placedAt, ranges)
      groups.push({ ...toGroup(order, toOutcomeText(judge(order)), openAfter), from })
    }
    judged.push(...rows)
    cursor = next
  } while (cursor !== undefined && clock.now() < endAt)
  for (let at = 0; at < judged.length; at += pageSize) await storeQuietly(deps, tag, judged.slice(at, at + pageSize))
  if (cursor !== undefined) throw fault('queryTooSlow')
  return groups
}

async function storeQuietly(deps: ControlDeps, tag: JudgedTag, orders: readonly OrderWithPurchases[]): Promise<void> {
  await storeOutcomes(tag, orders, deps).catch((error) =>
    deps.log({ level: 'warn', message: 'could not settle orders; retrying later', tagId: tag.tagId, error }),
  )
}

export const readReconciliation: AnswerFor<'readReconciliation'> = async ({ params, query, access }, deps) => {
  const tag = await requireTag(deps, access, params.tagId)
  const { interval = 'day', scriptId } = query
  const range = rangeOf(query, deps.clock.now())
  if (range.fromMs >= range.toMs) throw badRequest({ path: 'from', message: 'must be before `to`' })
  if (range.toMs - range.fromMs > maxRangeMs[interval])
    throw badRequest({
      path: 'from',
      message: `must be at most ${maxRangeMs[interval] / 86_400_000} days before \`to\``,
    })
  using _search = reserveSearch(deps, tag.teamId)
  const judged = judgedTag(deps, tag)
  const scope = fillScope(judged.reconciliation)
  const groups = await readGroups(deps, judged, range, interval)
  const unknownOrders = await deps.store.queries(tag.teamId).unknownOrders(tag.tagId, range)
  const channels = judged.scripts
    .filter((script) => scriptId === undefined || script.scriptId === scriptId)
    .map(({ scriptId: id, name, providerId }) => ({ scriptId: id, name, providerId }))
  const { received, ...counts } = countOrders({ groups, channels, scope })
  return {
    ...{ from: range.fromMs, to: range.toMs, interval, scope: shownScope(scope) },
    ...counts,
    received: { ...received, unknownOrders },
  }
}

const shownScope = ({ salesChannels, ...scope }: ReturnType<typeof fillScope>): OrderScope => ({
  ...scope,
  ...(salesChannels && { salesChannels: [...salesChannels] }),
})

const withoutNulls = (scope: OrderScope): OrderScope =>
  Object.fromEntries(Object.entries(scope).filter(([, value]) => value != null))

const scopeState = ({ settings }: TagRecord) => ({ ...settings.reconciliation })

export const setReconciliation: AnswerFor<'setReconciliation'> = async ({ params, body, ...who }, deps) => {
  const { tagId } = params
  await requireTag(deps, who.access, tagId)
  if (body.timezone != null && !isTimeZone(body.timezone))
    throw badRequest({ path: 'timezone', message: 'is not a time zone: write a name such as Europe/Berlin' })
  const reconciliation = withoutNulls(body)
  return withChangeLock(tagId, async () => {
    const existing = await requireTag(deps, who.access, tagId)
    const row = updatedTag(existing, undefined, { reconciliation }, { by: who.access.by, nowMs: deps.clock.now() })
    await saveChange(deps, who, {
      what: 'setReconciliation',
      object: tagId,
      before: scopeState(existing),
      after: scopeState(row),
      rows: [{ put: 'tag', row }],
      tagId,
      live: { change: { set: { reconciliation } } },
    })
    return shownScope(fillScope(reconciliation))
  })
}
