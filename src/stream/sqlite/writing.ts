import type { StatementSync } from 'node:sqlite'
import { bytesIn, type Filter, makeFilter, openSeed } from './filter.ts'
import { bytesOf, inBuckets, type Pairs, topOf, wordsPerPair } from './pairs.ts'
import { solve } from './solve.ts'

/** The keys of one stretch of time, which never change. `bits`: so many of a key's highest bits name its bucket. */
export type Run = { run: number; day: number; level: number; keys: number; bits: number }
export type Prepared = (sql: string) => StatementSync

/** A run that is being written. Before its end nobody asks it. */
export type Writing = {
  run: Run
  /** All pairs of the next buckets, up to, not including, `end`. */
  put(pairs: Pairs, end: number): void
  end(): Filter
}

/** Run and number of a bucket, or of a piece of its filter, in one number. */
export const rowOf = (run: number, part: number) => run * 2 ** 24 + part

/** A page holds one. Read at a start, larger pieces leave the memory with holes, half as large as all filters. */
const bytesPerPiece = 4000
/** The slices of a filter lie in so many pieces each. */
export const piecesPerSlice = ({ bytesPerSlice }: Filter) => Math.ceil(bytesPerSlice / bytesPerPiece)
/** One of them, as it lies in the filter. */
export const pieceOf = (filter: Filter, slice: number, piece: number) =>
  bytesIn(filter, slice).subarray(piece * bytesPerPiece, (piece + 1) * bytesPerPiece)

/** In a bucket lie on average from half of this to this many: some rows fit in a page, and one is soon searched. */
const keysPerBucket = 128
const bitsFor = (keys: number) => Math.max(0, Math.ceil(Math.log2(keys / keysPerBucket)))

export function beginRun(prepared: Prepared, { day, level, keys }: Pick<Run, 'day' | 'level' | 'keys'>): Writing {
  const bits = bitsFor(keys)
  const insert = prepared('INSERT INTO run (day, level, keys, bits, whole) VALUES (?, ?, ?, ?, 0)')
  const run = Number(insert.run(day, level, keys, bits).lastInsertRowid)
  const { add, end } = filling(prepared, run, makeFilter(keys))
  let bucket = 0

  return {
    run: { run, day, level, keys, bits },
    put(pairs, end) {
      const { sorted, ends } = inBuckets(pairs, bits, bucket, end - bucket)
      const into = prepared('INSERT INTO bucket (row, pairs) VALUES (?, ?)')
      let from = 0
      for (const to of ends) {
        if (to > from) into.run(rowOf(run, bucket), bytesOf(sorted.subarray(from, to)))
        from = to
        bucket++
      }
      add(sorted)
    },
    end() {
      prepared('UPDATE run SET whole = 1 WHERE run = ?').run(run)
      return end()
    },
  }
}

/** Keys that come bucket by bucket are gathered until their slice of the filter is complete. */
function filling(prepared: Prepared, run: number, filter: Filter) {
  const gathered = new Uint32Array(2 * filter.keysPerSlice)
  let slice = 0
  let count = 0

  const solveSlice = () => {
    // Fuller than slices ever are: it is left open.
    if (count <= gathered.length) solve(filter, slice, gathered.subarray(0, count))
    count = 0
    const seed = filter.seeds[slice]!
    if (seed === openSeed) return
    const insert = prepared('INSERT INTO filter (row, seed, cells) VALUES (?, ?, ?)')
    const pieces = piecesPerSlice(filter)
    for (let piece = 0; piece < pieces; piece++)
      insert.run(rowOf(run, slice * pieces + piece), seed, pieceOf(filter, slice, piece))
  }
  return {
    add(sorted: Pairs) {
      for (let at = 0; at < sorted.length; at += wordsPerPair) {
        const next = topOf(sorted[at + 1]!, filter.sliceBits)
        if (next !== slice) solveSlice()
        slice = next
        gathered[count++] = sorted[at]!
        gathered[count++] = sorted[at + 1]!
      }
    },
    end() {
      solveSlice()
      return filter
    },
  }
}
