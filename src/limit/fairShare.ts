import type { Clock } from '#kit/clock.ts'

/**
 * Limits the teams that send most while the main thread is overloaded and several teams send events. The limit is one rate
 * for all teams, found by additive increase and multiplicative decrease (AIMD): twice a second it falls by a quarter while
 * the load is above the target, and rises while the load is below. Each team has a token bucket of a tenth of a second at
 * this rate, so that it cannot use up a second's share at once and delay the others until it is done. A team that sends
 * less than the rate is not limited, and a team alone is never limited.
 */
export type FairShare = {
  /** The present rate in events a second; infinity while there is no limit. */
  perSecond(): number
  /** Whether the team may send more events now. Trusted calls may run ahead of the rate by a tenth of a second. */
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

export const windowMs = 500
/** A team that sent nothing for this time is no longer one of several. */
const activeMs = 1_000
/** After this time without calls no limit is left. */
const pauseMs = 10_000
/** No load limits a team to less: events a second. */
const leastPerSecond = 200
/** The events that a team may send at once in any case: two lists of the largest size. */
const leastBurst = 1_000
/** The burst, and what trusted calls may owe, in seconds at the rate. Strangers who use up the rate do not lock out the team. */
const burstSeconds = 0.1
const decrease = 0.75
const increase = 1.05
/** Below this part of the target the rate rises. Between the two it stays. */
const lowLoad = 0.85

/** The rate of the next window. `rates`: the events a second of each active team. */
export function nextRate(rate: number, rates: readonly number[], load: number, target: number): number {
  const most = Math.max(0, ...rates)
  if (load > target && rates.length > 1) return Math.max(leastPerSecond, decrease * Math.min(rate, most))
  if (load > lowLoad * target && rates.length > 1) return rate
  const higher = rate * increase + 1
  return higher > 2 * most ? Number.POSITIVE_INFINITY : higher
}

/**
 * The events of a team in this window, the time of the last one, its events a second over the last windows, and its token
 * bucket as it was at `at` (epoch ms).
 */
type TeamShare = { count: number; seenAt: number; perSecond: number; tokens: number; at: number }

/** Averages the rate of a team with the one of the window that has ended. */
function endWindow(team: TeamShare, passedMs: number): void {
  const latest = (team.count * 1_000) / passedMs
  team.perSecond = team.perSecond === 0 ? latest : (team.perSecond + latest) / 2
  team.count = 0
}

export function openFairShare({ clock, load, target }: FairShareDeps): FairShare {
  let teams = new Map<string, TeamShare>()
  let startedAt = clock.now()
  let rate = Number.POSITIVE_INFINITY
  const capacity = () => Math.max(leastBurst, burstSeconds * rate)

  /** Ends the window when its time is over. After a pause without calls no limit is left. */
  function turn(now: number): void {
    const passedMs = now - startedAt
    if (passedMs >= 0 && passedMs < windowMs) return
    const isPause = passedMs < 0 || passedMs > pauseMs
    const present = load()
    teams = isPause ? new Map() : new Map([...teams].filter(([, { seenAt }]) => now - seenAt <= activeMs))
    for (const team of teams.values()) endWindow(team, passedMs)
    const rates = Array.from(teams.values(), ({ perSecond }) => perSecond)
    rate = isPause ? Number.POSITIVE_INFINITY : nextRate(rate, rates, present, target)
    startedAt = now
  }

  function shareOf(teamId: string, now: number): TeamShare {
    const known = teams.get(teamId)
    if (!known) {
      const added = { count: 0, seenAt: now, perSecond: 0, tokens: leastBurst, at: now }
      teams.set(teamId, added)
      return added
    }
    const refilled = rate === Number.POSITIVE_INFINITY ? leastBurst : known.tokens + (rate * (now - known.at)) / 1_000
    known.tokens = Math.min(capacity(), refilled)
    known.at = now
    return known
  }

  return {
    perSecond: () => rate,
    mayTake(teamId, isTrusted) {
      const now = clock.now()
      turn(now)
      if (rate === Number.POSITIVE_INFINITY) return true
      return shareOf(teamId, now).tokens > (isTrusted ? -burstSeconds * rate : 0)
    },
    take(teamId, events) {
      const now = clock.now()
      const share = shareOf(teamId, now)
      share.seenAt = now
      share.count += events
      share.tokens -= events
    },
  }
}
