import { BitReader, UnreadableText } from './bitReader.ts'

/**
 * The layout of the US sections (IAB Tech Lab GPP): each field after the version has two bits. `n`: a notice or another
 * field without effect. `S`: opt-out of sale, `H`: of sharing, `T`: of targeted advertising. `s8`: eight kinds of
 * sensitive data. `c2`: two ages of children. The rest has no effect.
 */
const usSections: Readonly<Record<number, readonly [name: string, layout: string]>> = {
  7: ['usnat', 'nnnnnnSHTs16c3'],
  8: ['usca', 'nnnSHs9c2'],
  9: ['usva', 'nnnSTs8c1'],
  10: ['usco', 'nnnSTs7c1'],
  11: ['usut', 'nnnnSTs8c1'],
  12: ['usct', 'nnnSTs8c3'],
  13: ['usfl', 'nnnSTs8c3'],
  14: ['usmt', 'nnnSTs8c3'],
  15: ['usor', 'nnnSTs11c3'],
  16: ['ustx', 'nnnSTs8c1'],
  17: ['usde', 'nnnSTs9c5'],
  18: ['usia', 'nnnnSTs8c1'],
  19: ['usne', 'nnnSTs8c1'],
  20: ['usnh', 'nnnSTs8c3'],
  21: ['usnj', 'nnnSTs10c5'],
  22: ['ustn', 'nnnSTs8c1'],
  23: ['usmn', 'nnnSTs8c1'],
  24: ['usmd', 'nnnnnST'],
  25: ['usin', 'nnnnnSTc1'],
  26: ['usky', 'nnnnnSTc1'],
  27: ['usri', 'nnnnnSTc1'],
}
const usnatVersion1 = 'nnnnnnSHTs12c2'
/**
 * The second segment of these sections lists eight kinds of sensitive data. In the other sections it is the GPC
 * segment.
 */
const withSensitiveSegment: ReadonlySet<number> = new Set([25, 26, 27])

/**
 * The objections of the applicable sections: the first field per objection, such as `usca.SaleOptOut`. `tcf`, `canada`: the
 * texts of sections 2 and 5. `saleAlone`: all objections concern the sale of data. `gpc`: a section repeats Global Privacy
 * Control. `ignored`: unknown sections.
 */
export type GppConsent = {
  readonly sections: readonly number[]
  readonly advertising?: string
  readonly sharePii?: string
  readonly saleAlone?: true
  readonly gpc?: true
  readonly tcf?: string
  readonly canada?: string
  readonly ignored?: readonly number[]
}
type Found = { -readonly [K in keyof GppConsent]: GppConsent[K] }

const maxSections = 30

/**
 * Decodes the applicable sections of a GPP string; all sections if none are named. Linear in its length. Throws
 * UnreadableText.
 */
export function decodeGppString(text: string, applicable?: readonly number[]): GppConsent {
  const [header = '', ...sections] = text.split('~', maxSections + 2)
  const ids = readHeader(header)
  if (ids.length !== sections.length) throw new UnreadableText('its sections differ from its header')
  const found: Found = { sections: ids.filter((id) => !applicable || applicable.includes(id)) }
  for (const [n, id] of ids.entries()) if (found.sections.includes(id)) readSection(id, sections[n]!, found)
  return found
}

/** Reads the section ids: a list of differences in Fibonacci code. */
function readHeader(header: string): number[] {
  const bits = new BitReader(header)
  if (bits.int(6) !== 3 || bits.int(6) !== 1) throw new UnreadableText('not a GPP header')
  const ids: number[] = []
  let last = 0
  for (let groups = bits.int(12); groups > 0; groups--) {
    const isRange = bits.int(1) === 1
    const start = last + bits.fibonacci()
    last = isRange ? start + bits.fibonacci() : start
    if (ids.length + last - start >= maxSections) throw new UnreadableText('too many sections')
    for (let id = start; id <= last; id++) ids.push(id)
  }
  return ids
}

function readSection(id: number, text: string, found: Found): void {
  if (id === 2) found.tcf = text
  else if (id === 5) found.canada = text
  else if (id === 6) readUsPrivacy(text, found)
  else if (usSections[id]) readUsSection(id, text, found)
  else found.ignored = [...(found.ignored ?? []), id]
}

/** Records an objection. If several object to the same thing, the first one is named. */
function object(found: Found, field: string, to: readonly ('advertising' | 'sharePii')[], isSale = false): void {
  const isFirst = found.advertising === undefined && found.sharePii === undefined
  for (const each of to) found[each] ??= field
  if (isSale && (isFirst || found.saleAlone)) found.saleAlone = true
  else delete found.saleAlone
}
const everything = ['advertising', 'sharePii'] as const

/** `1YNN`: version, notice, opted out of sale, agreement. */
function readUsPrivacy(text: string, found: Found): void {
  if (!/^1[YN-]{3}$/i.test(text)) throw new UnreadableText('not a US privacy string')
  if (text[2]!.toUpperCase() === 'Y') object(found, 'uspv1.OptOutSale', everything, true)
}

function readUsSection(id: number, text: string, found: Found): void {
  const [core = '', ...segments] = text.split('.', 4)
  const [name, latest] = usSections[id]!
  const bits = new BitReader(core)
  const version = bits.int(6)
  for (const [, kind, count] of (id === 7 && version === 1 ? usnatVersion1 : latest).matchAll(/([nSHTsc])(\d*)/g))
    for (let n = Number(count || 1); n > 0; n--) readField(kind!, bits, name, found)
  for (const segment of segments) {
    const more = new BitReader(segment)
    if (withSensitiveSegment.has(id)) for (let n = 8; n > 0; n--) readField('s', more, name, found)
    else if (more.int(2) === 1 && more.int(1) === 1) found.gpc = true
  }
}

/** Reads a field of two bits. 1: opted out, or no consent for sensitive data or a child. */
function readField(kind: string, bits: BitReader, name: string, found: Found): void {
  const value = bits.int(2)
  if (value === 3) throw new UnreadableText('a value that is not defined')
  if (value !== 1 || kind === 'n') return
  if (kind === 'S') object(found, `${name}.SaleOptOut`, everything, true)
  if (kind === 'H') object(found, `${name}.SharingOptOut`, ['advertising'])
  if (kind === 'T') object(found, `${name}.TargetedAdvertisingOptOut`, ['advertising'])
  if (kind === 's') object(found, `${name}.SensitiveDataProcessing`, ['sharePii'])
  if (kind === 'c') object(found, `${name}.KnownChildSensitiveDataConsents`, everything)
}
