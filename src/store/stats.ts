import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Stats, TeamStats } from '#contract/stats.ts'
import type { DeliveryCount, JournalCounts, TagCounts } from './deliveryQueries.ts'
import { LatencySums } from './latencySums.ts'

const minuteMs = 60_000
/** The maximum number of rows in a list by name, which has the largest counts. */
const maxNames = 100
/** The maximum number of scripts with their own series. */
const maxScriptSeries = 10

/** Selects the deliveries and events to sum up. Times are epoch ms. */
export type StatsRequest = {
  from: number
  to: number
  step: Stats['step']
  scriptId?: string
  eventName?: string
  statuses?: readonly DeliveryStatus[]
  reasons?: readonly DeliveryReason[]
  /** The scripts with the most deliveries also have their own series. */
  hasScriptSeries?: boolean
}

const roundTo = (value: number, digits = 4) => Number(value.toFixed(digits))
type StatusCounts = Partial<Record<DeliveryStatus, number>>

/** Sums by key. */
class Sums<Key> extends Map<Key, number> {
  add(key: Key, count: number): void {
    this.set(key, (this.get(key) ?? 0) + count)
  }
}

/** Counts of statuses by key. */
class StatusSums<Key> extends Map<Key, StatusCounts> {
  add(key: Key, status: DeliveryStatus, count: number): void {
    const counts = this.get(key) ?? {}
    counts[status] = (counts[status] ?? 0) + count
    this.set(key, counts)
  }
}

function deliveryShare(counts: StatusCounts, minutes: number) {
  const { delivered = 0, refused = 0, dead = 0 } = counts
  const attempted = delivered + refused + dead
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return {
    counts,
    total,
    perMinute: roundTo(total / minutes),
    ...(attempted > 0 && { deliveredRate: roundTo(delivered / attempted) }),
  }
}

const matchesRequest = ({ scriptId, eventName, statuses, reasons }: StatsRequest, row: DeliveryCount) =>
  (scriptId ?? row.scriptId) === row.scriptId &&
  (eventName ?? row.eventName) === row.eventName &&
  (statuses?.includes(row.status) ?? true) &&
  (reasons === undefined || (row.reason !== undefined && reasons.includes(row.reason)))

const topByTotal = <Row extends { total: number }>(rows: readonly Row[]) =>
  rows.toSorted((one, other) => other.total - one.total).slice(0, maxNames)

/** Empty sums. Their size depends on the number of scripts, names, reasons and steps, not on the number of rows. */
const noSums = () => ({
  eventsByName: new Sums<string>(),
  eventsByStep: new Sums<number>(),
  byScript: new StatusSums<string>(),
  stepsByScript: new Map<string, StatusSums<number>>(),
  latencies: new LatencySums(),
  byName: new StatusSums<string>(),
  byStep: new StatusSums<number>(),
  byReason: new Sums<string>(),
  refusedByStep: new Sums<number>(),
  refused: new Sums<'team' | 'tag'>(),
  issues: new Map<string, Stats['issues'][number]>(),
})
type StatsSums = ReturnType<typeof noSums>

function addCounts(
  sums: StatsSums,
  request: StatsRequest,
  { events, deliveries, issues, refused, latencies }: JournalCounts,
): void {
  const isNamed = ({ eventName }: { eventName: string }) => (request.eventName ?? eventName) === eventName
  for (const { at, eventName, count } of events.filter(isNamed)) {
    sums.eventsByName.add(eventName, count)
    sums.eventsByStep.add(at, count)
  }
  for (const row of deliveries) {
    if (!matchesRequest(request, row)) continue
    const { at, scriptId, eventName, status, reason, count } = row
    sums.byScript.add(scriptId, status, count)
    if (request.hasScriptSeries) addScriptStep(sums, row)
    sums.byName.add(eventName, status, count)
    sums.byStep.add(at, status, count)
    if (reason) sums.byReason.add(`${status} ${reason}`, count)
  }
  for (const { at, of, count } of refused) {
    sums.refusedByStep.add(at, count)
    sums.refused.add(of, count)
  }
  for (const row of latencies) if ((request.scriptId ?? row.scriptId) === row.scriptId) sums.latencies.add(row)
  for (const row of issues.filter(isNamed)) {
    const key = `${row.eventName}\0${row.path}\0${row.message}`
    sums.issues.set(key, { ...row, count: row.count + (sums.issues.get(key)?.count ?? 0) })
  }
}

function addScriptStep({ stepsByScript }: StatsSums, { at, scriptId, status, count }: DeliveryCount): void {
  const steps = stepsByScript.get(scriptId) ?? new StatusSums<number>()
  stepsByScript.set(scriptId, steps)
  steps.add(at, status, count)
}

function scriptRows({ byScript, stepsByScript, latencies }: StatsSums, minutes: number): Stats['byScript'] {
  const shares = [...byScript].map(([scriptId, counts]) => ({ scriptId, ...deliveryShare(counts, minutes) }))
  return topByTotal(shares).map((row, rank) => {
    const steps = rank < maxScriptSeries ? stepsByScript.get(row.scriptId) : undefined
    const series = steps && [...steps].sort(([one], [other]) => one - other).map(([at, counts]) => ({ at, counts }))
    return { ...row, latency: latencies.ofScript(row.scriptId), ...(series && { series }) }
  })
}

function toStats(sums: StatsSums, { from, to, step }: StatsRequest): Stats {
  const minutes = Math.max(1, (to - from) / minuteMs)
  const { eventsByName, eventsByStep, byScript, byName, byStep, byReason, refused, refusedByStep, latencies } = sums
  const total = eventsByName.values().reduce((sum, count) => sum + count, 0)
  const all = new StatusSums<'all'>([['all', {}]])
  for (const counts of byScript.values())
    for (const [status, count] of Object.entries(counts)) all.add('all', status as DeliveryStatus, count)
  const names = new Set([...eventsByName.keys(), ...byName.keys()])
  const steps = new Set([...eventsByStep.keys(), ...byStep.keys(), ...refusedByStep.keys(), ...latencies.steps])
  return {
    from,
    to,
    step,
    events: { total, perMinute: roundTo(total / minutes) },
    refusedCalls: {
      total: (refused.get('team') ?? 0) + (refused.get('tag') ?? 0),
      ofTeam: refused.get('team') ?? 0,
      ofTag: refused.get('tag') ?? 0,
    },
    deliveries: deliveryShare(all.get('all')!, minutes),
    latency: latencies.all(),
    byScript: scriptRows(sums, minutes),
    byEvent: topByTotal(
      [...names].map((eventName) => {
        const eventCount = eventsByName.get(eventName) ?? 0
        return { eventName, events: eventCount, ...deliveryShare(byName.get(eventName) ?? {}, minutes) }
      }),
    ),
    byReason: [...byReason].map(([name, count]) => {
      const [status, reason] = name.split(' ') as [DeliveryStatus, DeliveryReason]
      return { status, reason, count }
    }),
    series: [...steps]
      .sort((one, other) => one - other)
      .map((at) => ({
        at,
        events: eventsByStep.get(at) ?? 0,
        refusedCalls: refusedByStep.get(at) ?? 0,
        counts: byStep.get(at) ?? {},
        latency: latencies.ofStep(at),
      })),
    issues: [...sums.issues.values()].sort((one, other) => other.count - one.count).slice(0, maxNames),
  }
}

/** Sums up slices of counts as they are read. Several rows may have the same step. */
export function createStatsSums(request: StatsRequest): { add(counts: JournalCounts): void; result(): Stats } {
  const sums = noSums()
  return { add: (counts) => addCounts(sums, request, counts), result: () => toStats(sums, request) }
}

/** The counts of one tag, without scripts, names and reasons. */
export function toTagStats(
  { tagId, events, deliveries, refused }: TagCounts,
  { from, to }: Pick<StatsRequest, 'from' | 'to'>,
): Omit<TeamStats['tags'][number], 'name'> {
  const minutes = Math.max(1, (to - from) / minuteMs)
  const eventsByStep = new Sums<number>()
  const byStep = new StatusSums<number>()
  const all = new StatusSums<'all'>([['all', {}]])
  const total = events.reduce((sum, { count }) => sum + count, 0)
  for (const { at, count } of events) eventsByStep.add(at, count)
  for (const { at, status, count } of deliveries) {
    byStep.add(at, status, count)
    all.add('all', status, count)
  }
  const refusedOf = (wanted: 'team' | 'tag') => refused.find(({ of }) => of === wanted)?.count ?? 0
  const [ofTeam, ofTag] = [refusedOf('team'), refusedOf('tag')]
  return {
    tagId,
    events: { total, perMinute: roundTo(total / minutes) },
    refusedCalls: { total: ofTeam + ofTag, ofTeam, ofTag },
    deliveries: deliveryShare(all.get('all')!, minutes),
    series: [...new Set([...eventsByStep.keys(), ...byStep.keys()])]
      .sort((one, other) => one - other)
      .map((at) => ({ at, events: eventsByStep.get(at) ?? 0, counts: byStep.get(at) ?? {} })),
  }
}
