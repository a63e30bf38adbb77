import { lowBytes } from '#kit/lowBytes.ts'
import type { TextSpan } from '#kit/stringSearch.ts'
import type { RawPerson } from '#provider/form/person.ts'
import { e164Of } from '#provider/form/phone.ts'

/** A shorter number may be a price or a quantity. E.164 allows 15 digits, and `00` may precede them. */
const fewestDigits = 7
const mostDigits = 20

/** The digits of a phone number without leading zeros. Empty if there are too few. */
export function phoneDigits(phone: string): string {
  const digits = phone.replace(/\D/g, '').replace(/^0+/, '')
  return digits.length < fewestDigits ? '' : digits
}

/** The digits of a person's number as written, and as vendors receive them, with the country code. */
export function writtenAndSent(digits: string, person: RawPerson): string[] {
  if (digits === '') return []
  const sent = e164Of(person.phone ?? '', person)?.slice(1) ?? digits
  return sent === digits ? [digits] : [digits, sent]
}

/** Whether `findPhones` can find a number of this length. */
export const isPhone = (digits: string): boolean => digits.length >= fewestDigits && digits.length <= mostDigits

/**
 * The digits of phone numbers, and their endings that count as the same number. `tails`: the last `fewestDigits` digits
 * of each number, as a number.
 */
export type PhoneIndex = { readonly ends: ReadonlySet<string>; readonly tails: ReadonlySet<number> }

/** Each number, and its ends of at least `fewest` digits that lack at most `most` digits of it. */
function indexEnds(numbers: Iterable<string>, fewest: number, most: number): PhoneIndex {
  const ends = new Set<string>()
  const tails = new Set<number>()
  for (const digits of numbers) {
    if (!isPhone(digits)) continue
    for (let from = 0; from <= most && digits.length - from >= fewest; from++) ends.add(digits.slice(from))
    ends.add(digits)
    tails.add(Number(digits.slice(-fewestDigits)))
  }
  return { ends, tails }
}

/** Numbers with or without country and area code. For texts where masking too much is harmless. */
export const indexPhones = (numbers: Iterable<string>): PhoneIndex => indexEnds(numbers, fewestDigits, mostDigits)

/**
 * Numbers with or without their country code of one to three digits. Shorter endings are not searched for: seven digits
 * in a row may also be an account or order number, and must not block a request.
 */
export const indexNationalPhones = (numbers: Iterable<string>): PhoneIndex => indexEnds(numbers, 9, 3)

/**
 * Separators between the digits of a number, plain or percent-encoded: spaces, brackets, dots, dashes, slashes, plus.
 */
const plain = '[\\s().+/\\\\\\-\\u2010-\\u2015\\u2212]'
const escaped = '%(?:2[089bdefBDEF]|[cC]2|[aA]0)'
/** At least seven digits, with at most `mostBetween` separators between two digits; not part of a hash or a percent escape. */
const runs = {
  plain: new RegExp(`(?:^|[^\\da-zA-Z])(\\d(?:${plain}{0,4}\\d){6,60})`, 'g'),
  escaped: new RegExp(`(?:^|[^\\da-zA-Z%]|%[\\da-fA-F]{2})(\\d(?:(?:${plain}|${escaped}){0,4}\\d){6,60})`, 'g'),
}
const separator = new RegExp(`${plain}|${escaped}`, 'y')

/** The position after the separator that begins here; the same position if none does. */
function afterSeparator(text: string, at: number): number {
  separator.lastIndex = at
  return separator.test(text) ? separator.lastIndex : at
}

function digitRuns(text: string): TextSpan[] {
  const found = text.matchAll(text.includes('%') ? runs.escaped : runs.plain)
  return Array.from(found, ({ 0: match, 1: run, index }) => ({
    from: index + match.length - run!.length,
    to: index + match.length,
  }))
}

/** The digits, the position of each, and whether a group of digits begins there. */
type Digits = { text: string; at: number[]; begins: boolean[] }

/** Reads the groups of a run. Skips the zero of `+49 (0)151`, which is dialled only without the country code. */
function digitsIn(text: string, { from, to }: TextSpan): Digits {
  const found: Digits = { text: '', at: [], begins: [] }
  let begins = true
  for (let at = from; at < to; ) {
    const after = afterSeparator(text, at)
    begins ||= after > at
    if (after > at) at = after
    else if (begins && isTrunkZero(text, at)) at++
    else {
      found.text += text[at]
      found.at.push(at++)
      found.begins.push(begins)
      begins = false
    }
  }
  return found
}

const isTrunkZero = (text: string, at: number) =>
  text[at] === '0' &&
  /(?:\(|%28)$/.test(text.slice(Math.max(at - 3, 0), at)) &&
  /^(?:\)|%29)/.test(text.slice(at + 1, at + 4))

const kind = { other: 0, digit: 1, separator: 2, percent: 3 } as const
const percentSign = 0x25
const zero = 0x30

/** The kind of each low byte. One that a separator has counts as a separator. */
function kindsOfBytes(): Uint8Array {
  const kinds = new Uint8Array(256)
  const isSeparator = new RegExp(plain)
  const ranges = [
    [0, 0xff],
    [0x1680, 0x1680],
    [0x2000, 0x2212],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ] as const
  for (const [first, last] of ranges)
    for (let unit = first; unit <= last; unit++)
      if (isSeparator.test(String.fromCharCode(unit))) kinds[unit & 0xff] = kind.separator
  kinds.fill(kind.digit, zero, zero + 10)
  kinds[percentSign] = kind.percent
  return kinds
}
const kinds = kindsOfBytes()
const mostBetween = 4
const tailModulus = 10_000_000

/**
 * A quick check that is true for every text with one of the numbers: seven digits with no more than four separators between
 * two of them are the tail of a number, or follow a percent escape, which may itself have digits.
 */
function mayHoldPhone(text: string, { tails }: PhoneIndex): boolean {
  const bytes = lowBytes(text)
  let digits = 0
  let gap = 0
  let tail = 0
  let hasEscape = false
  for (let at = 0; at < text.length; at++) {
    const byte = bytes[at]!
    const found = kinds[byte]
    if (found === kind.other) digits = 0
    else if (found === kind.digit) {
      const isAfterSeparator = digits > 0 && gap > 0
      gap = 0
      if (isAfterSeparator && isTrunkZero(text, at)) continue
      if (digits === 0) hasEscape = false
      tail = ((tail * 10 + byte - zero) | 0) % tailModulus
      if (++digits >= fewestDigits && (hasEscape || tails.has(tail))) return true
    } else if (digits > 0 && ++gap > mostBetween) digits = 0
    else if (found === kind.percent && digits > 0) {
      hasEscape = true
      at += 2
    }
  }
  return false
}

const isLetterOrDigit = (text: string) => /^[\da-z]$/i.test(text)
const isEscape = (text: string) => /^%[\da-f]{2}$/i.test(text)
/** Whether no letter or digit directly precedes this position, except in a percent escape. */
const isOpen = (text: string, at: number) =>
  !isLetterOrDigit(text.slice(Math.max(at - 1, 0), at)) || isEscape(text.slice(Math.max(at - 3, 0), at))

/**
 * The end of the longest number that begins with this digit: the position after its last digit. Undefined if none
 * begins here.
 */
function endOf({ text, begins }: Digits, from: number, phones: PhoneIndex): number | undefined {
  let first = from
  while (text[first] === '0') first++
  let end: number | undefined
  for (let to = first + fewestDigits; to <= Math.min(first + mostDigits, text.length); to++)
    if (begins[to] !== false && phones.ends.has(text.slice(first, to))) end = to
  return end
}

/** The position before the plus and the bracket of a number. */
function withPrefix(text: string, at: number): number {
  let from = at
  for (let signs = 0; signs < 3; signs++)
    from -= /(?:[+(]|%2b|%28)$/i.exec(text.slice(Math.max(from - 3, 0), from))?.[0].length ?? 0
  return from
}

/** Finds these phone numbers in a text, in any grouping of digits. Linear in the text. */
export function findPhones(text: string, phones: PhoneIndex): TextSpan[] {
  if (phones.ends.size === 0 || !mayHoldPhone(text, phones)) return []
  const spans: TextSpan[] = []
  for (const run of digitRuns(text)) {
    const digits = digitsIn(text, run)
    const isClosed = !isLetterOrDigit(text.slice(run.to, run.to + 1))
    for (let n = 0; n < digits.text.length; n++) {
      if (!digits.begins[n] || !isOpen(text, digits.at[n]!)) continue
      const end = endOf(digits, n, phones)
      if (end === undefined || (end === digits.text.length && !isClosed)) continue
      spans.push({ from: withPrefix(text, digits.at[n]!), to: digits.at[end - 1]! + 1 })
      n = end - 1
    }
  }
  return spans
}
