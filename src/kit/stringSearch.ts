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
  /** Those fingerprints, and their hashes. */
  starts: Int32Array
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

/** The fingerprint of the low bytes of four code units. */
const fingerprint = (first: number, second: number, third: number, fourth: number) =>
  (first << 24) | (second << 16) | (third << 8) | fourth

const lowByteAt = (text: string, at: number) => text.charCodeAt(at) & 0xff
const startOf = (text: string) =>
  fingerprint(lowByteAt(text, 0), lowByteAt(text, 1), lowByteAt(text, 2), lowByteAt(text, 3))

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
  const starts = Int32Array.from(byStart.keys())
  return { byStart, starts, hashes: starts.map(hashOf) }
}

/**
 * The filters of the running search. `hashed` has a byte for each hash: 1 if the hash of a string leads to it. The fewer strings,
 * the fewer of the bytes are used. `pairs` has a byte for each pair of bytes: its bits 0 to 2 tell whether a string has the pair at
 * the offset 0, 1 or 2.
 */
const filters = { hashed: new Uint8Array(1 << 20), pairs: new Uint8Array(1 << 16) }
/** A string has at least four bytes, so at least three pairs. Of three pairs in a row, a search that reads every third one reads one. */
const pairStep = 3

/** The shift from a hash to its byte in `hashed`: 64 bytes or more for each string let 1 of 64 others pass at most. */
const shiftFor = (strings: number) => 32 - Math.min(Math.max(Math.ceil(Math.log2(strings * 64 + 1)), 12), 20)

function setFilters({ starts, hashes }: StringIndex, shift: number, isSet: boolean): void {
  for (const hash of hashes) filters.hashed[hash >>> shift] = isSet ? 1 : 0
  for (const start of starts)
    for (let after = 0; after < pairStep; after++) {
      const pair = (start >>> (8 * (2 - after))) & 0xffff
      filters.pairs[pair] = isSet ? filters.pairs[pair]! | (1 << after) : 0
    }
}

const noStrings = indexStrings([])

/**
 * Finds all strings of one or two indexes in a text by fingerprints (Karp and Rabin, 1987) of the places where a pair of bytes
 * of a string stands (Wu and Manber, 1994). Takes one pass and time linear in the text. Undefined if the budget of comparisons
 * is exceeded, which takes hostile input.
 */
export function findStrings(text: string, one: StringIndex, other = noStrings): TextSpan[] | undefined {
  const shift = shiftFor(one.hashes.length + other.hashes.length)
  setFilters(one, shift, true)
  setFilters(other, shift, true)
  const spans = findFiltered(text, shift, one, other)
  setFilters(one, shift, false)
  setFilters(other, shift, false)
  return spans
}

function findFiltered(text: string, shift: number, one: StringIndex, other: StringIndex): TextSpan[] | undefined {
  const { hashed, pairs } = filters
  const spans: TextSpan[] = []
  const budget = { left: baseCost + costPerUnit * text.length }
  const bytes = lowBytes(text)
  for (let at = 0; at < text.length - 1; at += pairStep) {
    const afters = pairs[(bytes[at]! << 8) | bytes[at + 1]!]!
    if (afters === 0) continue
    for (let from = at - pairStep + 1; from <= at; from++) {
      if ((afters & (1 << (at - from))) === 0 || from < 0 || from > text.length - minIndexedLength) continue
      const start = fingerprint(bytes[from]!, bytes[from + 1]!, bytes[from + 2]!, bytes[from + 3]!)
      if (hashed[hashOf(start) >>> shift] === 0) continue
      findAt(text, from, one.byStart.get(start), spans, budget)
      findAt(text, from, other.byStart.get(start), spans, budget)
      if (budget.left < 0) return undefined
    }
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
