import type { StatementSync } from 'node:sqlite'
import { bytesIn, createFuseFilter, type FuseFilter, matchAllSeed } from './fuseFilter.ts'
import { buildSlice } from './fuseFilterBuilder.ts'
import { bytesOf, type KeyPairs, sortIntoBuckets, topOf, wordsPerPair } from './keyPairs.ts'

/** An immutable set of keys of one day, as in an LSM tree. `bits`: the highest bits of a key that select its bucket. */
export type Segment = { id: number; day: number; level: number; keys: number; bits: number }
export type PrepareStatement = (sql: string) => StatementSync

/** The row id of a bucket, or of a chunk of a filter: the segment id and the number of the part. */
export const rowOf = (segmentId: number, part: number) => segmentId * 2 ** 24 + part

/** A chunk of a filter fits in a database page. Reading larger chunks at startup fragments the memory. */
const bytesPerChunk = 4000
/** The number of chunks of each slice. */
export const chunksPerSlice = ({ bytesPerSlice }: FuseFilter) => Math.ceil(bytesPerSlice / bytesPerChunk)
/** A view of one chunk of a slice. */
export const chunkOf = (filter: FuseFilter, slice: number, chunk: number) =>
  bytesIn(filter, slice).subarray(chunk * bytesPerChunk, (chunk + 1) * bytesPerChunk)

/**
 * The maximum mean number of keys in a bucket; the minimum is half. Some rows fit in a page, and a linear search is
 * fast.
 */
const keysPerBucket = 128
const bitsFor = (keys: number) => Math.max(0, Math.ceil(Math.log2(keys / keysPerBucket)))

/** A segment that is being written. Lookups do not use it before `end`. */
export function beginSegment(
  prepared: PrepareStatement,
  { day, level, keys }: Pick<Segment, 'day' | 'level' | 'keys'>,
) {
  const bits = bitsFor(keys)
  const insert = prepared('INSERT INTO run (day, level, keys, bits, whole) VALUES (?, ?, ?, ?, 0)')
  const id = Number(insert.run(day, level, keys, bits).lastInsertRowid)
  const { add, end } = filterBuilder(prepared, id, createFuseFilter(keys))
  let bucket = 0

  return {
    segment: { id, day, level, keys, bits },
    /** Writes all pairs of the next buckets, up to but not including `end`. */
    put(pairs: KeyPairs, end: number): void {
      const { sorted, ends } = sortIntoBuckets(pairs, bits, bucket, end - bucket)
      const into = prepared('INSERT INTO bucket (row, pairs) VALUES (?, ?)')
      let from = 0
      for (const to of ends) {
        if (to > from) into.run(rowOf(id, bucket), bytesOf(sorted.subarray(from, to)))
        from = to
        bucket++
      }
      add(sorted)
    },
    end(): FuseFilter {
      prepared('UPDATE run SET whole = 1 WHERE run = ?').run(id)
      return end()
    },
  }
}

/** Builds a filter from keys in bucket order. The keys of a slice are collected until the slice is complete. */
function filterBuilder(prepared: PrepareStatement, segmentId: number, filter: FuseFilter) {
  const sliceKeys = new Uint32Array(2 * filter.keysPerSlice)
  let slice = 0
  let count = 0

  const finishSlice = () => {
    // A slice with more keys than expected is not built; it matches every key.
    if (count <= sliceKeys.length) buildSlice(filter, slice, sliceKeys.subarray(0, count))
    count = 0
    const seed = filter.seeds[slice]!
    if (seed === matchAllSeed) return
    const insert = prepared('INSERT INTO filter (row, seed, cells) VALUES (?, ?, ?)')
    const chunks = chunksPerSlice(filter)
    for (let chunk = 0; chunk < chunks; chunk++)
      insert.run(rowOf(segmentId, slice * chunks + chunk), seed, chunkOf(filter, slice, chunk))
  }
  return {
    add(sorted: KeyPairs) {
      for (let at = 0; at < sorted.length; at += wordsPerPair) {
        const next = topOf(sorted[at + 1]!, filter.sliceBits)
        if (next !== slice) finishSlice()
        slice = next
        sliceKeys[count++] = sorted[at]!
        sliceKeys[count++] = sorted[at + 1]!
      }
    },
    end() {
      finishSlice()
      return filter
    },
  }
}
