import { type Key, topOf } from './pairs.ts'

/**
 * Says of a key that it is not in a run, or that it may be: a four-wise binary fuse filter (Graf and Lemire, "Binary Fuse
 * Filters: Fast and Smaller Than Xor Filters", 2022). It is cut into slices by the highest bits of the key, so that keys
 * that come in order can be let go slice by slice.
 */
export type Filter = Shape & {
  /** By slice. */
  seeds: Uint8Array
  /** The cells of one slice after the other's, closely packed. */
  bytes: Uint8Array
  /** The same memory, of which four bytes are read at once. */
  words: DataView
}

/**
 * Each key has four cells, in four segments that follow one another; the first cell is one of `starts`. Exclusive or of
 * the four gives `width` bits of the key's own.
 */
export type Shape = {
  sliceBits: number
  keysPerSlice: number
  segmentBits: number
  starts: number
  width: number
  bytesPerSlice: number
}

/** The seed of a slice that denies nothing. */
export const openSeed = 255

/** A day of 200 events/s: from here on memory counts, below it the reads that a filter spares. */
const many = 8_000_000
const few = 200_000
/** One key in 2^width that is not there may be. */
const widthOf = (keys: number) => (keys < few ? 12 : keys < many ? 8 : 6)

/** To solve a slice takes some 30 ms; the more keys it has, the fewer cells each needs. */
const keysPerSliceAtMost = 150_000
const segmentBitsAtMost = 10

/** What four-wise filters need, as the paper found it. */
const cellsPerKey = (keys: number) => Math.max(1.075, 0.77 + (0.305 * Math.log(600_000)) / Math.log(keys))
const segmentBitsFor = (keys: number) => Math.min(segmentBitsAtMost, Math.floor(Math.log(keys) / Math.log(2.91) - 0.5))

/** The keys of the fullest slice: they differ as random numbers do. */
function fullest(keys: number, sliceBits: number): number {
  const average = keys / 2 ** sliceBits
  return Math.max(64, sliceBits === 0 ? keys : Math.ceil(average + 5 * Math.sqrt(average)))
}

/** For a run of so many keys. Until its slices are set, it denies nothing. */
export function makeFilter(keys: number): Filter {
  const sliceBits = Math.max(0, Math.ceil(Math.log2(keys / keysPerSliceAtMost)))
  const keysPerSlice = fullest(keys, sliceBits)
  const width = widthOf(keys)
  const segmentBits = segmentBitsFor(keysPerSlice)
  const segments = Math.max(4, Math.ceil((keysPerSlice * cellsPerKey(keysPerSlice)) / 2 ** segmentBits))
  const bytesPerSlice = Math.ceil((segments * 2 ** segmentBits * width) / 8)
  const bytes = new Uint8Array(2 ** sliceBits * bytesPerSlice + 3) // four are read for a cell, also for the last
  return {
    sliceBits,
    keysPerSlice,
    segmentBits,
    starts: (segments - 3) * 2 ** segmentBits,
    width,
    bytesPerSlice,
    seeds: new Uint8Array(2 ** sliceBits).fill(openSeed),
    bytes,
    words: new DataView(bytes.buffer),
  }
}

export const sliceOf = ({ sliceBits }: Shape, { high }: Key) => topOf(high, sliceBits)
export const cellsIn = ({ starts, segmentBits }: Shape) => starts + 3 * 2 ** segmentBits
/** The bytes of one slice: what is written there is in the filter. */
export const bytesIn = ({ bytes, bytesPerSlice }: Filter, slice: number) =>
  bytes.subarray(slice * bytesPerSlice, (slice + 1) * bytesPerSlice)

// Keys are fingerprints. What is left is to give each seed other cells, and those of one slice, alike at their top, all of them.
const mixed = (half: number, seed: number, by: number) => {
  const product = Math.imul(half ^ Math.imul(seed, 0x9e3779b1), by)
  return product ^ (product >>> 15)
}
export const mixedHigh = ({ high }: Key, seed: number) => mixed(high, seed, 0x85ebca6b) >>> 0
export const mixedLow = ({ low }: Key, seed: number) => mixed(low, seed, 0xc2b2ae35)

export const sumOf = ({ width }: Shape, high: number, low: number) =>
  Math.imul(high ^ (low >>> 7), 0x27d4eb2f) >>> (32 - width)

/** The first of a key's four cells. */
export const firstCell = ({ starts }: Shape, high: number) => ((high * starts) / 2 ** 32) | 0
/** The one in the n-th segment from there; n is 1, 2 or 3. */
export const furtherCell = ({ segmentBits }: Shape, first: number, low: number, n: number) =>
  (first + (n << segmentBits)) ^ ((low >>> ((n - 1) * segmentBitsAtMost)) & ((1 << segmentBits) - 1))

/** The four cells lie anywhere in memory: without branches and calls between them they are fetched at the same time. */
export function mayHold(filter: Filter, key: Key): boolean {
  const { words, width, bytesPerSlice } = filter
  const slice = sliceOf(filter, key)
  const seed = filter.seeds[slice]!
  const high = mixedHigh(key, seed)
  const low = mixedLow(key, seed)
  const from = slice * bytesPerSlice
  const first = firstCell(filter, high)
  const one = first * width
  const two = furtherCell(filter, first, low, 1) * width
  const three = furtherCell(filter, first, low, 2) * width
  const four = furtherCell(filter, first, low, 3) * width
  const sum =
    (words.getUint32(from + (one >>> 3), true) >>> (one & 7)) ^
    (words.getUint32(from + (two >>> 3), true) >>> (two & 7)) ^
    (words.getUint32(from + (three >>> 3), true) >>> (three & 7)) ^
    (words.getUint32(from + (four >>> 3), true) >>> (four & 7)) ^
    sumOf(filter, high, low)
  return (sum & ((1 << width) - 1)) === 0 || seed === openSeed
}
