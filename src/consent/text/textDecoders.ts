import { UnreadableText } from './bitReader.ts'
import { decodeCanadaString } from './canadaString.ts'
import { decodeGppString, type GppConsent } from './gppString.ts'
import { decodeTcString, type TcConsent } from './tcString.ts'
import { gvlIds } from './vendorTable.ts'

/** A longer text cannot be read. */
export const maxTextLength = 8_000

type Unread<Read> = Read | 'unreadable'

function unlessUnreadable<Read>(read: () => Read): Unread<Read> {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableText) return 'unreadable'
    throw error
  }
}

const slots = 512
/** A longer text is not cached, which limits each cache to a million characters. */
const maxKeptLength = 2_000

/** A hash of sampled characters. Hashing all of them would cost as much as decoding the text. */
function markOf(text: string): number {
  const step = Math.max(1, text.length >> 5)
  let mark = text.length
  for (let at = 0; at < text.length; at += step) mark = Math.imul(mark ^ text.charCodeAt(at), 16_777_619)
  return (mark ^ (mark >>> 15)) >>> 0
}

/**
 * Caches decoded texts. A visitor sends the same text with each event, so a text is cached the second time it arrives. A
 * text that arrives once is not cached: objects that outlive a request cost more to collect than to decode.
 */
function openKept<Read extends object>(decode: (text: string, sections?: readonly number[]) => Read) {
  const marks = new Uint32Array(slots)
  const kept: { key: string; read: Unread<Read> }[] = new Array(slots)
  return (text: string, sections?: readonly number[]): Unread<Read> => {
    if (text.length > maxTextLength) return 'unreadable'
    const key = sections ? `${sections} ${text}` : text
    const mark = markOf(key)
    const at = mark % slots
    const known = kept[at]
    if (known?.key === key) return known.read
    const read = unlessUnreadable(() => decode(text, sections))
    if (marks[at] === mark && key.length <= maxKeptLength) kept[at] = { key, read }
    marks[at] = mark
    return read
  }
}

/** These decode a text for the vendors of our providers. `sections` of a GPP string: those that apply; by default all. */
export const decodeTcf: (text: string) => Unread<TcConsent> = openKept((text) => {
  const tcf = decodeTcString(text, gvlIds)
  if (!tcf.isServiceSpecific) throw new UnreadableText('not of this website alone')
  return tcf
})
export const decodeCanada: (text: string) => Unread<TcConsent> = openKept((text) => decodeCanadaString(text, gvlIds))
export const decodeGpp: (text: string, sections?: readonly number[]) => Unread<GppConsent> = openKept(decodeGppString)
