/**
 * Token buckets by name (RFC 2697 describes the meter). A bucket holds at most `capacity` tokens and gains `perSecond` of them
 * a second. Tokens are added when a bucket is next looked at, so no timer runs.
 */
export type TokenBuckets = {
  /** Milliseconds until the bucket holds `tokens`; 0 where it holds them now. Infinity where it never can. */
  waitMs(name: string, tokens: number): number
  /** Takes tokens out. The bucket may go below zero; what is missing is made up for by waiting. */
  take(name: string, tokens: number): void
  /** Buckets that are remembered. A full one is the same as one that is not remembered. */
  size(): number
}

type Bucket = { tokens: number; atMs: number }

/** From so many remembered buckets on, those that are full again are forgotten. */
const sweepFrom = 1_000

export function tokenBuckets(
  { perSecond, capacity }: { perSecond: number; capacity: number },
  { now }: { now(): number },
): TokenBuckets {
  const buckets = new Map<string, Bucket>()
  const perMs = perSecond / 1_000
  let sweepAt = sweepFrom

  /** A clock that was set back adds nothing and takes nothing away. */
  const refill = (bucket: Bucket, nowMs: number): Bucket => {
    const passedMs = Math.max(0, nowMs - bucket.atMs)
    bucket.tokens = Math.min(capacity, bucket.tokens + passedMs * perMs)
    bucket.atMs = nowMs
    return bucket
  }

  /** Costs one look at each bucket, each time that their number has doubled. */
  function sweep(nowMs: number): void {
    for (const [name, bucket] of buckets) if (refill(bucket, nowMs).tokens >= capacity) buckets.delete(name)
    sweepAt = Math.max(sweepFrom, buckets.size * 2)
  }

  return {
    waitMs(name, tokens) {
      const known = buckets.get(name)
      const held = known ? refill(known, now()).tokens : capacity
      if (held >= tokens) return 0
      return tokens > capacity ? Number.POSITIVE_INFINITY : (tokens - held) / perMs
    },
    take(name, tokens) {
      const nowMs = now()
      const known = buckets.get(name)
      if (known) {
        refill(known, nowMs).tokens -= tokens
        return
      }
      if (buckets.size >= sweepAt) sweep(nowMs)
      buckets.set(name, { tokens: capacity - tokens, atMs: nowMs })
    },
    size: () => buckets.size,
  }
}
