/** A part of a text, in UTF-16 code units: `from` inclusive, `to` exclusive. */
export type TextSpan = { from: number; to: number }

/**
 * Replaces spans by a mark; spans that overlap become one. Builds the text once, because a copy for each span would
 * take quadratic time.
 */
export function replaceSpans(text: string, spans: readonly TextSpan[], mark: string): string {
  if (spans.length === 0) return text
  let [replaced, end] = ['', 0]
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    if (from >= end) replaced += text.slice(end, from) + mark
    end = Math.max(end, to)
  }
  return replaced + text.slice(end)
}

/** An index of strings, to search a text for all of them in one pass. */
type StringIndex = {
  /** A bit for the fingerprint of the first four code units of each string. */
  filter: Uint32Array
  /** The shift that turns a hashed fingerprint into the index of its bit. */
  shift: number
  /** The strings by that fingerprint: a single string, or several grouped by length. */
  byStart: ReadonlyMap<number, string | SamePrefixStrings>
}
type SamePrefixStrings = Map<number, Set<string>>

/** Shorter strings are not indexed, because they would match everywhere. */
export const minIndexedLength = 4

/**
 * The budget of compared code units: for each unit of the text, and for any text. Ordinary texts need less than 1 a
 * unit.
 */
const costPerUnit = 64
const baseCost = 1_000_000

/** The rolling fingerprint of four code units in 32 bits: the fifth is shifted out. */
const roll = (before: number, unit: number) => (before << 8) ^ unit

function startOf(text: string): number {
  let start = 0
  for (let at = 0; at < minIndexedLength; at++) start = roll(start, text.charCodeAt(at))
  return start
}

/** Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4), which uses the high bits of the product. */
const bitOf = (start: number, shift: number) => Math.imul(start, 0x9e3779b1) >>> shift

function addString(others: string | SamePrefixStrings, string: string): SamePrefixStrings {
  const byLength: SamePrefixStrings =
    typeof others === 'string' ? new Map([[others.length, new Set([others])]]) : others
  const sameLength = byLength.get(string.length)
  if (sameLength) sameLength.add(string)
  else byLength.set(string.length, new Set([string]))
  return byLength
}

/** Builds an index. Time and memory are linear in the number of strings, not in their lengths. */
export function indexStrings(strings: Iterable<string>): StringIndex {
  const byStart = new Map<number, string | SamePrefixStrings>()
  for (const string of strings) {
    if (string.length < minIndexedLength) continue
    const start = startOf(string)
    const others = byStart.get(start)
    byStart.set(start, others === undefined || others === string ? string : addString(others, string))
  }
  // at least 128 bits for each fingerprint, so that at most 1 in 128 others passes the filter
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
 * Finds all strings of an index in a text, in order of their start, with rolling fingerprints (Karp and Rabin, 1987).
 * Takes one pass and time linear in the text. Undefined if the budget of comparisons is exceeded, which takes hostile
 * input.
 */
export function findStrings(text: string, { filter, shift, byStart }: StringIndex): TextSpan[] | undefined {
  const spans: TextSpan[] = []
  let costLeft = baseCost + costPerUnit * text.length
  let start = 0
  for (let at = 0; at < text.length; at++) {
    start = roll(start, text.charCodeAt(at))
    const bit = bitOf(start, shift)
    if ((filter[bit >>> 5]! & (1 << (bit & 31))) === 0) continue
    const strings = byStart.get(start)
    if (strings === undefined) continue
    const from = at + 1 - minIndexedLength
    for (const length of typeof strings === 'string' ? [strings.length] : strings.keys()) {
      costLeft -= length
      const isMatch =
        typeof strings === 'string'
          ? text.startsWith(strings, from)
          : strings.get(length)!.has(text.slice(from, from + length))
      if (isMatch) spans.push({ from, to: from + length })
    }
    if (costLeft < 0) return undefined
  }
  return spans
}
