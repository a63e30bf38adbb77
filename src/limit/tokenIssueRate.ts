import { limitReached } from '#contract/limitReached.ts'
import type { Clock } from '#kit/clock.ts'
import { tokenBuckets } from '#kit/tokenBucket.ts'
import type { TeamLimits } from '#settings/teamLimits.ts'

/** The rate limit of access tokens of an application, for all grants together. Counted in this process. */
export type TokenIssueRate = {
  /** Throws tokenRateExceeded if no token may be issued now. Consumes nothing. */
  refuse(applicationId: string): void
  /** Counts one token. Throws tokenRateExceeded. */
  take(applicationId: string): void
}

/** `processes`: the live processes that issue tokens. Each gets its share of the rate. */
export function openTokenIssueRate(
  { tokenRate }: Pick<TeamLimits, 'tokenRate'>,
  clock: Pick<Clock, 'now'>,
  processes: () => number = () => 1,
): TokenIssueRate {
  const buckets = tokenBuckets({ perSecond: tokenRate / 60, capacity: tokenRate }, clock)
  const refuse = (applicationId: string) => {
    buckets.setRate(tokenRate / 60 / processes())
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
