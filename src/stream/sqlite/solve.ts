import {
  bytesIn,
  cellsIn,
  type Filter,
  firstCell,
  furtherCell,
  mixedHigh,
  mixedLow,
  type Shape,
  sumOf,
} from './filter.ts'

/** Keys of one slice, two words for each: low, high. */
export type SliceKeys = Uint32Array
/** Five numbers for each key: its four cells, and what they are to come to. */
type Wanted = Uint32Array
const wantedPerKey = 5

/** The first nearly always does. A key that is there twice fits none. */
const seedsTried = 20

/** Makes one slice deny all keys but these and the few that look alike. Where that cannot be, it denies none. */
export function solve(filter: Filter, slice: number, keys: SliceKeys): void {
  for (let seed = 0; seed < seedsTried; seed++) {
    const wanted = wantedOf(filter, seed, keys)
    const order = peel(wanted, cellsIn(filter))
    if (!order) continue
    pack(bytesIn(filter, slice), assigned(wanted, order, cellsIn(filter)), filter.width)
    filter.seeds[slice] = seed
    return
  }
}

function wantedOf(shape: Shape, seed: number, keys: SliceKeys): Wanted {
  const wanted = new Uint32Array((keys.length / 2) * wantedPerKey)
  let to = 0
  for (let at = 0; at < keys.length; at += 2) {
    const key = { low: keys[at]!, high: keys[at + 1]! }
    const high = mixedHigh(key, seed)
    const low = mixedLow(key, seed)
    const first = firstCell(shape, high)
    wanted[to++] = first
    for (let n = 1; n < 4; n++) wanted[to++] = furtherCell(shape, first, low, n)
    wanted[to++] = sumOf(shape, high, low)
  }
  return wanted
}

/** Where keys begin in `wanted`, and for each a cell that no key behind it has: in pairs. */
function peel(wanted: Wanted, cells: number): Uint32Array | undefined {
  const counts = new Uint8Array(cells)
  const joined = new Uint32Array(cells) // exclusive or of where the keys begin that have this cell
  const alone: number[] = []
  for (let at = 0; at < wanted.length; at += wantedPerKey)
    for (let n = 0; n < 4; n++) {
      const cell = wanted[at + n]!
      counts[cell]!++
      joined[cell]! ^= at
    }
  for (let cell = 0; cell < cells; cell++) if (counts[cell] === 1) alone.push(cell)

  const order = new Uint32Array((wanted.length / wantedPerKey) * 2)
  let end = 0
  for (let own = alone.pop(); own !== undefined; own = alone.pop()) {
    if (counts[own] !== 1) continue
    const at = joined[own]!
    order[end++] = at
    order[end++] = own
    for (let n = 0; n < 4; n++) {
      const cell = wanted[at + n]!
      joined[cell]! ^= at
      if (--counts[cell]! === 1) alone.push(cell)
    }
  }
  return end === order.length ? order : undefined
}

/** The last first: what it sets, none that comes later reads or sets again. */
function assigned(wanted: Wanted, order: Uint32Array, cells: number): Uint16Array {
  const values = new Uint16Array(cells)
  for (let end = order.length; end > 0; end -= 2) {
    const at = order[end - 2]!
    let value = wanted[at + 4]!
    for (let n = 0; n < 4; n++) value ^= values[wanted[at + n]!]!
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
    // Beyond the end these write nothing: the cells fit.
    bytes[at + 1]! |= shifted >>> 8
    bytes[at + 2]! |= shifted >>> 16
    bit += width
  }
}
