import { endedOf } from '#contract/channel.ts'
import type { Stats } from '#contract/stats.ts'
import type { Clock } from '#kit/clock.ts'
import { createLruCache } from '#kit/lruCache.ts'
import { readOutcomeText } from '#order/outcome.ts'
import { fillScope, isExpected } from '#order/scope.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { ChannelPause, Store } from '#store/store.ts'
import type { AlertFigures, Share, StopReason, WatchedTag } from './alertFigures.ts'
import type { Period } from './usual.ts'

type StoreFigureDeps = {
  clock: Pick<Clock, 'now'>
  store: Pick<Store, 'queries' | 'journal'>
  snapshots: Pick<Snapshots, 'get' | 'isPaused'>
  /** The free share of the data disk; undefined if the data is in a separate database. */
  freeDisk(): Promise<number | undefined>
}

const pausesMs = 5_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Match keys are counted by full hours. */
const hourOf = (at: number) => Math.floor(at / hourMs) * hourMs
/** The maximum names in the list of events by name (store/stats.ts). */
const maxListedNames = 100
/** The paths that an issue has if a purchase lacks a value, or if its value is not a number above 0. */
const valuePaths: ReadonlySet<string> = new Set(['data.value', 'value'])

type CountFigure =
  | 'events'
  | 'failures'
  | 'latency'
  | 'consentSkipped'
  | 'intake'
  | 'eventNames'
  | 'valuesMissing'
  | 'eventIssues'
  | 'matchKeys'

/** The delivery and event counts of a period that rules use. */
type PeriodSums = {
  events: number
  failures: ReadonlyMap<string, Share>
  latency: { p95Ms: number; count: number } | undefined
  consentSkipped: Share
  valuesMissing: Share
  eventIssues: Share & { path: string }
}

function sumsOf({ events, byScript, latency, byReason, deliveries, issues }: Stats): PeriodSums {
  const failuresOf = ({ counts }: (typeof byScript)[number]): Share => {
    const { delivered, failed } = endedOf(counts)
    return { part: failed, all: delivered + failed }
  }
  const skipped = byReason.filter(({ status, reason }) => status === 'skipped' && reason === 'consent')
  // The most frequent one is first.
  const [worst] = issues
  return {
    events: events.total,
    failures: new Map(byScript.map((row) => [row.scriptId, failuresOf(row)])),
    latency: latency.delivery,
    consentSkipped: { part: countOf(skipped), all: deliveries.total },
    valuesMissing: { part: countOf(issues.filter(({ path }) => valuePaths.has(path))), all: events.total },
    eventIssues: { part: worst?.count ?? 0, all: events.total, path: worst?.path ?? '' },
  }
}

const minuteOf = (at: number) => Math.floor(at / 60_000)

/** Caches the sums of a period for all rules of a tag: for a minute, or for good if the period ended over a day ago. */
function createPeriodSums({ store, clock }: Pick<StoreFigureDeps, 'store' | 'clock'>) {
  const known = createLruCache<string, Promise<PeriodSums>>(5_000)
  return ({ teamId, tagId }: WatchedTag, { from, to }: Period, eventName?: string): Promise<PeriodSums> => {
    const now = clock.now()
    const readAt = to < now - dayMs ? 'once' : minuteOf(now)
    const key = JSON.stringify([tagId, minuteOf(from), minuteOf(to), readAt, eventName])
    const there = known.get(key)
    if (there) return there
    const request = { from, to, step: 'hour', ...(eventName !== undefined && { eventName }) } as const
    const read = store.queries(teamId).stats(tagId, request).then(sumsOf)
    known.set(key, read)
    read.catch(() => known.delete(key))
    return read
  }
}

/** Figures from the counts of the journal. */
function createCountFigures(deps: Pick<StoreFigureDeps, 'store' | 'clock'>): Pick<AlertFigures, CountFigure> {
  const { store } = deps
  const sums = createPeriodSums(deps)
  return {
    events: async (tag, period, eventName) => (await sums(tag, period, eventName)).events,
    failures: async (tag, period) => (await sums(tag, period)).failures,
    latency: async (tag, period) => (await sums(tag, period)).latency,
    consentSkipped: async (tag, period) => (await sums(tag, period)).consentSkipped,
    async intake({ teamId, tagId }, period) {
      const { counts } = await store.queries(teamId).intake(tagId, { ...period, step: 'hour' })
      const byCode = Map.groupBy(counts, ({ code }) => code)
      return new Map([...byCode].map(([code, rows]) => [code, countOf(rows)]))
    },
    async eventNames({ teamId, tagId }, period) {
      const { byEvent } = await store.queries(teamId).stats(tagId, { ...period, step: 'day' })
      const isWhole = byEvent.length < maxListedNames && !byEvent.some(({ eventName }) => eventName === '(other)')
      return { names: new Map(byEvent.map(({ eventName, events }) => [eventName, events])), isWhole }
    },
    valuesMissing: async (tag, period, eventName) => (await sums(tag, period, eventName)).valuesMissing,
    eventIssues: async (tag, period, eventName) => (await sums(tag, period, eventName)).eventIssues,
    async matchKeys({ teamId, tagId }, { from, to }) {
      const { sums } = await store.queries(teamId).matches(tagId, { from: hourOf(from), to: hourOf(to) })
      const countWhat = (name: string) => countOf(sums.filter(({ what }) => what === name))
      return { part: countWhat('strong'), all: countWhat('events') }
    },
  }
}

/** Reads figures from the counts of the journal. Queries of a team take turns with its other queries. */
export function createStoreFigures(deps: StoreFigureDeps): AlertFigures {
  const { store, snapshots, clock } = deps
  let read: { at: number; pauses: Promise<Map<string, ChannelPause[]>> } | undefined

  /** One query for all tags. */
  function pausesByTag(): Promise<Map<string, ChannelPause[]>> {
    const now = clock.now()
    if (read && read.at <= now && now < read.at + pausesMs) return read.pauses
    const pauses = store.journal.pauses().then((rows) => Map.groupBy(rows, ({ tagId }) => tagId))
    read = { at: now, pauses }
    pauses.catch(() => {
      read = undefined
    })
    return pauses
  }
  return {
    ...createCountFigures(deps),
    async stopped({ tagId }) {
      const scripts = snapshots.get(tagId)?.scripts ?? []
      const pauses = new Map((await pausesByTag()).get(tagId)?.map((pause) => [pause.scriptId, pause]))
      return scripts.flatMap(({ scriptId }) => {
        if (snapshots.isPaused(scriptId)) return [{ scriptId, since: clock.now(), reason: 'isPaused' as const }]
        const pause = pauses.get(scriptId)
        return pause && pause.reason !== 'throttled'
          ? [{ scriptId, since: pause.since, reason: stopReason(pause.reason) }]
          : []
      })
    },
    async waiting({ teamId, tagId }) {
      const scriptIds = (snapshots.get(tagId)?.scripts ?? []).map(({ scriptId }) => scriptId)
      if (scriptIds.length === 0) return new Map()
      const channels = await store.queries(teamId).channels(tagId, scriptIds)
      return new Map(
        channels.flatMap(({ scriptId, oldestAt }) => (oldestAt === undefined ? [] : [[scriptId, oldestAt] as const])),
      )
    },
    async ordersMissing({ teamId, tagId }, { from, to }) {
      const scope = fillScope(snapshots.get(tagId)?.reconciliation)
      const range = { fromMs: from, toMs: to, openAfter: clock.now() - scope.graceMs }
      const groups = await store.queries(teamId).orderGroups(tagId, range)
      const expected = groups.filter((group) => !group.isOpen && isExpected(group, scope))
      const missing = expected.filter(({ outcome }) => readOutcomeText(outcome).received === 'none')
      return { part: countOf(missing), all: countOf(expected) }
    },
    freeDisk: deps.freeDisk,
  }
}

const countOf = (groups: readonly { count: number }[]) => groups.reduce((sum, { count }) => sum + count, 0)

const stopReason = (reason: ChannelPause['reason']): StopReason =>
  reason === 'keyRejected' ? 'isKeyRejected' : 'isVendorDown'
