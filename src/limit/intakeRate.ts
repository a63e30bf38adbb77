import { limitReached } from '#contract/limitReached.ts'
import type { TeamLimits } from '#contract/teamLimits.ts'
import type { Clock } from '#kit/clock.ts'
import { tokenBuckets } from '#kit/tokenBucket.ts'

/** Whose events are counted. */
export type RatedTag = { tagId: string; teamId: string }

/** How fast a tag and its team may send. Counted in this process. */
export type IntakeRate = {
  /** Counts a call, before its body is read. Throws intakeRateExceeded. */
  takeCall(tag: RatedTag, isTrusted: boolean): void
  /**
   * Counts what a call brought beside itself: n - 1 for a body of n events. The last call that is let in may bring more than is
   * left, and what is missing is waited for by those that come later. Throws intakeRateExceeded.
   */
  takeEvents(tag: RatedTag, isTrusted: boolean, events: number): void
}

/** Counts nothing and refuses nothing: for what is only tried out. */
export const unlimitedIntake: IntakeRate = { takeCall() {}, takeEvents() {} }

export type IntakeRateDeps = {
  clock: Pick<Clock, 'now'>
  limits: Pick<TeamLimits, 'teamEventRate' | 'teamEventBurst' | 'tagEventRate' | 'tagEventBurst'>
  /** Is told of every call that was refused, and whose limit it was. */
  refused(tagId: string, of: 'team' | 'tag'): void
}

/**
 * A tenth of a burst more, which only trusted calls may use. Anybody can send events to a tag without a token: who sends so many
 * that the limit is reached does not keep the shop's own server out.
 */
const reserveOf = (burst: number) => burst / 10

function openLimit(of: 'team' | 'tag', perSecond: number, burst: number, clock: Pick<Clock, 'now'>) {
  const reserve = reserveOf(burst)
  const buckets = tokenBuckets({ perSecond, capacity: burst + reserve }, clock)
  /** What must be there for `tokens` to be taken. */
  const needed = (isTrusted: boolean, tokens: number) => (isTrusted ? tokens : tokens + reserve)
  return { of, perSecond, buckets, needed }
}

export function openIntakeRate({ clock, limits, refused }: IntakeRateDeps): IntakeRate {
  const team = openLimit('team', limits.teamEventRate, limits.teamEventBurst, clock)
  const tag = openLimit('tag', limits.tagEventRate, limits.tagEventBurst, clock)

  /** `atLeast`: tokens that both buckets must hold. Both are asked before anything is taken from either. */
  function take({ tagId, teamId }: RatedTag, isTrusted: boolean, tokens: number, atLeast: number): void {
    for (const [limit, name] of [[team, teamId] as const, [tag, tagId] as const]) {
      if (limit.buckets.waitMs(name, limit.needed(isTrusted, atLeast)) === 0) continue
      refused(tagId, limit.of)
      const afterMs = limit.buckets.waitMs(name, limit.needed(isTrusted, 1))
      throw limitReached('intakeRateExceeded', limit.perSecond, { of: limit.of, afterMs })
    }
    team.buckets.take(teamId, tokens)
    tag.buckets.take(tagId, tokens)
  }

  return {
    takeCall: (of, isTrusted) => take(of, isTrusted, 1, 1),
    takeEvents(of, isTrusted, events) {
      if (events > 0) take(of, isTrusted, events, 0)
    },
  }
}
