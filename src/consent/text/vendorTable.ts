import type { ProviderId } from '#contract/providerIds.ts'

/**
 * The ad technology vendor of a provider. `purposes`, `interests`: purposes that it declares to base on consent and on
 * legitimate interest. `flexible`: purposes for which a publisher may choose. A vendor outside the Global Vendor List
 * only has the id of Google's additional consent.
 */
export type ListedVendor = {
  gvlId?: number
  googleAtpId?: number
  purposes?: readonly number[]
  interests?: readonly number[]
  flexible?: readonly number[]
}

/** The vendors of our providers. The provider forms contain the same ids; a test compares them. */
export const vendorTable: Partial<Record<ProviderId, ListedVendor>> = {
  facebook: { googleAtpId: 89 },
  adjust: { gvlId: 597, purposes: [], interests: [], flexible: [] },
  adobeAnalytics: { gvlId: 565, purposes: [1, 10], interests: [], flexible: [] },
  adRoll: { gvlId: 130, purposes: [1, 2, 3, 4, 5, 6, 7, 9, 10], interests: [], flexible: [] },
  amazonAds: { gvlId: 793, purposes: [1, 2, 3, 4, 7, 9, 10], interests: [], flexible: [2, 7, 9, 10] },
  awin: { gvlId: 907, purposes: [1], interests: [7], flexible: [7] },
  bing: { gvlId: 1126, purposes: [1, 2, 3, 4, 7, 9, 10], interests: [], flexible: [2, 7, 10] },
  criteo: { gvlId: 91, purposes: [1, 2, 3, 4, 7, 9, 10], interests: [], flexible: [10] },
  floodlight: { gvlId: 755, purposes: [1, 3, 4], interests: [2, 7, 9, 10], flexible: [2, 7, 9, 10] },
  googleAdsClicks: { gvlId: 755, purposes: [1, 3, 4], interests: [2, 7, 9, 10], flexible: [2, 7, 9, 10] },
  googleAnalytics4: { gvlId: 755, purposes: [1, 3, 4], interests: [2, 7, 9, 10], flexible: [2, 7, 9, 10] },
  impact: { gvlId: 721, purposes: [1, 2, 3, 4, 5, 6, 7, 11], interests: [8], flexible: [2, 7, 8, 11] },
  linkedIn: { gvlId: 804, purposes: [1, 3, 4], interests: [2, 7, 9, 10], flexible: [2, 7, 9, 10] },
  outbrain: { gvlId: 164, purposes: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], interests: [], flexible: [] },
  rakuten: { gvlId: 60, purposes: [1, 3, 4], interests: [2, 7, 9, 10], flexible: [2, 7, 9, 10] },
  rockerbox: { gvlId: 232, purposes: [1], interests: [7], flexible: [] },
  stackAdapt: { gvlId: 238, purposes: [1, 3, 4, 5, 6], interests: [2, 7, 8, 9, 10, 11], flexible: [2, 7, 8, 11] },
  taboola: { gvlId: 42, purposes: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11], interests: [], flexible: [2, 7, 8, 10, 11] },
  tradeDesk: { gvlId: 21, purposes: [1, 3, 4], interests: [2, 7, 10], flexible: [2, 7, 10] },
  yahooDsp: { gvlId: 25, purposes: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], interests: [], flexible: [] },
}

/**
 * The rows, and the version of the Global Vendor List (version 3 format) that they come from. A vendor that the list marks
 * as deleted has no declaration.
 */
export type VendorRows = {
  readonly version: number
  readonly date: string
  readonly rows: Readonly<Partial<Record<ProviderId, ListedVendor>>>
}

/** The list that this build of Aglet contains. */
export const vendorList: VendorRows = { version: 45, date: '2024-03-21', rows: vendorTable }

/** The operators' lists, by environment. */
const given = new Map<string, VendorRows>()
let current = vendorList

/** The list of this process. There is only one Global Vendor List, so the newest of all environments counts. */
export const currentVendors = (): VendorRows => current

/** Replaces the list of an environment; undefined selects the built-in list. */
export function useVendors(environment: string, list: VendorRows | undefined): void {
  if (list) given.set(environment, list)
  else given.delete(environment)
  const [newest] = [...given.values()].sort((one, other) => other.version - one.version)
  current = newest ?? vendorList
}

/** The ids in the table. Only these are read from a consent text. */
export const gvlIds: readonly number[] = [...new Set(Object.values(vendorTable).flatMap(({ gvlId }) => gvlId ?? []))]
export const googleAtpIds: readonly number[] = Object.values(vendorTable).flatMap(
  ({ googleAtpId }) => googleAtpId ?? [],
)
