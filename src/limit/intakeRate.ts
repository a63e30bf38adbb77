import { limitReached } from '#contract/limitReached.ts'
import type { Clock } from '#kit/clock.ts'
import { tokenBuckets } from '#kit/tokenBucket.ts'
import type { TeamLimits } from '#settings/teamLimits.ts'
import type { FairShare } from './fairShare.ts'

/** The tag and the team that the events count towards. */
type RatedTag = { tagId: string; teamId: string }

/** The rate limit of tags and teams (token buckets). Counted in this process, which gets its share of the rates. */
export type IntakeRate = {
  /** Counts a call as one event, before its body is read. Throws intakeRateExceeded. */
  takeCall(tag: RatedTag, isTrusted: boolean): void
  /**
   * Counts the further events of a call: n - 1 for a body of n events. The last accepted call may exceed the remaining
   * tokens; later calls must wait until the deficit is refilled. Throws intakeRateExceeded.
   */
  takeEvents(tag: RatedTag, isTrusted: boolean, events: number): void
}

/** Neither counts nor refuses; for simulations and tests. */
export const unlimitedIntake: IntakeRate = { takeCall() {}, takeEvents() {} }

type IntakeRateDeps = {
  clock: Pick<Clock, 'now'>
  limits: Pick<TeamLimits, 'teamEventRate' | 'teamEventBurst' | 'tagEventRate' | 'tagEventBurst'>
  /** Limits the teams that send most while the server is overloaded. Default: no limit. */
  fairShare?: FairShare
  /** Called for each refused call, with the owner of the exceeded limit. */
  refused(tagId: string, of: 'team' | 'tag'): void
  /** The number of live processes that accept events. Each gets its share of the rates. Default: one. */
  processes?(): number
}

/**
 * An additional tenth of the burst that only trusted calls may use. Anybody can send events without a token, so an
 * untrusted flood must not block the customer's own server.
 */
const reserveSize = (burst: number) => burst / 10

function openRateLimit(
  of: 'team' | 'tag',
  nameOf: (tag: RatedTag) => string,
  [perSecond, burst]: readonly [number, number],
  clock: Pick<Clock, 'now'>,
) {
  const reserve = reserveSize(burst)
  const buckets = tokenBuckets({ perSecond, capacity: burst + reserve }, clock)
  /** The tokens that the bucket must hold before `tokens` may be taken. */
  const needed = (isTrusted: boolean, tokens: number) => (isTrusted ? tokens : tokens + reserve)
  return { of, nameOf, perSecond, buckets, needed }
}

export function openIntakeRate({ clock, limits, fairShare, refused, processes }: IntakeRateDeps): IntakeRate {
  const { teamEventRate, teamEventBurst, tagEventRate, tagEventBurst } = limits
  const all = [
    openRateLimit('team', ({ teamId }) => teamId, [teamEventRate, teamEventBurst], clock),
    openRateLimit('tag', ({ tagId }) => tagId, [tagEventRate, tagEventBurst], clock),
  ]

  let parts = 1
  /** Divides the rates by the number of processes. Each process keeps the full burst. */
  function divideRates(): void {
    const now = processes?.() ?? 1
    if (now === parts) return
    parts = now
    for (const { buckets, perSecond } of all) buckets.setRate(perSecond / parts)
  }
  /** `atLeast`: the tokens that both buckets must hold. Both are checked before tokens are taken from either. */
  function take(of: RatedTag, isTrusted: boolean, tokens: number, atLeast: number): void {
    divideRates()
    for (const limit of all) {
      const name = limit.nameOf(of)
      if (limit.buckets.waitMs(name, limit.needed(isTrusted, atLeast)) === 0) continue
      refused(of.tagId, limit.of)
      const afterMs = limit.buckets.waitMs(name, limit.needed(isTrusted, 1))
      throw limitReached('intakeRateExceeded', limit.perSecond, { of: limit.of, afterMs })
    }
    if (fairShare && atLeast > 0 && !fairShare.mayTake(of.teamId, isTrusted)) {
      refused(of.tagId, 'team')
      throw limitReached('intakeShareExceeded', Math.floor(fairShare.perSecond()), { of: 'team', afterMs: 1_000 })
    }
    fairShare?.take(of.teamId, tokens)
    for (const limit of all) limit.buckets.take(limit.nameOf(of), tokens)
  }

  return {
    takeCall: (of, isTrusted) => take(of, isTrusted, 1, 1),
    takeEvents(of, isTrusted, events) {
      if (events > 0) take(of, isTrusted, events, 0)
    },
  }
}
