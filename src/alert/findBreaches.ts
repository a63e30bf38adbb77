import type { AlertRuleKind } from '#contract/alertKinds.ts'
import type { AlertRule } from '#contract/alertRule.ts'
import type { AlertPhrase } from '#store/incidents.ts'
import type { AlertFigures, Share, WatchedTag } from './alertFigures.ts'
import { phrase } from './alertPhrases.ts'
import { oneLine } from './alertText.ts'
import { hasFallen, hasRisen, isHoliday, lastPeriod, type Period, samePeriods, usualOf } from './usual.ts'

/** A violation of a rule by a channel, or by the whole tag (`''`). Times are epoch ms. */
export type Breach = { subject: string; firstAt: number; lastAt: number; detail: AlertPhrase }

type BreachRequest = { rule: AlertRule; tag: WatchedTag; now: number; figures: AlertFigures }
type FindBreaches = (request: BreachRequest) => Promise<Breach[]>

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Counts of the last two minutes may not be written yet. */
const writingMs = 2 * minuteMs
const numbers = { by: 0.5, above: 0.1, minimum: 10, minutes: 60, seconds: 60, free: 0.1 } as const
const defaults = { ...numbers, per: 'hour', timeZone: 'UTC' } as const
/** By default a rise of 100 % violates the rule. */
const rise = { ...defaults, by: 1 } as const

const ofWhole = (period: Period, detail: AlertPhrase): Breach => ({
  ...{ subject: '', firstAt: period.from, lastAt: period.to, detail },
})

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

const findVolume: FindBreaches = async (request) => {
  const { rule, tag, now, figures } = request
  const isRise = rule.kind === 'volumeRise'
  const { by, minimum, per, timeZone } = { ...(isRise ? rise : defaults), ...rule }
  const period = lastPeriod(now - writingMs, per, timeZone)
  const usual = await usualCount(request, period)
  if (!usual) return []
  const count = await figures.events(tag, period, rule.eventName)
  const limits = { by, minimum, isHoliday: isHoliday(period.from, timeZone) }
  if (!(isRise ? hasRisen : hasFallen)(count, usual, limits)) return []
  return [ofWhole(period, phrase(per === 'hour' ? 'countOfHour' : 'countOfDay', count, Math.round(usual.median)))]
}

/** Without two weeks of history, any silence counts if the tag is older than the period. */
const findSilence: FindBreaches = async (request) => {
  const { rule, tag, now, figures } = request
  const { minutes, minimum } = { ...defaults, ...rule }
  const to = now - writingMs
  const period = { from: to - minutes * minuteMs, to }
  if (tag.createdAt > period.from || (await figures.events(tag, period, rule.eventName)) > 0) return []
  const usual = await usualCount(request, period)
  if (usual && usual.median < minimum) return []
  return [ofWhole(period, phrase('noneSince', minutes))]
}

const findFailures: FindBreaches = async ({ rule, tag, now, figures }) => {
  const { above, minimum } = { ...defaults, ...rule }
  const period = { from: now - hourMs, to: now }
  const breaches: Breach[] = []
  for (const [subject, { part, all }] of await figures.failures(tag, period))
    if (all >= minimum && part > above * all) {
      breaches.push({ ...ofWhole(period, phrase('failedDeliveries', part, all)), subject })
    }
  return breaches
}

const findStopped: FindBreaches = async ({ tag, now, figures }) =>
  (await figures.stopped(tag)).map(({ scriptId, since, reason }) => ({
    ...{ subject: scriptId, firstAt: since, lastAt: now },
    detail: phrase(reason ?? 'isStopped'),
  }))

const isTooMuch = ({ part, all }: Share, { above, minimum }: { above: number; minimum: number }) =>
  all >= minimum && part > above * all

const findMissingValues: FindBreaches = async ({ rule, tag, now, figures }) => {
  const eventName = rule.eventName ?? 'Purchase'
  const period = { from: now - hourMs, to: now }
  const share = await figures.valuesMissing(tag, period, eventName)
  if (!isTooMuch(share, { ...defaults, ...rule })) return []
  return [ofWhole(period, phrase('withoutValue', share.part, share.all))]
}

const findIssues: FindBreaches = async ({ rule, tag, now, figures }) => {
  const period = { from: now - hourMs, to: now }
  const { path, ...share } = await figures.eventIssues(tag, period, rule.eventName ?? 'Purchase')
  if (!isTooMuch(share, { ...defaults, ...rule })) return []
  return [ofWhole(period, phrase('withIssue', share.part, share.all, oneLine(path, 60)))]
}

const findMissingOrders: FindBreaches = async ({ rule, tag, now, figures }) => {
  const period = { from: now - 24 * hourMs, to: now }
  const share = await figures.ordersMissing?.(tag, period)
  if (!share || !isTooMuch(share, { ...defaults, ...rule })) return []
  return [ofWhole(period, phrase('withoutEvent', share.part, share.all))]
}

/**
 * The share of the last period, and the median share of the same periods in earlier weeks; undefined if there are too
 * few.
 */
async function usualShare(
  { rule, tag, now }: BreachRequest,
  per: 'hour' | 'day',
  read: (period: Period) => Promise<Share>,
): Promise<{ period: Period; share: number; usual: number } | undefined> {
  const { minimum, timeZone } = { ...defaults, ...rule }
  const period = lastPeriod(now - writingMs, per, timeZone)
  const { part, all } = await read(period)
  if (all < minimum) return undefined
  const past: Share[] = []
  for (const each of samePeriods(period, tag.createdAt, timeZone)) past.push(await read(each))
  const usual = usualOf(past.flatMap((each) => (each.all >= minimum ? [each.part / each.all] : [])))
  return usual && { period, share: part / all, usual: usual.median }
}

const findFallenKeys: FindBreaches = async (request) => {
  const { rule, tag, figures } = request
  const { by } = { ...defaults, ...rule }
  if (!figures.matchKeys) return []
  const found = await usualShare(request, 'day', (period) => figures.matchKeys!(tag, period))
  if (!found || found.share >= found.usual * (1 - by)) return []
  return [ofWhole(found.period, phrase('fallenShare', found.share, found.usual))]
}

const findFullDisk: FindBreaches = async ({ rule, now, figures }) => {
  const free = await figures.freeDisk()
  if (free === undefined || free >= (rule.free ?? defaults.free)) return []
  return [ofWhole({ from: now, to: now }, phrase('freeDisk', free))]
}

const findSlow: FindBreaches = async ({ rule, tag, now, figures }) => {
  const { seconds, minimum } = { ...defaults, ...rule }
  const period = { from: now - hourMs, to: now }
  const latency = await figures.latency(tag, period)
  if (!latency || latency.count < minimum || latency.p95Ms <= seconds * 1_000) return []
  return [ofWhole(period, phrase('slowDeliveries', seconds))]
}

const findBacklog: FindBreaches = async ({ rule, tag, now, figures }) => {
  const { minutes } = { ...defaults, ...rule }
  return [...(await figures.waiting(tag))].flatMap(([subject, firstAt]) => {
    const waited = Math.floor((now - firstAt) / minuteMs)
    return waited > minutes ? [{ subject, firstAt, lastAt: now, detail: phrase('waitingSince', waited) }] : []
  })
}

/** A small share may double by chance, so it must also rise by ten percentage points. */
const leastRise = 0.1
const findSkipped: FindBreaches = async (request) => {
  const { rule, tag, figures } = request
  const { by } = { ...rise, ...rule }
  const found = await usualShare(request, 'hour', (period) => figures.consentSkipped(tag, period))
  if (!found || found.share < Math.max(found.usual * (1 + by), found.usual + leastRise)) return []
  return [ofWhole(found.period, phrase('skippedShare', found.share, found.usual))]
}

/** Compares the calls refused, or the repeats, of the last hour with the accepted events. */
const findAtIntake =
  (isCounted: (code: string) => boolean, name: 'refusedCalls' | 'repeatedEvents'): FindBreaches =>
  async ({ rule, tag, now, figures }) => {
    const period = { from: now - hourMs, to: now }
    const counts = [...(await figures.intake(tag, period))]
    const part = counts.reduce((sum, [code, count]) => sum + (isCounted(code) ? count : 0), 0)
    const accepted = counts.find(([code]) => code === 'accepted')?.[1] ?? 0
    if (!isTooMuch({ part, all: part + accepted }, { ...defaults, ...rule })) return []
    return [ofWhole(period, phrase(name, part, accepted))]
  }

const dayMs = 24 * hourMs
const maxNewNames = 5
/** If names were left out of the past counts, no name can be called new. */
const findNewNames: FindBreaches = async ({ rule, tag, now, figures }) => {
  const minimum = rule.minimum ?? 20
  const period = { from: now - dayMs, to: now }
  if (tag.createdAt > period.from - dayMs) return []
  const today = await figures.eventNames(tag, period)
  const past = await figures.eventNames(tag, { from: Math.max(tag.createdAt, now - 28 * dayMs), to: period.from })
  if (!past.isWhole) return []
  const fresh = [...today.names].filter(([name, count]) => count >= minimum && !past.names.has(name))
  const listed = fresh.slice(0, maxNewNames).map(([name]) => oneLine(name, 60))
  return fresh.length === 0 ? [] : [ofWhole(period, phrase('newNames', listed.join(', ')))]
}

const finders: Readonly<Record<AlertRuleKind, FindBreaches>> = {
  volumeDrop: findVolume,
  volumeRise: findVolume,
  silence: findSilence,
  failureRate: findFailures,
  channelStopped: findStopped,
  valuesMissing: findMissingValues,
  eventIssues: findIssues,
  matchKeys: findFallenKeys,
  ordersMissing: findMissingOrders,
  latency: findSlow,
  backlog: findBacklog,
  consentSkipped: findSkipped,
  callsRefused: findAtIntake((code) => code !== 'accepted' && code !== 'duplicate', 'refusedCalls'),
  duplicates: findAtIntake((code) => code === 'duplicate', 'repeatedEvents'),
  newEventName: findNewNames,
  disk: findFullDisk,
}

export const findBreaches: FindBreaches = (request) => finders[request.rule.kind](request)
