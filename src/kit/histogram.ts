/** Eight buckets for each power of ten: a bucket ends at 1.33 times the end of the previous one. */
const bucketsPerDecade = 8
/** The last bucket ends at 10^8 ms, about 28 hours, and also counts all larger values. */
const lastBucket = 64

/** The upper ends of the buckets. */
export const bucketEnds: readonly number[] = Array.from(
  { length: lastBucket + 1 },
  (_, n) => 10 ** (n / bucketsPerDecade),
)

/** The bucket of a value: the first whose end is not below it. Values up to 1 are in the first, which counts as 1. */
export function bucketOf(value: number): number {
  if (!(value > 1)) return 0
  // Rounded, because the logarithm of an end is not exact.
  return Math.min(lastBucket, Math.ceil(Math.round(Math.log10(value) * bucketsPerDecade * 1e9) / 1e9))
}

/** The counts of a histogram by bucket. */
type BucketCounts = ReadonlyMap<number, number>

/** The value below which this share of the values lies, interpolated within its bucket. The histogram must not be empty. */
export function percentileOf(counts: BucketCounts, share: number): number {
  const buckets = [...counts].sort(([one], [other]) => one - other)
  const wanted = share * buckets.reduce((sum, [, count]) => sum + count, 0)
  let below = 0
  for (const [bucket, count] of buckets) {
    if (below + count >= wanted) {
      const start = bucket === 0 ? 1 : bucketEnds[bucket - 1]!
      return start + ((bucketEnds[bucket]! - start) * (wanted - below)) / count
    }
    below += count
  }
  return bucketEnds[buckets.at(-1)![0]]!
}
