import type { Stats } from '#contract/delivery.ts'
import type { Reason, Status } from '#contract/outcome.ts'
import type { Counts, DeliveryCount } from './found.ts'

const minuteMs = 60_000
/** So many rows a list by name has at most: the largest. */
const mostNames = 100

/** Which deliveries and events are summed up; times are epoch ms. */
export type StatsAsked = {
  from: number
  to: number
  step: Stats['step']
  scriptId?: string
  eventName?: string
  status?: Status
  reason?: Reason
}

const rounded = (value: number, digits = 4) => Number(value.toFixed(digits))
type StatusCounts = Partial<Record<Status, number>>

/** Sums by a key. */
class Sums<Key> extends Map<Key, number> {
  add(key: Key, count: number): void {
    this.set(key, (this.get(key) ?? 0) + count)
  }
}

/** Counts of statuses by a key. */
class StatusSums<Key> extends Map<Key, StatusCounts> {
  add(key: Key, status: Status, count: number): void {
    const counts = this.get(key) ?? {}
    counts[status] = (counts[status] ?? 0) + count
    this.set(key, counts)
  }
}

function shareOf(counts: StatusCounts, minutes: number) {
  const { delivered = 0, refused = 0, dead = 0 } = counts
  const tried = delivered + refused + dead
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return {
    counts,
    total,
    perMinute: rounded(total / minutes),
    ...(tried > 0 && { deliveredRate: rounded(delivered / tried) }),
  }
}

const fits = ({ scriptId, eventName, status, reason }: StatsAsked, row: DeliveryCount) =>
  (scriptId ?? row.scriptId) === row.scriptId &&
  (eventName ?? row.eventName) === row.eventName &&
  (status ?? row.status) === row.status &&
  (reason ?? row.reason) === row.reason

const largest = <Row extends { total: number }>(rows: readonly Row[]) =>
  rows.toSorted((one, other) => other.total - one.total).slice(0, mostNames)

type IssueRow = Stats['issues'][number]

/** What was summed up so far. It grows with the scripts, names, reasons and steps that there are, not with the rows. */
type Summed = {
  eventsByName: Sums<string>
  eventsByStep: Sums<number>
  byScript: StatusSums<string>
  byName: StatusSums<string>
  byStep: StatusSums<number>
  byReason: Sums<string>
  refusedByStep: Sums<number>
  refused: Sums<'team' | 'tag'>
  issues: Map<string, IssueRow>
}

function add(to: Summed, asked: StatsAsked, { events, deliveries, issues, refused }: Counts): void {
  const isNamed = ({ eventName }: { eventName: string }) => (asked.eventName ?? eventName) === eventName
  for (const { at, eventName, count } of events.filter(isNamed)) {
    to.eventsByName.add(eventName, count)
    to.eventsByStep.add(at, count)
  }
  for (const row of deliveries) {
    if (!fits(asked, row)) continue
    const { at, scriptId, eventName, status, reason, count } = row
    to.byScript.add(scriptId, status, count)
    to.byName.add(eventName, status, count)
    to.byStep.add(at, status, count)
    if (reason) to.byReason.add(`${status} ${reason}`, count)
  }
  for (const { at, of, count } of refused) {
    to.refusedByStep.add(at, count)
    to.refused.add(of, count)
  }
  for (const row of issues.filter(isNamed)) {
    const key = `${row.eventName}\0${row.path}\0${row.message}`
    to.issues.set(key, { ...row, count: row.count + (to.issues.get(key)?.count ?? 0) })
  }
}

function resultOf(summed: Summed, { from, to, step }: StatsAsked): Stats {
  const minutes = Math.max(1, (to - from) / minuteMs)
  const { eventsByName, eventsByStep, byScript, byName, byStep, byReason, refused, refusedByStep } = summed
  const total = eventsByName.values().reduce((sum, count) => sum + count, 0)
  const all = new StatusSums<'all'>([['all', {}]])
  for (const counts of byScript.values())
    for (const [status, count] of Object.entries(counts)) all.add('all', status as Status, count)
  const names = new Set([...eventsByName.keys(), ...byName.keys()])
  const steps = new Set([...eventsByStep.keys(), ...byStep.keys(), ...refusedByStep.keys()])
  return {
    from,
    to,
    step,
    events: { total, perMinute: rounded(total / minutes) },
    refusedCalls: {
      total: (refused.get('team') ?? 0) + (refused.get('tag') ?? 0),
      ofTeam: refused.get('team') ?? 0,
      ofTag: refused.get('tag') ?? 0,
    },
    deliveries: shareOf(all.get('all')!, minutes),
    byScript: largest([...byScript].map(([scriptId, counts]) => ({ scriptId, ...shareOf(counts, minutes) }))),
    byEvent: largest(
      [...names].map((eventName) => {
        const came = eventsByName.get(eventName) ?? 0
        return { eventName, events: came, ...shareOf(byName.get(eventName) ?? {}, minutes) }
      }),
    ),
    byReason: [...byReason].map(([name, count]) => {
      const [status, reason] = name.split(' ') as [Status, Reason]
      return { status, reason, count }
    }),
    series: [...steps]
      .sort((one, other) => one - other)
      .map((at) => ({
        at,
        events: eventsByStep.get(at) ?? 0,
        refusedCalls: refusedByStep.get(at) ?? 0,
        counts: byStep.get(at) ?? {},
      })),
    issues: [...summed.issues.values()].sort((one, other) => other.count - one.count).slice(0, mostNames),
  }
}

/** Sums up counts as they are read, some at a time. A step may come in several rows. */
export function sumStats(asked: StatsAsked): { add(counts: Counts): void; result(): Stats } {
  const summed: Summed = {
    eventsByName: new Sums(),
    eventsByStep: new Sums(),
    byScript: new StatusSums(),
    byName: new StatusSums(),
    byStep: new StatusSums(),
    byReason: new Sums(),
    refusedByStep: new Sums(),
    refused: new Sums(),
    issues: new Map(),
  }
  return { add: (counts) => add(summed, asked, counts), result: () => resultOf(summed, asked) }
}
