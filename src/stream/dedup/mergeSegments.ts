import { type KeyPairs, topOf, wordsPerPair } from './keyPairs.ts'
import type { Segments } from './segments.ts'
import type { Segment } from './segmentWriter.ts'

/** This many segments of one level are merged into one of the next level. */
const segmentsPerLevel = 8
/**
 * A past day may keep this number of segments, because merging them for the few keys that are added after a clock was
 * set back is expensive.
 */
const segmentsPerPastDay = 2
/** Buckets merged in one step, as a power of two: some thousand keys, which takes 1 to 2 ms. */
const bucketBitsPerStep = 6

/** A merge in progress: `into` is being written. Lookups use the sources until it is complete. */
export type SegmentMerge = ReturnType<typeof beginMerge>

const grouped = <Item>(items: readonly Item[], by: (item: Item) => number) => [...Map.groupBy(items, by).values()]

/** The segments to merge next: the lowest full level of today, else the segments of a past day. */
export function selectMergeable(segments: readonly Segment[], today: number): readonly Segment[] | undefined {
  const ofToday = segments.filter(({ day }) => day === today)
  const levels = grouped(ofToday, ({ level }) => level).sort(([one], [other]) => one!.level - other!.level)
  const level = levels.find(({ length }) => length >= segmentsPerLevel)
  if (level) return level
  const others = segments.filter(({ day }) => day !== today)
  return grouped(others, ({ day }) => day).find(({ length }) => length > segmentsPerPastDay)
}

export function beginMerge(segments: Segments, sources: readonly Segment[]) {
  const level = Math.max(...sources.map((each) => each.level)) + 1
  const keys = sources.reduce((sum, each) => sum + each.keys, 0)
  const writer = segments.begin({ day: sources[0]!.day, level, keys })
  const sliceBits = Math.max(0, writer.segment.bits - bucketBitsPerStep)
  let slice = 0
  return {
    sources,
    into: writer.segment,
    /** Merges the keys of some buckets. Returns their number. */
    step(): number {
      const pairs = concatenate(sources.flatMap((source) => pairsInSlice(segments, source, slice, sliceBits)))
      slice++
      writer.put(pairs, slice * 2 ** (writer.segment.bits - sliceBits))
      return pairs.length / wordsPerPair
    },
    /** Completes the new segment. Called once all steps are done. */
    end: writer.end,
    isDone: () => slice === 2 ** sliceBits,
  }
}

/** The pairs of a segment in one slice of the key space. Its buckets may be wider than the slice. */
function pairsInSlice(segments: Segments, segment: Segment, slice: number, sliceBits: number): KeyPairs[] {
  const buckets = 2 ** (segment.bits - sliceBits)
  const pieces = segments.read(segment, Math.floor(slice * buckets), Math.ceil((slice + 1) * buckets))
  return buckets >= 1 ? pieces : pieces.map((pairs) => filterSlice(pairs, slice, sliceBits))
}

function filterSlice(pairs: KeyPairs, slice: number, sliceBits: number): KeyPairs {
  const inside = new Uint32Array(pairs.length)
  let to = 0
  for (let at = 0; at < pairs.length; at += wordsPerPair) {
    if (topOf(pairs[at + 1]!, sliceBits) !== slice) continue
    for (let word = 0; word < wordsPerPair; word++) inside[to++] = pairs[at + word]!
  }
  return inside.subarray(0, to)
}

function concatenate(pieces: readonly KeyPairs[]): KeyPairs {
  const all = new Uint32Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
