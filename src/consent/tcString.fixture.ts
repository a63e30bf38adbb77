import fc from 'fast-check'
import { vendorList, vendorTable } from './text/vendorTable.ts'

// Imported by name at run time, so that a checkout without the test oracle still type-checks.
const { GVL, PurposeRestriction, TCModel, TCString } = await import('@iabtechlabtcf/core' as string)

export const now = Date.UTC(2026, 10, 26)
export const dayMs = 86_400_000
export const purposeIds = Array.from({ length: 11 }, (_, n) => n + 1)
const listed = Object.values(vendorTable).flatMap(({ gvlId }) => gvlId ?? [])
export const vendorIds = [...new Set([1, 2, 9, 500, 1_200, ...listed])]

/** A Global Vendor List with the declarations of our vendors, and some other vendors. */
const gvl = new GVL({
  gvlSpecificationVersion: 3,
  vendorListVersion: vendorList.version,
  tcfPolicyVersion: 5,
  lastUpdated: new Date(now).toISOString(),
  purposes: Object.fromEntries(purposeIds.map((id) => [id, { id, name: '', description: '', illustrations: [] }])),
  specialPurposes: {},
  features: {},
  specialFeatures: {},
  stacks: {},
  dataCategories: {},
  vendors: Object.fromEntries(
    vendorIds.map((id) => {
      const own = Object.values(vendorTable).find(({ gvlId }) => gvlId === id)
      const legIntPurposes = own?.interests ?? []
      const purposes = own?.purposes ?? purposeIds
      const declared = { purposes, legIntPurposes, flexiblePurposes: own?.flexible ?? [] }
      return [
        id,
        { id, name: `${id}`, ...declared, specialPurposes: [], features: [], specialFeatures: [], policyUrl: '' },
      ]
    }),
  ),
} as never)

export type TcfChoice = {
  purposes: number[]
  interests: number[]
  vendors: number[]
  vendorInterests: number[]
  disclosed: number[]
  restrictions: [purpose: number, type: number, vendor: number][]
}
const all: TcfChoice = {
  purposes: purposeIds,
  interests: purposeIds,
  vendors: vendorIds,
  vendorInterests: vendorIds,
  disclosed: vendorIds,
  restrictions: [],
}

export function encodeTcf(choice: Partial<TcfChoice> = {}, updated = now - dayMs): string {
  const { purposes, interests, vendors, vendorInterests, disclosed, restrictions } = { ...all, ...choice }
  const model = new TCModel(gvl)
  Object.assign(model, { cmpId: 880, cmpVersion: 1, isServiceSpecific: true, consentLanguage: 'EN' })
  model.purposeConsents.set(purposes)
  model.purposeLegitimateInterests.set(interests.filter((id) => id !== 1 && (id < 3 || id > 6)))
  model.vendorConsents.set(vendors)
  model.vendorLegitimateInterests.set(vendorInterests)
  model.vendorsDisclosed.set(disclosed)
  for (const [purpose, type, vendor] of restrictions)
    model.publisherRestrictions.add(vendor, new PurposeRestriction(purpose, type))
  model.created = new Date(updated)
  model.lastUpdated = new Date(updated)
  return TCString.encode(model)
}

const subset = (from: readonly number[]) => fc.subarray([...from])
export const tcfChoices: fc.Arbitrary<TcfChoice> = fc.record({
  purposes: fc.oneof(subset(purposeIds), fc.constant(purposeIds)),
  interests: subset(purposeIds),
  vendors: subset(vendorIds),
  vendorInterests: subset(vendorIds),
  disclosed: fc.oneof(subset(vendorIds), fc.constant(vendorIds)),
  restrictions: fc.array(
    fc.tuple(fc.constantFrom(...purposeIds), fc.constantFrom(0, 1, 2), fc.constantFrom(...vendorIds)),
    { maxLength: 4 },
  ),
})
