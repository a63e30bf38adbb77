import type { AlertRuleKind } from '#contract/alertKinds.ts'
import type { AlertRule } from '#contract/alertRule.ts'
import type { AlertFigures, Share, WatchedTag } from './alertFigures.ts'
import { hasFallen, isHoliday, lastPeriod, type Period, samePeriods, usualOf } from './usual.ts'

/** What breaks a rule now: a channel, or the whole tag (`''`). Times are epoch ms. */
export type Breach = { subject: string; firstAt: number; lastAt: number; detail: string }

type BreachRequest = { rule: AlertRule; tag: WatchedTag; now: number; figures: AlertFigures }
type FindBreaches = (request: BreachRequest) => Promise<Breach[]>

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** The counts of the last minutes are not all written. */
const writingMs = 2 * minuteMs
const defaults = { by: 0.5, above: 0.1, minimum: 10, minutes: 60, free: 0.1, per: 'hour', timeZone: 'UTC' } as const

const percent = (share: number) => `${Math.round(share * 1_000) / 10} %`
const ofWhole = (period: Period, detail: string): Breach => ({
  ...{ subject: '', firstAt: period.from, lastAt: period.to, detail },
})
const named = (eventName: string | undefined) => (eventName === undefined ? 'events' : `${eventName} events`)

async function usualCount(
  { rule, tag, figures }: BreachRequest,
  period: Period,
  read: (past: Period) => Promise<number> = (past) => figures.events(tag, past, rule.eventName),
) {
  const past = samePeriods(period, tag.createdAt, rule.timeZone ?? defaults.timeZone)
  const counts: number[] = []
  for (const each of past) counts.push(await read(each))
  return usualOf(counts)
}

const findVolumeDrop: FindBreaches = async (request) => {
  const { rule, tag, now, figures } = request
  const { by, minimum, per, timeZone } = { ...defaults, ...rule }
  const period = lastPeriod(now - writingMs, per, timeZone)
  const usual = await usualCount(request, period)
  if (!usual) return []
  const count = await figures.events(tag, period, rule.eventName)
  if (!hasFallen(count, usual, { by, minimum, isHoliday: isHoliday(period.from, timeZone) })) return []
  return [
    ofWhole(period, `${count} ${named(rule.eventName)} in the last ${per}; usual are ${Math.round(usual.median)}`),
  ]
}

/** Where a tag has no two weeks of history, any silence counts, once the tag has had the time. */
const findSilence: FindBreaches = async (request) => {
  const { rule, tag, now, figures } = request
  const { minutes, minimum } = { ...defaults, ...rule }
  const to = now - writingMs
  const period = { from: to - minutes * minuteMs, to }
  if (tag.createdAt > period.from || (await figures.events(tag, period, rule.eventName)) > 0) return []
  const usual = await usualCount(request, period)
  if (usual && usual.median < minimum) return []
  return [ofWhole(period, `no ${named(rule.eventName)} for ${minutes} minutes`)]
}

const findFailures: FindBreaches = async ({ rule, tag, now, figures }) => {
  const { above, minimum } = { ...defaults, ...rule }
  const period = { from: now - hourMs, to: now }
  const breaches: Breach[] = []
  for (const [subject, { part, all }] of await figures.failures(tag, period))
    if (all >= minimum && part > above * all) {
      const detail = `${part} of ${all} deliveries of the last hour failed`
      breaches.push({ ...ofWhole(period, detail), subject })
    }
  return breaches
}

const findStopped: FindBreaches = async ({ tag, now, figures }) =>
  (await figures.stopped(tag)).map(({ scriptId, since, reason }) => ({
    ...{ subject: scriptId, firstAt: since, lastAt: now },
    detail: reason === undefined ? 'the channel is stopped' : `the channel is stopped: ${reason}`,
  }))

const isTooMuch = ({ part, all }: Share, { above, minimum }: { above: number; minimum: number }) =>
  all >= minimum && part > above * all

const findMissingValues: FindBreaches = async ({ rule, tag, now, figures }) => {
  const eventName = rule.eventName ?? 'Purchase'
  const period = { from: now - hourMs, to: now }
  const share = await figures.valuesMissing(tag, period, eventName)
  if (!isTooMuch(share, { ...defaults, ...rule })) return []
  return [ofWhole(period, `${share.part} of ${share.all} ${eventName} events of the last hour have no value`)]
}

const findMissingOrders: FindBreaches = async ({ rule, tag, now, figures }) => {
  const period = { from: now - 24 * hourMs, to: now }
  const share = await figures.ordersMissing?.(tag, period)
  if (!share || !isTooMuch(share, { ...defaults, ...rule })) return []
  return [ofWhole(period, `${share.part} of ${share.all} orders of the last day have no event`)]
}

/** The share of the last day beside the median of the same days of the weeks before. */
const findFallenKeys: FindBreaches = async (request) => {
  const { rule, tag, now, figures } = request
  const { by, minimum, timeZone } = { ...defaults, ...rule }
  if (!figures.matchKeys) return []
  const period = lastPeriod(now - writingMs, 'day', timeZone)
  const share = await figures.matchKeys(tag, period)
  if (share.all < minimum) return []
  const past: number[] = []
  for (const each of samePeriods(period, tag.createdAt, timeZone)) {
    const { part, all } = await figures.matchKeys(tag, each)
    if (all >= minimum) past.push(part / all)
  }
  const usual = usualOf(past)
  const keyed = share.part / share.all
  if (!usual || keyed >= usual.median * (1 - by)) return []
  return [
    ofWhole(period, `${percent(keyed)} of the events of a day have a match key; usual are ${percent(usual.median)}`),
  ]
}

const findFullDisk: FindBreaches = async ({ rule, now, figures }) => {
  const free = await figures.freeDisk()
  if (free === undefined || free >= (rule.free ?? defaults.free)) return []
  return [ofWhole({ from: now, to: now }, `${percent(free)} of the server's disk are free`)]
}

const finders: Readonly<Record<AlertRuleKind, FindBreaches>> = {
  volumeDrop: findVolumeDrop,
  silence: findSilence,
  failureRate: findFailures,
  channelStopped: findStopped,
  valuesMissing: findMissingValues,
  matchKeys: findFallenKeys,
  ordersMissing: findMissingOrders,
  disk: findFullDisk,
}

/** What breaks a rule on one tag. */
export const findBreaches: FindBreaches = (request) => finders[request.rule.kind](request)
