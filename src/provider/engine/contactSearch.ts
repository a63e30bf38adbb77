import { lowBytes } from '#kit/lowBytes.ts'
import type { TextSpan } from '#kit/stringSearch.ts'
import { findPhones, type PhoneIndex } from './phoneSearch.ts'

/** RFC 5321, 4.5.3.1: a local part has at most 64 octets, a domain 255. RFC 1035, 2.3.4: a label has at most 63. */
const most = { local: 64, domain: 255, label: 63 }

/** The code units below 256 that an expression matches, as a table: one lookup for each character of a long text. */
const tableOf = (pattern: RegExp) =>
  Uint8Array.from({ length: 256 }, (_, unit) => (pattern.test(String.fromCharCode(unit)) ? 1 : 0))

/** Characters that end an address in a text, a JSON string, a form or a header. */
const stops = tableOf(/[\s@"'<>(),;:=&]/)
const wideStop = /\s/
const letters = tableOf(/[a-z]/i)
const base64 = tableOf(/[A-Za-z0-9+/_-]/)

/** Also true before the start and after the end of the text. */
function isStop(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit < 256 ? stops[unit] === 1 : Number.isNaN(unit) || wideStop.test(text[at]!)
}
const isLetter = (text: string, at: number) => letters[text.charCodeAt(at)] === 1
const isSign = (text: string, at: number) => text[at] === '@' || text.startsWith('%40', at)

/** The end of the domain that begins here. Undefined if there is no domain. */
function domainEnd(text: string, from: number): number | undefined {
  let to = from
  while (to < from + most.domain + 1 + most.label && !isStop(text, to) && !isSign(text, to)) to++
  let count = 0
  for (let at = to - 1; at > from; at--) {
    if (isLetter(text, at)) count++
    else if (text[at] === '.' && count >= 2) return at + 1 + Math.min(count, most.label)
    else count = 0
  }
  return undefined
}

function localStart(text: string, to: number): number {
  let from = to
  while (from > 0 && to - from < most.local && !isStop(text, from - 1) && !isSign(text, from - 3)) from--
  return from
}

/** Finds every e-mail address in a text; `@` may be written `%40`. Linear in the text. */
export function findEmails(text: string): TextSpan[] {
  const spans: TextSpan[] = []
  for (const sign of ['@', '%40'])
    for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) {
      const from = localStart(text, at)
      const to = from < at ? domainEnd(text, at + sign.length) : undefined
      if (to !== undefined) spans.push({ from, to })
    }
  return spans
}

/**
 * The characters at each place of a group of four in base64 of ASCII, as a table with a bit for each place. Bytes below 128
 * use only half of the alphabet at the first three places, so few other texts have several such groups.
 */
const placesInGroup = [/[A-Za-f]/, /[A-HQ-Xg-nw-z0-3]/, /[ABEFIJMNQRUVYZcdghklopstwx014589]/, /[A-Za-z0-9+/_-]/]
  .map(tableOf)
  .reduce((places, table, n) => places.map((bits, unit) => bits | (table[unit]! << n)), new Uint8Array(256))
/** A group, in the places of its four characters. */
const group = 0x1248
/** Three groups, as the ends of groups among the last nine characters. */
const threeGroups = 0x111
const shortest = 12

/**
 * Where three groups of base64 of ASCII begin. Three groups are twelve characters, so it is enough to read every twelfth
 * character of the text, and the run of base64 around it.
 */
function packedStarts(text: string): number[] {
  const bytes = lowBytes(text)
  const starts: number[] = []
  for (let at = shortest - 1; at < text.length; at += shortest) {
    let from = at
    while (from >= 0 && base64[bytes[from]!] === 1) from--
    if (from === at) continue
    while (at < text.length && base64[bytes[at]!] === 1) at++
    if (at - from > shortest) addStarts(starts, bytes, from + 1, at)
  }
  return starts
}

/** Adds the starts within a run of base64. */
function addStarts(starts: number[], bytes: Uint8Array, from: number, to: number): void {
  let [places, ends] = [0, 0]
  for (let at = from; at < to; at++) {
    places = ((places << 4) | placesInGroup[bytes[at]!]!) & 0xffff
    ends = (ends << 1) | ((places & group) === group ? 1 : 0)
    if ((ends & threeGroups) === threeGroups) starts.push(at + 1 - shortest)
  }
}
const isOfBase64 = (text: string, at: number) => base64[text.charCodeAt(at)] === 1

/** The whole run of base64 around these places. */
function runAround(text: string, { from, to }: TextSpan): TextSpan {
  let [begin, end] = [from, to]
  while (begin > 0 && isOfBase64(text, begin - 1)) begin--
  while (isOfBase64(text, end)) end++
  return { from: begin, to: end }
}

/** The contacts inside a piece of base64, as spans of its characters. */
function contactsIn(packed: string, phones: PhoneIndex): TextSpan[] {
  const bytes = Buffer.from(packed, 'base64').toString('latin1')
  return [...findEmails(bytes), ...findPhones(bytes, phones)].map(({ from, to }) => ({
    from: Math.floor((from * 4) / 3),
    to: Math.ceil((to * 4) / 3),
  }))
}

/** Finds e-mail addresses and these phone numbers inside base64, in either alphabet. Linear in the text. */
export function findPackedContacts(text: string, phones: PhoneIndex): TextSpan[] {
  const spans: TextSpan[] = []
  let run: TextSpan = { from: 0, to: 0 }
  let seen = new Set<number>()
  for (const start of packedStarts(text)) {
    if (start >= run.to) {
      run = runAround(text, { from: start, to: start + shortest })
      seen = new Set()
    }
    const begin = run.from + ((start - run.from) % 4)
    if (seen.has(begin)) continue
    seen.add(begin)
    for (const { from, to } of contactsIn(text.slice(begin, run.to), phones))
      spans.push({ from: begin + from, to: begin + to })
  }
  return spans
}
