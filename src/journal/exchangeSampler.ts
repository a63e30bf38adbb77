import type { Clock } from '#kit/clock.ts'
import { tokenBuckets } from '#kit/tokenBucket.ts'
import type { RetentionPolicy } from './retentionPolicy.ts'

/**
 * The retention policy for an attempt of a tag that begins now. Above the rate of the policy, only failed exchanges are
 * stored: successful ones are much alike and take a large part of the disk.
 */
export type ExchangeSampler = (tagId: string) => RetentionPolicy

export function openExchangeSampler(keep: RetentionPolicy, clock: Pick<Clock, 'now'>): ExchangeSampler {
  const { bodies, bodiesPerSecond } = keep
  if (bodies !== 'all' || bodiesPerSecond === undefined) return () => keep
  const buckets = tokenBuckets({ perSecond: bodiesPerSecond, capacity: bodiesPerSecond }, clock)
  const onlyFailed: RetentionPolicy = { ...keep, bodies: 'failed' }
  return (tagId) => {
    if (buckets.waitMs(tagId, 1) > 0) return onlyFailed
    buckets.take(tagId, 1)
    return keep
  }
}
