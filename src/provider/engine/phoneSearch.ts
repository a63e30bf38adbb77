import { lowBytes, tableOf } from '#kit/lowBytes.ts'
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
 * of each number.
 */
export type PhoneIndex = { readonly ends: ReadonlySet<string>; readonly tails: ReadonlySet<string> }

/** Each number, and its ends of at least `fewest` digits that lack at most `most` digits of it. */
function indexEnds(numbers: Iterable<string>, fewest: number, most: number): PhoneIndex {
  const ends = new Set<string>()
  const tails = new Set<string>()
  for (const digits of numbers) {
    if (!isPhone(digits)) continue
    for (let from = 0; from <= most && digits.length - from >= fewest; from++) ends.add(digits.slice(from))
    ends.add(digits)
    tails.add(digits.slice(-fewestDigits))
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
const mostBetween = 4
/** At least seven digits, with at most four separators between two digits. */
const runs = {
  plain: new RegExp(`\\d(?:${plain}{0,${mostBetween}}\\d){6,60}`, 'y'),
  escaped: new RegExp(`\\d(?:(?:${plain}|${escaped}){0,${mostBetween}}\\d){6,60}`, 'y'),
}
const separator = new RegExp(`${plain}|${escaped}`, 'y')

/** The position after the separator that begins here; the same position if none does. */
function afterSeparator(text: string, at: number): number {
  separator.lastIndex = at
  return separator.test(text) ? separator.lastIndex : at
}

const percentSign = 0x25
const kind = { other: 0, digit: 1, separator: 2, percent: 3 } as const

/** The kind of each low byte. One that a separator has counts as a separator. */
function kindsOfBytes(): Uint8Array {
  const kinds = new Uint8Array(256)
  const isSeparator = new RegExp(plain)
  for (const [first, last] of [
    [0, 0xff],
    [0x1680, 0x1680],
    [0x2000, 0x2212],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ] as const)
    for (let unit = first; unit <= last; unit++)
      if (isSeparator.test(String.fromCharCode(unit))) kinds[unit & 0xff] = kind.separator
  for (const char of '0123456789') kinds[char.charCodeAt(0)] = kind.digit
  kinds[percentSign] = kind.percent
  return kinds
}
const kinds = kindsOfBytes()

/** Whether enough digits for a number may follow each other here. A quick check that is true for every run. */
function mayBeginRun(bytes: Uint8Array, from: number, end: number): boolean {
  let [digits, gap] = [0, 0]
  for (let at = from; at < end && gap <= mostBetween; at++) {
    const found = kinds[bytes[at]!]
    if (found === kind.other) return false
    if (found === kind.percent) at += 2
    gap = found === kind.digit ? 0 : gap + 1
    if (found === kind.digit && ++digits === fewestDigits) return true
  }
  return false
}

/** Runs of digits that do not follow a letter, a digit or a percent sign, except in a percent escape. */
function digitRuns(text: string): TextSpan[] {
  const bytes = lowBytes(text)
  const hasEscapes = text.includes('%')
  const run = hasEscapes ? runs.escaped : runs.plain
  const found: TextSpan[] = []
  for (let at = 0; at < text.length; at++) {
    if (kinds[bytes[at]!] !== kind.digit || !isOpen(text, at) || !mayBeginRun(bytes, at, text.length)) continue
    if (hasEscapes && text[at - 1] === '%') continue
    run.lastIndex = at
    if (!run.test(text)) continue
    found.push({ from: at, to: run.lastIndex })
    at = run.lastIndex - 1
  }
  return found
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

/** Up to this many are looked for one by one, which takes less time than a set. */
const fewTails = 8

/**
 * A cheap check whether a run may contain one of the numbers, by their last digits. Always true for a run with escapes.
 */
function mayHold(run: string, phones: PhoneIndex): boolean {
  if (run.includes('%')) return true
  const digits = /\D/.test(run) ? run.replace(/\D+/g, '') : run
  if (phones.tails.size <= fewTails) {
    for (const tail of phones.tails) if (digits.includes(tail)) return true
    return false
  }
  for (let from = 0; from + fewestDigits <= digits.length; from++)
    if (phones.tails.has(digits.slice(from, from + fewestDigits))) return true
  return false
}

const lettersAndDigits = tableOf(/[\da-z]/i)
const hexDigits = tableOf(/[\da-f]/i)
const isEscape = (text: string, at: number) =>
  text.charCodeAt(at) === percentSign &&
  hexDigits[text.charCodeAt(at + 1)] === 1 &&
  hexDigits[text.charCodeAt(at + 2)] === 1
/** Whether no letter or digit directly precedes this position, except in a percent escape. */
const isOpen = (text: string, at: number) =>
  at === 0 || lettersAndDigits[text.charCodeAt(at - 1)] !== 1 || isEscape(text, at - 3)

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
  if (phones.ends.size === 0) return []
  const spans: TextSpan[] = []
  for (const run of digitRuns(text)) {
    if (!mayHold(text.slice(run.from, run.to), phones)) continue
    const digits = digitsIn(text, run)
    const isClosed = lettersAndDigits[text.charCodeAt(run.to)] !== 1
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
