/** A part of a text, by its UTF-16 units: `from` included, `to` not. */
export type TextSpan = { from: number; to: number }

/** Strings that a text can be searched for, all at once. */
export type StringIndex = {
  /** A bit for the fingerprint of the first four units of each string. */
  filter: Uint32Array
  /** How far a mixed fingerprint is shifted to give the place of its bit. */
  shift: number
  /** The strings by that fingerprint: one by itself, several by their length. */
  byStart: ReadonlyMap<number, string | Alike>
}
type Alike = Map<number, Set<string>>

/** Shorter strings are not indexed: they would be found everywhere. */
export const shortestIndexed = 4

/** Units that may be compared for each unit of a text, and for any text. Ordinary texts need less than one. */
const workPerUnit = 64
const workFree = 1_000_000

/** Four units in 32 bits: each shifts those before it, so the fifth is gone. */
const rolled = (before: number, unit: number) => (before << 8) ^ unit

function startOf(text: string): number {
  let start = 0
  for (let at = 0; at < shortestIndexed; at++) start = rolled(start, text.charCodeAt(at))
  return start
}

/** Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4): the high bits of the product are well spread. */
const bitOf = (start: number, shift: number) => Math.imul(start, 0x9e3779b1) >>> shift

function withString(others: string | Alike, string: string): Alike {
  const alike: Alike = typeof others === 'string' ? new Map([[others.length, new Set([others])]]) : others
  const ofLength = alike.get(string.length)
  if (ofLength) ofLength.add(string)
  else alike.set(string.length, new Set([string]))
  return alike
}

/** Takes time and room by the number of strings, not by their lengths. */
export function indexStrings(strings: Iterable<string>): StringIndex {
  const byStart = new Map<number, string | Alike>()
  for (const string of strings) {
    if (string.length < shortestIndexed) continue
    const start = startOf(string)
    const others = byStart.get(start)
    byStart.set(start, others === undefined || others === string ? string : withString(others, string))
  }
  // 128 bits or more for each start, of which one is set: so few fingerprints pass that are not there
  const bits = Math.min(Math.max(Math.ceil(Math.log2(byStart.size * 128 + 1)), 5), 24)
  const shift = 32 - bits
  const filter = new Uint32Array(1 << (bits - 5))
  for (const start of byStart.keys()) {
    const bit = bitOf(start, shift)
    filter[bit >>> 5]! |= 1 << (bit & 31)
  }
  return { filter, shift, byStart }
}

/**
 * Where strings of this index stand in a text, in the order of their beginnings: by rolling fingerprints (Karp and Rabin,
 * 1987), in one pass and in time linear in the text. Undefined where text and strings were made so alike that it would take
 * longer.
 */
export function findStrings(text: string, { filter, shift, byStart }: StringIndex): TextSpan[] | undefined {
  const spans: TextSpan[] = []
  let left = workFree + workPerUnit * text.length
  let start = 0
  for (let at = 0; at < text.length; at++) {
    start = rolled(start, text.charCodeAt(at))
    const bit = bitOf(start, shift)
    if ((filter[bit >>> 5]! & (1 << (bit & 31))) === 0) continue
    const strings = byStart.get(start)
    if (strings === undefined) continue
    const from = at + 1 - shortestIndexed
    for (const length of typeof strings === 'string' ? [strings.length] : strings.keys()) {
      left -= length
      const isThere =
        typeof strings === 'string'
          ? text.startsWith(strings, from)
          : strings.get(length)!.has(text.slice(from, from + length))
      if (isThere) spans.push({ from, to: from + length })
    }
    if (left < 0) return undefined
  }
  return spans
}
