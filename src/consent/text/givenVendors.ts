import type { GivenVendorList } from '#contract/vendorList.ts'
import { type VendorRows, vendorTable } from './vendorTable.ts'

/** The rows of our providers by a list that an operator gave. A vendor that the list does not have declares nothing. */
export function rowsOfList({ version, date, vendors }: GivenVendorList): VendorRows {
  const byId = new Map(vendors.map(({ id, ...declared }) => [id, declared]))
  const rows = Object.entries(vendorTable).map(([providerId, row]) => {
    const { gvlId } = row
    if (gvlId === undefined) return [providerId, row]
    return [providerId, { gvlId, ...(byId.get(gvlId) ?? { purposes: [], interests: [], flexible: [] }) }]
  })
  return { version, date, rows: Object.fromEntries(rows) }
}
