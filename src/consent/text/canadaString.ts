import { BitReader, UnreadableText } from './bitReader.ts'
import { disclosedOf, setPurposes, type TcConsent, type TcRestriction } from './tcString.ts'

/**
 * Consent in Canada may be implied. There is no legitimate interest; the publisher can require express or implied consent.
 */
type Consents = { express: readonly number[]; implied: readonly number[] }

/** The segment with the publisher's own purposes, which decides nothing. */
const otherSegments = [3]

/**
 * Decodes the Canadian section of a GPP string (IAB Canada TCF 1) for these vendors into the form of a TC string: a purpose
 * or vendor with express or implied consent has consent. Linear in its length. Throws UnreadableText.
 */
export function decodeCanadaString(text: string, vendorIds: readonly number[]): TcConsent {
  const [core = '', ...segments] = text.split('.', 4)
  if (segments.length > 2) throw new UnreadableText('too many segments')
  const bits = new BitReader(core)
  if (bits.int(6) !== 1) throw new UnreadableText('not version 1')
  bits.skip(36)
  const lastUpdated = bits.int(36) * 100
  const cmpId = bits.int(12)
  bits.skip(12 + 6 + 12)
  const [listVersion, policyVersion] = [bits.int(12), bits.int(6)]
  bits.skip(1 + 12)
  const purposes = { express: setPurposes(bits), implied: setPurposes(bits) }
  const vendors = [...readVendors(bits, vendorIds), ...readVendors(bits, vendorIds)]
  const restrictions = readRestrictions(bits, vendorIds, purposes)
  refuseRest(bits)
  const disclosed = disclosedOf(segments, otherSegments, (each) => readVendors(each, vendorIds))
  return {
    ...{ lastUpdated, cmpId, listVersion, policyVersion, isServiceSpecific: true, restrictions },
    purposes: [...new Set([...purposes.express, ...purposes.implied])].sort((one, other) => one - other),
    interests: [],
    vendors: vendorIds.filter((id) => vendors.includes(id)),
    vendorInterests: [],
    ...(disclosed && { disclosed }),
  }
}

/** Reads one bit per vendor, or ranges of vendor ids as differences in Fibonacci code. */
function readVendors(bits: BitReader, vendorIds: readonly number[]): number[] {
  const maxId = bits.int(16)
  if (bits.int(1) === 0) {
    const from = bits.skip(maxId)
    return vendorIds.filter((id) => id <= maxId && bits.bit(from + id - 1) === 1)
  }
  const found = new Set<number>()
  let last = 0
  for (let groups = bits.int(12); groups > 0; groups--) {
    const isRange = bits.int(1) === 1
    const start = last + bits.fibonacci()
    last = isRange ? start + bits.fibonacci() : start
    for (const id of vendorIds) if (id >= start && id <= last) found.add(id)
  }
  return vendorIds.filter((id) => found.has(id))
}

/**
 * Type 1 requires express consent, type 2 implied consent. A restriction that the purpose does not meet forbids the
 * purpose.
 */
function readRestrictions(bits: BitReader, vendorIds: readonly number[], given: Consents): TcRestriction[] {
  const restrictions: TcRestriction[] = []
  for (let count = bits.int(12); count > 0; count--) {
    const purpose = bits.int(6)
    const type = bits.int(2)
    const vendors = readVendors(bits, vendorIds)
    const isMet = type === 1 ? given.express.includes(purpose) : type === 2 && given.implied.includes(purpose)
    if (vendors.length > 0 && !isMet) restrictions.push({ purpose, type: 0, vendors })
  }
  return restrictions
}

/**
 * Refuses early encoders, which encoded ranges differently: decoded by this code, their text does not end in the
 * right place.
 */
function refuseRest(bits: BitReader): void {
  if (bits.length - bits.at >= 24) throw new UnreadableText('it has data after its end')
  while (bits.at < bits.length) if (bits.int(1) === 1) throw new UnreadableText('it has data after its end')
}
