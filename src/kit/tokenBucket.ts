/**
 * Token buckets by name (RFC 2697 describes the meter). A bucket holds at most `capacity` tokens and gains `perSecond`
 * tokens a second. Tokens are added on access, so no timer runs.
 */
export type TokenBuckets = {
  /** Milliseconds until the bucket holds `tokens`; 0 if it holds them now, infinity if they exceed the capacity. */
  waitMs(name: string, tokens: number): number
  /** Takes tokens. The balance may become negative; later callers then wait longer. */
  take(name: string, tokens: number): void
  /** Changes the tokens that each bucket gains a second, from the last access of the bucket on. */
  setRate(perSecond: number): void
  /** The number of buckets in memory. A full bucket need not be in memory. */
  size(): number
}

type Bucket = { tokens: number; atMs: number }

/** The number of buckets from which full ones are removed. */
const minSweepSize = 1_000

export function tokenBuckets(
  { perSecond, capacity }: { perSecond: number; capacity: number },
  { now }: { now(): number },
): TokenBuckets {
  const buckets = new Map<string, Bucket>()
  let perMs = perSecond / 1_000
  let sweepAt = minSweepSize

  /** Adds the tokens since the last access. A clock that was set back adds none. */
  const refill = (bucket: Bucket, nowMs: number): Bucket => {
    const passedMs = Math.max(0, nowMs - bucket.atMs)
    bucket.tokens = Math.min(capacity, bucket.tokens + passedMs * perMs)
    bucket.atMs = nowMs
    return bucket
  }

  /** Removes full buckets. Visits each bucket, and runs only when their number has doubled. */
  function sweep(nowMs: number): void {
    for (const [name, bucket] of buckets) if (refill(bucket, nowMs).tokens >= capacity) buckets.delete(name)
    sweepAt = Math.max(minSweepSize, buckets.size * 2)
  }

  return {
    waitMs(name, tokens) {
      const known = buckets.get(name)
      const available = known ? refill(known, now()).tokens : capacity
      if (available >= tokens) return 0
      return tokens > capacity ? Number.POSITIVE_INFINITY : (tokens - available) / perMs
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
    setRate(changed) {
      perMs = changed / 1_000
    },
    size: () => buckets.size,
  }
}
