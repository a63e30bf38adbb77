import { lowBytes } from './lowBytes.ts'

/** A part of a text, in UTF-16 code units: `from` inclusive, `to` exclusive. */
export type TextSpan = { from: number; to: number }

/**
 * Replaces spans by a mark; spans that overlap become one. Builds the text once, because a copy for each span would
 * take quadratic time.
 */
export const replaceSpans = (text: string, spans: readonly TextSpan[], mark: string): string =>
  replaceInParts([text], '', spans, mark)![0]!

/**
 * Replaces spans of texts that were searched as one, joined by `between`. Undefined if a span is not inside one of the
 * texts.
 */
export function replaceInParts(
  texts: readonly string[],
  between: string,
  spans: readonly TextSpan[],
  mark: string,
): string[] | undefined {
  const isSorted = spans.every(({ from }, n) => n === 0 || spans[n - 1]!.from <= from)
  const inOrder = isSorted ? spans : spans.toSorted((one, other) => one.from - other.from)
  const replaced: string[] = []
  let [next, begin] = [0, 0]
  for (const text of texts) {
    const end = begin + text.length
    let [done, kept] = ['', begin]
    for (; next < inOrder.length && inOrder[next]!.from < end; next++) {
      const { from, to } = inOrder[next]!
      if (from < begin || to > end) return undefined
      if (from >= kept) done += text.slice(kept - begin, from - begin) + mark
      kept = Math.max(kept, to)
    }
    replaced.push(kept === begin ? text : done + text.slice(kept - begin))
    begin = end + between.length
  }
  return next === inOrder.length ? replaced : undefined
}

/** An index of strings, to search a text for all of them in one pass. */
export type StringIndex = {
  /** The strings by the fingerprint of their first four code units: a single string, or several grouped by length. */
  byStart: ReadonlyMap<number, string | SamePrefixStrings>
  /** Those fingerprints, hashed. */
  hashes: Int32Array
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

/** The rolling fingerprint of the low bytes of four code units: the fifth is shifted out. */
const roll = (before: number, byte: number) => (before << 8) | byte

function startOf(text: string): number {
  let start = 0
  for (let at = 0; at < minIndexedLength; at++) start = roll(start, text.charCodeAt(at) & 0xff)
  return start
}

/** Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4), which uses the high bits of the product. */
const hashOf = (start: number) => Math.imul(start, 0x9e3779b1)

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
  return { byStart, hashes: Int32Array.from(byStart.keys(), hashOf) }
}

/**
 * A byte for each hash of a search, 1 while the search has a string with it. Used from the start: the more strings a search
 * has, the more of it.
 */
const filter = new Uint8Array(1 << 20)

/** The shift from a hash to its byte in the filter: 64 bytes or more for each string let 1 of 64 others pass at most. */
const shiftFor = (strings: number) => 32 - Math.min(Math.max(Math.ceil(Math.log2(strings * 64 + 1)), 12), 20)

function setFilter({ hashes }: StringIndex, shift: number, value: 0 | 1): void {
  for (const hash of hashes) filter[hash >>> shift] = value
}

const noStrings = indexStrings([])

/**
 * Finds all strings of one or two indexes in a text with rolling fingerprints (Karp and Rabin, 1987). Takes one pass and
 * time linear in the text. Undefined if the budget of comparisons is exceeded, which takes hostile input.
 */
export function findStrings(text: string, one: StringIndex, other = noStrings): TextSpan[] | undefined {
  const shift = shiftFor(one.hashes.length + other.hashes.length)
  setFilter(one, shift, 1)
  setFilter(other, shift, 1)
  const spans = findFiltered(text, shift, one, other)
  setFilter(one, shift, 0)
  setFilter(other, shift, 0)
  return spans
}

function findFiltered(text: string, shift: number, one: StringIndex, other: StringIndex): TextSpan[] | undefined {
  const spans: TextSpan[] = []
  const budget = { left: baseCost + costPerUnit * text.length }
  const bytes = lowBytes(text)
  let start = 0
  for (let at = 0; at < text.length; at++) {
    start = roll(start, bytes[at]!)
    if (filter[hashOf(start) >>> shift] === 0) continue
    findAt(text, at + 1 - minIndexedLength, one.byStart.get(start), spans, budget)
    findAt(text, at + 1 - minIndexedLength, other.byStart.get(start), spans, budget)
    if (budget.left < 0) return undefined
  }
  return spans
}

/** Adds the indexed strings that begin at this place. */
function findAt(
  text: string,
  from: number,
  strings: string | SamePrefixStrings | undefined,
  spans: TextSpan[],
  budget: { left: number },
): void {
  if (strings === undefined) return
  for (const length of typeof strings === 'string' ? [strings.length] : strings.keys()) {
    budget.left -= length
    const isMatch =
      typeof strings === 'string'
        ? text.startsWith(strings, from)
        : strings.get(length)!.has(text.slice(from, from + length))
    if (isMatch) spans.push({ from, to: from + length })
  }
}
