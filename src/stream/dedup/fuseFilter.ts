import { type KeyHalves, topOf } from './keyPairs.ts'

/**
 * The filter of a segment, without false negatives: a four-wise binary fuse filter (Graf and Lemire, "Binary Fuse
 * Filters: Fast and Smaller Than Xor Filters", 2022). It is split into slices by the highest bits of the key, so that
 * the builder holds the keys of one slice at a time.
 */
export type FuseFilter = FilterLayout & {
  /** The seed of each slice. */
  seeds: Uint8Array
  /** The cells of all slices, bit-packed, one slice after the other. */
  bytes: Uint8Array
  /** A view of `bytes`, to read four bytes at once. */
  words: DataView
}

/**
 * Each key has four cells, in four consecutive blocks of 2^segmentBits cells; the first cell is below `starts`. The XOR
 * of the four cells is the key's checksum of `width` bits.
 */
export type FilterLayout = {
  sliceBits: number
  keysPerSlice: number
  segmentBits: number
  starts: number
  width: number
  bytesPerSlice: number
}

/** The seed of a slice that matches every key. */
export const matchAllSeed = 255

/**
 * Half a day of 200 events/s. Larger filters save memory with narrow cells, smaller ones save reads with wide cells.
 */
const manyKeys = 8_000_000
const fewKeys = 200_000
/** The width of a cell in bits. The false positive rate is 1 in 2^width. */
const widthOf = (keys: number) => (keys < fewKeys ? 12 : keys < manyKeys ? 8 : 6)

/** Building a slice of this size takes about 30 ms. More keys in a slice need fewer cells for each key. */
const maxKeysPerSlice = 150_000
const maxSegmentBits = 10

/** The sizes for four-wise filters, from the paper. */
const cellsPerKey = (keys: number) => Math.max(1.075, 0.77 + (0.305 * Math.log(600_000)) / Math.log(keys))
const segmentBitsFor = (keys: number) => Math.min(maxSegmentBits, Math.floor(Math.log(keys) / Math.log(2.91) - 0.5))

/** The expected maximum number of keys in a slice, for random keys: the mean plus five standard deviations. */
function largestSlice(keys: number, sliceBits: number): number {
  const average = keys / 2 ** sliceBits
  return Math.max(64, sliceBits === 0 ? keys : Math.ceil(average + 5 * Math.sqrt(average)))
}

/** An empty filter for a number of keys. A slice matches every key until it is built. */
export function createFuseFilter(keys: number): FuseFilter {
  const sliceBits = Math.max(0, Math.ceil(Math.log2(keys / maxKeysPerSlice)))
  const keysPerSlice = largestSlice(keys, sliceBits)
  const width = widthOf(keys)
  const segmentBits = segmentBitsFor(keysPerSlice)
  const segments = Math.max(4, Math.ceil((keysPerSlice * cellsPerKey(keysPerSlice)) / 2 ** segmentBits))
  const bytesPerSlice = Math.ceil((segments * 2 ** segmentBits * width) / 8)
  // Shared, because one thread builds a filter and another one reads it. Padding: a lookup reads four bytes for each cell.
  const bytes = new Uint8Array(new SharedArrayBuffer(2 ** sliceBits * bytesPerSlice + 3))
  return {
    sliceBits,
    keysPerSlice,
    segmentBits,
    starts: (segments - 3) * 2 ** segmentBits,
    width,
    bytesPerSlice,
    seeds: new Uint8Array(new SharedArrayBuffer(2 ** sliceBits)).fill(matchAllSeed),
    bytes,
    words: new DataView(bytes.buffer),
  }
}

export const sliceOf = ({ sliceBits }: FilterLayout, { high }: KeyHalves) => topOf(high, sliceBits)
export const cellsIn = ({ starts, segmentBits }: FilterLayout) => starts + 3 * 2 ** segmentBits
/** A view of the bytes of one slice. */
export const bytesIn = ({ bytes, bytesPerSlice }: FuseFilter, slice: number) =>
  bytes.subarray(slice * bytesPerSlice, (slice + 1) * bytesPerSlice)

// Mix in the seed, so that each retry hashes differently and keys with a common prefix spread over all cells.
const mixed = (half: number, seed: number, by: number) => {
  const product = Math.imul(half ^ Math.imul(seed, 0x9e3779b1), by)
  return product ^ (product >>> 15)
}
export const mixedHigh = ({ high }: KeyHalves, seed: number) => mixed(high, seed, 0x85ebca6b) >>> 0
export const mixedLow = ({ low }: KeyHalves, seed: number) => mixed(low, seed, 0xc2b2ae35)

/** The checksum of a key: `width` bits. */
export const sumOf = ({ width }: FilterLayout, high: number, low: number) =>
  Math.imul(high ^ (low >>> 7), 0x27d4eb2f) >>> (32 - width)

/** The first of a key's four cells. */
export const firstCell = ({ starts }: FilterLayout, high: number) => ((high * starts) / 2 ** 32) | 0
/** The cell in the n-th block after the first cell; n is 1, 2 or 3. */
export const furtherCell = ({ segmentBits }: FilterLayout, first: number, low: number, n: number) =>
  (first + (n << segmentBits)) ^ ((low >>> ((n - 1) * maxSegmentBits)) & ((1 << segmentBits) - 1))

/** False if the key is not in the segment. The four cells are read without branches, so that the loads overlap. */
export function mayContain(filter: FuseFilter, key: KeyHalves): boolean {
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
  return (sum & ((1 << width) - 1)) === 0 || seed === matchAllSeed
}
