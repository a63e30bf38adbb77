import type { Clock } from '#kit/clock.ts'
import { type TokenBuckets, tokenBuckets } from '#kit/tokenBucket.ts'

/**
 * Limits the teams that send most while the main thread is overloaded and several teams send events. All teams have the
 * same limit, found by additive increase and multiplicative decrease (AIMD): twice a second it falls by a quarter while the
 * load is above the target, and rises while the load is below. Each team has a token bucket at this rate, so that its share
 * is spread over each second. A team that sends less than the rate is not limited, nor is a team that is the only sender.
 */
export type FairShare = {
  /** The current rate in events per second; infinity while there is no limit. */
  perSecond(): number
  /** True if the team may send more events now. A part of its bucket is reserved for trusted calls. */
  mayTake(teamId: string, isTrusted: boolean): boolean
  /** Counts events of the team. */
  take(teamId: string, events: number): void
}

type FairShareDeps = {
  clock: Pick<Clock, 'now'>
  /** The share of time, from 0 to 1, during which the main thread was busy since the previous call. */
  load(): number
  /** The load above which the rate falls. A target of 1 or more disables the limit. */
  target: number
}

const windowMs = 500
/** A team that sent nothing for this long no longer counts as active. */
const activeMs = 1_000
/** After this long without calls, the limit is removed. */
const pauseMs = 10_000
/** The lowest limit of a team, in events per second. */
const leastPerSecond = 200
/** The events that a team may always send at once: two lists of the largest size. */
const burst = 1_000
/**
 * An addition to the bucket that only trusted calls may use, so that strangers who use up the rate do not lock out the
 * team's server.
 */
const reserve = burst / 10
const decrease = 0.75
const increase = 1.05
/** The rate rises below this fraction of the target, and stays between the two. */
const lowLoad = 0.85

/** The rate of the next window. `rates`: events per second of each active team. */
export function nextRate(rate: number, rates: readonly number[], load: number, target: number): number {
  const most = Math.max(0, ...rates)
  if (load > target && rates.length > 1) return Math.max(leastPerSecond, decrease * Math.min(rate, most))
  if (load > lowLoad * target && rates.length > 1) return rate
  const higher = rate * increase + 1
  return higher > 2 * most ? Number.POSITIVE_INFINITY : higher
}

/**
 * A team's events in this window, the time of its last one (epoch ms), and its average events per second over the last
 * windows.
 */
type TeamActivity = { count: number; seenAt: number; perSecond: number }

/** Averages the rate of a team with the rate of the window that ended. */
function endWindow(team: TeamActivity, passedMs: number): void {
  const latest = (team.count * 1_000) / passedMs
  team.perSecond = team.perSecond === 0 ? latest : (team.perSecond + latest) / 2
  team.count = 0
}

export function openFairShare({ clock, load, target }: FairShareDeps): FairShare {
  let teams = new Map<string, TeamActivity>()
  let startedAt = clock.now()
  let rate = Number.POSITIVE_INFINITY
  /** Undefined while there is no limit. */
  let buckets: TokenBuckets | undefined

  function setRate(next: number): void {
    rate = next
    if (next === Number.POSITIVE_INFINITY) buckets = undefined
    else if (buckets) buckets.setRate(next)
    else buckets = tokenBuckets({ perSecond: next, capacity: burst + reserve }, clock)
  }

  /** Ends the window when its time is over. After a pause without calls, the limit is removed. */
  function turn(now: number): void {
    const passedMs = now - startedAt
    if (passedMs >= 0 && passedMs < windowMs) return
    const isPause = passedMs < 0 || passedMs > pauseMs
    const present = load()
    teams = isPause ? new Map() : new Map([...teams].filter(([, { seenAt }]) => now - seenAt <= activeMs))
    for (const team of teams.values()) endWindow(team, passedMs)
    const rates = Array.from(teams.values(), ({ perSecond }) => perSecond)
    setRate(isPause ? Number.POSITIVE_INFINITY : nextRate(rate, rates, present, target))
    startedAt = now
  }

  return {
    perSecond: () => rate,
    mayTake(teamId, isTrusted) {
      turn(clock.now())
      return !buckets || buckets.waitMs(teamId, isTrusted ? 1 : 1 + reserve) === 0
    },
    take(teamId, events) {
      const seenAt = clock.now()
      const known = teams.get(teamId)
      if (known) {
        known.count += events
        known.seenAt = seenAt
      } else teams.set(teamId, { count: events, seenAt, perSecond: 0 })
      buckets?.take(teamId, events)
    },
  }
}
