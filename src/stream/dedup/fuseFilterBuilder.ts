import {
  bytesIn,
  cellsIn,
  type FilterLayout,
  type FuseFilter,
  firstCell,
  furtherCell,
  mixedHigh,
  mixedLow,
  sumOf,
} from './fuseFilter.ts'

/** The keys of one slice, two words for each: low, high. */
type SliceKeys = Uint32Array
/** Five numbers for each key: its four cells, and the checksum that their XOR must give. */
type KeyCells = Uint32Array
const wordsPerKey = 5

/** The first seed nearly always works. No seed works for a slice with a duplicate key. */
const maxSeeds = 20

/** Builds one slice for these keys. Leaves it matching every key if no seed works. */
export function buildSlice(filter: FuseFilter, slice: number, keys: SliceKeys): void {
  for (let seed = 0; seed < maxSeeds; seed++) {
    const keyWords = keyCells(filter, seed, keys)
    const order = peel(keyWords, cellsIn(filter))
    if (!order) continue
    pack(bytesIn(filter, slice), assignCells(keyWords, order, cellsIn(filter)), filter.width)
    filter.seeds[slice] = seed
    return
  }
}

function keyCells(shape: FilterLayout, seed: number, keys: SliceKeys): KeyCells {
  const keyWords = new Uint32Array((keys.length / 2) * wordsPerKey)
  let to = 0
  for (let at = 0; at < keys.length; at += 2) {
    const key = { low: keys[at]!, high: keys[at + 1]! }
    const high = mixedHigh(key, seed)
    const low = mixedLow(key, seed)
    const first = firstCell(shape, high)
    keyWords[to++] = first
    for (let n = 1; n < 4; n++) keyWords[to++] = furtherCell(shape, first, low, n)
    keyWords[to++] = sumOf(shape, high, low)
  }
  return keyWords
}

/**
 * The peel order: for each key its offset in `keyWords` and a cell that no later key has. Undefined if peeling fails.
 */
function peel(keyWords: KeyCells, cells: number): Uint32Array | undefined {
  const counts = new Uint8Array(cells)
  const xorOfKeys = new Uint32Array(cells) // the XOR of the offsets of all keys with this cell
  const singles: number[] = []
  for (let at = 0; at < keyWords.length; at += wordsPerKey)
    for (let n = 0; n < 4; n++) {
      const cell = keyWords[at + n]!
      counts[cell]!++
      xorOfKeys[cell]! ^= at
    }
  for (let cell = 0; cell < cells; cell++) if (counts[cell] === 1) singles.push(cell)

  const order = new Uint32Array((keyWords.length / wordsPerKey) * 2)
  let end = 0
  for (let single = singles.pop(); single !== undefined; single = singles.pop()) {
    if (counts[single] !== 1) continue
    const at = xorOfKeys[single]!
    order[end++] = at
    order[end++] = single
    for (let n = 0; n < 4; n++) {
      const cell = keyWords[at + n]!
      xorOfKeys[cell]! ^= at
      if (--counts[cell]! === 1) singles.push(cell)
    }
  }
  return end === order.length ? order : undefined
}

/** Assigns in reverse peel order, so that a later key never overwrites this cell. */
function assignCells(keyWords: KeyCells, order: Uint32Array, cells: number): Uint16Array {
  const values = new Uint16Array(cells)
  for (let end = order.length; end > 0; end -= 2) {
    const at = order[end - 2]!
    let value = keyWords[at + 4]!
    for (let n = 0; n < 4; n++) value ^= values[keyWords[at + n]!]!
    values[order[end - 1]!] = value
  }
  return values
}

function pack(bytes: Uint8Array, values: Uint16Array, width: number): void {
  bytes.fill(0)
  let bit = 0
  for (const value of values) {
    const at = bit >>> 3
    const shifted = value << (bit & 7)
    bytes[at]! |= shifted
    // A write beyond the end of a typed array is ignored; the cells themselves fit.
    bytes[at + 1]! |= shifted >>> 8
    bytes[at + 2]! |= shifted >>> 16
    bit += width
  }
}
