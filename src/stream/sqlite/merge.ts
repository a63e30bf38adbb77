import type { Filter } from './filter.ts'
import { type Pairs, topOf, wordsPerPair } from './pairs.ts'
import type { Runs } from './runs.ts'
import type { Run } from './writing.ts'

/** So many runs of one level become one of the next. */
const runsPerLevel = 8
/** What a day gone by may keep: merging it for the few keys that a clock set back adds would be dear. */
const runsPerDayGone = 2
/** Merged in one step, some thousand keys: 1 or 2 ms. */
const bucketsAtOnceBits = 6

/** A merge under way: `into` is being written, and for as long the sources are asked. */
export type Merge = {
  sources: readonly Run[]
  into: Run
  /** Merges the keys of some buckets, and says how many they were. */
  step(): number
  /** Once all steps are done: makes the new run whole. */
  end(): Filter
  isDone(): boolean
}

const grouped = <Item>(items: readonly Item[], by: (item: Item) => number) => [...Map.groupBy(items, by).values()]

/** Those that should become one: the small ones of today first, then what is left of another day. */
export function mergeable(runs: readonly Run[], today: number): readonly Run[] | undefined {
  const ofToday = runs.filter(({ day }) => day === today)
  const levels = grouped(ofToday, ({ level }) => level).sort(([one], [other]) => one!.level - other!.level)
  const level = levels.find(({ length }) => length >= runsPerLevel)
  if (level) return level
  const others = runs.filter(({ day }) => day !== today)
  return grouped(others, ({ day }) => day).find(({ length }) => length > runsPerDayGone)
}

export function beginMerge(runs: Runs, sources: readonly Run[]): Merge {
  const level = Math.max(...sources.map((each) => each.level)) + 1
  const keys = sources.reduce((sum, each) => sum + each.keys, 0)
  const writing = runs.begin({ day: sources[0]!.day, level, keys })
  const sliceBits = Math.max(0, writing.run.bits - bucketsAtOnceBits)
  let slice = 0
  return {
    sources,
    into: writing.run,
    step() {
      const pairs = joined(sources.flatMap((source) => piecesOf(runs, source, slice, sliceBits)))
      slice++
      writing.put(pairs, slice * 2 ** (writing.run.bits - sliceBits))
      return pairs.length / wordsPerPair
    },
    end: writing.end,
    isDone: () => slice === 2 ** sliceBits,
  }
}

/** What a run has in a slice of all keys. Its buckets may be wider than the slice. */
function piecesOf(runs: Runs, run: Run, slice: number, sliceBits: number): Pairs[] {
  const buckets = 2 ** (run.bits - sliceBits)
  const pieces = runs.read(run, Math.floor(slice * buckets), Math.ceil((slice + 1) * buckets))
  return buckets >= 1 ? pieces : pieces.map((pairs) => within(pairs, slice, sliceBits))
}

function within(pairs: Pairs, slice: number, sliceBits: number): Pairs {
  const inside = new Uint32Array(pairs.length)
  let to = 0
  for (let at = 0; at < pairs.length; at += wordsPerPair) {
    if (topOf(pairs[at + 1]!, sliceBits) !== slice) continue
    for (let word = 0; word < wordsPerPair; word++) inside[to++] = pairs[at + word]!
  }
  return inside.subarray(0, to)
}

function joined(pieces: readonly Pairs[]): Pairs {
  const all = new Uint32Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
