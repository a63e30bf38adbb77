import type { Clock } from '#kit/clock.ts'

/**
 * Limits the teams that send most while the main thread is overloaded and several teams send events. The limit is one rate
 * for all teams, found by additive increase and multiplicative decrease (AIMD): each second it falls by a quarter while
 * the load is above the target, and rises while the load is below. A team that sends less than the rate is not limited,
 * and a team alone is never limited.
 */
export type FairShare = {
  /** The present rate in events a second; infinity while there is no limit. */
  perSecond(): number
  /** Whether the team may send more events in this second. Trusted calls may exceed the rate by a tenth. */
  mayTake(teamId: string, isTrusted: boolean): boolean
  /** Counts events of the team. */
  take(teamId: string, events: number): void
}

export type FairShareDeps = {
  clock: Pick<Clock, 'now'>
  /** The share of time, from 0 to 1, for which the main thread was busy since the previous call. */
  load(): number
  /** The load above which the rate falls. From 1 on it never does. */
  target: number
}

const windowMs = 1_000
/** No load limits a team to less: events a second. */
const leastPerSecond = 50
/** Strangers who use up the rate of a team do not lock out its own server. */
const trustedShare = 1.1
const decrease = 0.75
const increase = 1.05
/** Below this part of the target the rate rises. Between the two it stays. */
const lowLoad = 0.85

/** The rate for the next second. `counts`: the events of each team in the last one. */
export function nextRate(rate: number, counts: readonly number[], load: number, target: number): number {
  const most = Math.max(0, ...counts)
  if (load > target && counts.length > 1) return Math.max(leastPerSecond, decrease * Math.min(rate, most))
  if (load > lowLoad * target && counts.length > 1) return rate
  const higher = rate * increase + 1
  return higher > 2 * most ? Number.POSITIVE_INFINITY : higher
}

export function openFairShare({ clock, load, target }: FairShareDeps): FairShare {
  let counts = new Map<string, number>()
  let startedAt = clock.now()
  let rate = Number.POSITIVE_INFINITY

  /** Ends the window when its time is over. After a pause without calls no limit is left. */
  function turn(): void {
    const passedMs = clock.now() - startedAt
    if (passedMs >= 0 && passedMs < windowMs) return
    const isPause = passedMs < 0 || passedMs > 10 * windowMs
    const present = load()
    rate = isPause ? Number.POSITIVE_INFINITY : nextRate(rate, perSecondOf(counts, passedMs), present, target)
    counts = new Map()
    startedAt = clock.now()
  }

  return {
    perSecond: () => rate,
    mayTake(teamId, isTrusted) {
      turn()
      return (counts.get(teamId) ?? 0) < (isTrusted ? trustedShare * rate : rate)
    },
    take(teamId, events) {
      counts.set(teamId, (counts.get(teamId) ?? 0) + events)
    },
  }
}

const perSecondOf = (counts: ReadonlyMap<string, number>, passedMs: number) =>
  [...counts.values()].map((count) => (count * windowMs) / passedMs)
