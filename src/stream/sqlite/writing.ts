import type { StatementSync } from 'node:sqlite'
import { addTo, type Filter, lineOf, makeFilter, wordsPerLine } from './filter.ts'
import { bytesOf, eachOf, inBuckets, type Pairs } from './pairs.ts'

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

/** Run and number of a bucket, or of a line of its filter, in one number. */
export const rowOf = (run: number, part: number) => run * 2 ** 24 + part

/** In a bucket lie on average from half of this to this many: some rows fit in a page, and one is soon searched. */
const keysPerBucket = 128
const bitsFor = (keys: number) => Math.max(0, Math.ceil(Math.log2(keys / keysPerBucket)))

/** 512 kB: read one after the other at a start, smaller pieces would leave the memory in pieces too. */
const linesAtOnce = 8192

export function beginRun(prepared: Prepared, { day, level, keys }: Pick<Run, 'day' | 'level' | 'keys'>): Writing {
  const bits = bitsFor(keys)
  const filter = makeFilter(keys)
  const insert = prepared('INSERT INTO run (day, level, keys, bits, whole) VALUES (?, ?, ?, ?, 0)')
  const run = Number(insert.run(day, level, keys, bits).lastInsertRowid)
  let bucket = 0
  let line = 0

  const putRows = (pairs: Pairs, end: number) => {
    const { sorted, ends } = inBuckets(pairs, bits, bucket, end - bucket)
    const into = prepared('INSERT INTO bucket (row, pairs) VALUES (?, ?)')
    let from = 0
    for (const to of ends) {
      if (to > from) into.run(rowOf(run, bucket), bytesOf(sorted.subarray(from, to)))
      from = to
      bucket++
    }
  }
  /** Keys come in order, so lines below that of the next bucket are done. */
  const putLines = () => {
    const done = lineOf(filter, bucket * 2 ** (32 - bits))
    if (done - line < linesAtOnce && bucket < 2 ** bits) return
    const lines = bytesOf(filter.subarray(line * wordsPerLine, done * wordsPerLine))
    prepared('INSERT INTO filter (row, lines) VALUES (?, ?)').run(rowOf(run, line), lines)
    line = done
  }
  return {
    run: { run, day, level, keys, bits },
    put(pairs, end) {
      for (const { key } of eachOf(pairs)) addTo(filter, key)
      putRows(pairs, end)
      putLines()
    },
    end() {
      prepared('UPDATE run SET whole = 1 WHERE run = ?').run(run)
      return filter
    },
  }
}
