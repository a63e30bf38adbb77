import type { Stats } from '#contract/delivery.ts'
import { badRequest } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { Reason, Status } from '#contract/outcome.ts'
import type { Answer } from '#http/bind.ts'
import type { Counts, DeliveryCount } from '#store/found.ts'
import { knownTag } from './tags.ts'
import type { ControlWorld } from './world.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const minutesOf = { minute: 1, hour: 60, day: 24 * 60 } as const
/** So many steps may a series have, and so many rows a list by name. */
const mostSteps = 1_500
const mostNames = 100

type Step = keyof typeof minutesOf
type Range = { from: number; to: number; step: Step }
type Which = { scriptId?: string; eventName?: string; status?: Status; reason?: Reason }

const sum = (rows: readonly { count: number }[]) => rows.reduce((total, { count }) => total + count, 0)
const rounded = (value: number, digits = 4) => Number(value.toFixed(digits))

function countsOf(rows: readonly DeliveryCount[]): Partial<Record<Status, number>> {
  const counts: Partial<Record<Status, number>> = {}
  for (const { status, count } of rows) counts[status] = (counts[status] ?? 0) + count
  return counts
}

function shareOf(rows: readonly DeliveryCount[], minutes: number) {
  const counts = countsOf(rows)
  const { delivered = 0, refused = 0, dead = 0 } = counts
  const tried = delivered + refused + dead
  const total = sum(rows)
  return {
    counts,
    total,
    perMinute: rounded(total / minutes),
    ...(tried > 0 && { deliveredRate: rounded(delivered / tried) }),
  }
}

const fits =
  ({ scriptId, eventName, status, reason }: Which) =>
  (row: DeliveryCount) =>
    (scriptId ?? row.scriptId) === row.scriptId &&
    (eventName ?? row.eventName) === row.eventName &&
    (status ?? row.status) === row.status &&
    (reason ?? row.reason) === row.reason

const largest = <Row extends { total: number }>(rows: readonly Row[]) =>
  rows.toSorted((one, other) => other.total - one.total).slice(0, mostNames)

/** What was counted, as it is asked for. Pure. */
export function statsOf(counted: Counts, which: Which, { from, to, step }: Range): Stats {
  const minutes = Math.max(1, (to - from) / minuteMs)
  const rows = counted.deliveries.filter(fits(which))
  const isNamed = ({ eventName }: { eventName: string }) => (which.eventName ?? eventName) === eventName
  const events = counted.events.filter(isNamed)
  const by = <Key>(key: (row: DeliveryCount) => Key) => [...Map.groupBy(rows, key)]
  const eventsBy = Map.groupBy(events, ({ eventName }) => eventName)
  const eventsAt = Map.groupBy(events, ({ at }) => at)
  const rowsAt = Map.groupBy(rows, ({ at }) => at)
  const names = new Set([...eventsBy.keys(), ...rows.map(({ eventName }) => eventName)])
  const ofName = Map.groupBy(rows, ({ eventName }) => eventName)
  return {
    from,
    to,
    step,
    events: { total: sum(events), perMinute: rounded(sum(events) / minutes) },
    deliveries: shareOf(rows, minutes),
    byScript: largest(by((row) => row.scriptId).map(([scriptId, of]) => ({ scriptId, ...shareOf(of, minutes) }))),
    byEvent: largest(
      [...names].map((eventName) => {
        const came = sum(eventsBy.get(eventName) ?? [])
        return { eventName, events: came, ...shareOf(ofName.get(eventName) ?? [], minutes) }
      }),
    ),
    byReason: by(({ status, reason = '' }) => `${status} ${reason}`).flatMap(([, of]) => {
      const { status, reason } = of[0]!
      return reason ? [{ status, reason, count: sum(of) }] : []
    }),
    series: [...new Set([...eventsAt.keys(), ...rowsAt.keys()])]
      .sort((one, other) => one - other)
      .map((at) => ({ at, events: sum(eventsAt.get(at) ?? []), counts: countsOf(rowsAt.get(at) ?? []) })),
    issues: issuesOf(counted.issues.filter(isNamed)),
  }
}

/** Those of several stretches of time together, the most frequent first. */
function issuesOf(issues: Counts['issues']): Counts['issues'] {
  const alike = Map.groupBy(issues, ({ eventName, path, message }) => `${eventName}\0${path}\0${message}`)
  const rows = [...alike.values()].map((of) => ({ ...of[0]!, count: sum(of) }))
  return rows.sort((one, other) => other.count - one.count).slice(0, mostNames)
}

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
  const range = rangeOf(query, on.clock.now())
  const stepMinutes = minutesOf[range.step]
  const asked = { fromMs: range.from, toMs: range.to, stepMinutes }
  return statsOf(await on.store.journal.counts(tag.tagId, asked), query, range)
}
