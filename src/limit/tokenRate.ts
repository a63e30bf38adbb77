import { limitReached } from '#contract/limitReached.ts'
import type { TeamLimits } from '#contract/teamLimits.ts'
import type { Clock } from '#kit/clock.ts'
import { tokenBuckets } from '#kit/tokenBucket.ts'

/** How many access tokens an application may be issued in a minute, by whatever way. Counted in this process. */
export type TokenRate = {
  /** Throws tokenRateExceeded where none may be issued now. */
  refuse(applicationId: string): void
  /** Counts one. Throws tokenRateExceeded. */
  take(applicationId: string): void
}

export function openTokenRate({ tokenRate }: Pick<TeamLimits, 'tokenRate'>, clock: Pick<Clock, 'now'>): TokenRate {
  const buckets = tokenBuckets({ perSecond: tokenRate / 60, capacity: tokenRate }, clock)
  const refuse = (applicationId: string) => {
    const afterMs = buckets.waitMs(applicationId, 1)
    if (afterMs > 0) throw limitReached('tokenRateExceeded', tokenRate, { afterMs })
  }
  return {
    refuse,
    take(applicationId) {
      refuse(applicationId)
      buckets.take(applicationId, 1)
    },
  }
}
