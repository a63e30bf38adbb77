import { BitReader, UnreadableText } from './bitReader.ts'

/** A restriction of the publisher. `type` 0: the purpose is forbidden, 1: needs consent, 2: needs legitimate interest. */
export type TcRestriction = { readonly purpose: number; readonly type: number; readonly vendors: readonly number[] }

/**
 * The content of a TC string (IAB Europe TCF 2.2 and 2.3) for the requested vendors. `disclosed` is absent if the
 * string lacks the segment, which 2.3 requires.
 */
export type TcConsent = {
  /** Epoch ms. */
  readonly lastUpdated: number
  readonly cmpId: number
  readonly listVersion: number
  readonly policyVersion: number
  readonly isServiceSpecific: boolean
  readonly purposes: readonly number[]
  readonly interests: readonly number[]
  readonly vendors: readonly number[]
  readonly vendorInterests: readonly number[]
  readonly disclosed?: readonly number[]
  readonly restrictions: readonly TcRestriction[]
}

const purposeBits = 24
const disclosedSegment = 1
/** Segments that decide nothing: allowed vendors, which 2.3 does not have, and the publisher's own purposes. */
const otherSegments = [2, 3]

/**
 * Decodes a TC string for these vendors. Linear in its length: sets of vendors are not expanded, so that overlapping
 * ranges of 65,535 vendors cost no more than their text. Throws UnreadableText.
 */
export function decodeTcString(text: string, vendorIds: readonly number[]): TcConsent {
  const [core = '', ...segments] = text.split('.', 5)
  if (segments.length > 3) throw new UnreadableText('too many segments')
  const consent = readCore(new BitReader(core), vendorIds)
  const disclosed = disclosedOf(segments, otherSegments, (bits) => readVendors(bits, vendorIds))
  return disclosed ? { ...consent, disclosed } : consent
}

function readCore(bits: BitReader, vendorIds: readonly number[]): TcConsent {
  if (bits.int(6) !== 2) throw new UnreadableText('not version 2')
  bits.skip(36)
  const lastUpdated = bits.int(36) * 100
  const cmpId = bits.int(12)
  bits.skip(12 + 6 + 12)
  const listVersion = bits.int(12)
  const policyVersion = bits.int(6)
  const isServiceSpecific = bits.int(1) === 1
  bits.skip(1 + 12)
  const purposes = setPurposes(bits)
  const interests = setPurposes(bits)
  bits.skip(1 + 12)
  const vendors = readVendors(bits, vendorIds)
  const vendorInterests = readVendors(bits, vendorIds)
  const restrictions = readRestrictions(bits, vendorIds)
  const head = { lastUpdated, cmpId, listVersion, policyVersion, isServiceSpecific }
  return { ...head, purposes, interests, vendors, vendorInterests, restrictions }
}

/** The numbers, from 1, of the purposes whose bits are set. */
export function setPurposes(bits: BitReader): number[] {
  const word = bits.int(purposeBits)
  const numbers: number[] = []
  for (let n = 1; n <= purposeBits; n++) if ((word >> (purposeBits - n)) & 1) numbers.push(n)
  return numbers
}

/** The requested vendors that a set contains. The set has one bit per vendor, or ranges. */
function readVendors(bits: BitReader, vendorIds: readonly number[]): number[] {
  const maxId = bits.int(16)
  if (bits.int(1) === 1) return readRanges(bits, vendorIds)
  const from = bits.skip(maxId)
  return vendorIds.filter((id) => id <= maxId && bits.bit(from + id - 1) === 1)
}

function readRanges(bits: BitReader, vendorIds: readonly number[]): number[] {
  const found = new Set<number>()
  for (let entries = bits.int(12); entries > 0; entries--) {
    const isRange = bits.int(1) === 1
    const start = bits.int(16)
    const end = isRange ? bits.int(16) : start
    if (start > end || start === 0) throw new UnreadableText('a range that ends before it starts')
    for (const id of vendorIds) if (id >= start && id <= end) found.add(id)
  }
  return vendorIds.filter((id) => found.has(id))
}

function readRestrictions(bits: BitReader, vendorIds: readonly number[]): TcRestriction[] {
  const restrictions: TcRestriction[] = []
  for (let count = bits.int(12); count > 0; count--) {
    const purpose = bits.int(6)
    const type = bits.int(2)
    const vendors = readRanges(bits, vendorIds)
    if (vendors.length > 0) restrictions.push({ purpose, type, vendors })
  }
  return restrictions
}

/**
 * Reads the disclosed vendors from the segments after the core, which may be in any order. `others`: segment types that
 * decide nothing.
 */
export function disclosedOf(
  segments: readonly string[],
  others: readonly number[],
  readSet: (bits: BitReader) => number[],
): number[] | undefined {
  let disclosed: number[] | undefined
  for (const segment of segments) {
    const bits = new BitReader(segment)
    const type = bits.int(3)
    if (type === disclosedSegment && !disclosed) disclosed = readSet(bits)
    else if (!others.includes(type)) throw new UnreadableText('an unknown or repeated segment')
  }
  return disclosed
}
