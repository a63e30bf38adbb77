import type { GivenVendorList } from '#contract/vendorList.ts'
import { type VendorRows, vendorTable } from './vendorTable.ts'

/** Maps our providers to rows of an operator's list. A vendor that is missing in the list declares nothing. */
export function rowsOfList({ version, date, vendors }: GivenVendorList): VendorRows {
  const byId = new Map(vendors.map(({ id, ...declared }) => [id, declared]))
  const rows = Object.entries(vendorTable).map(([providerId, row]) => {
    const { gvlId } = row
    if (gvlId === undefined) return [providerId, row]
    return [providerId, { gvlId, ...(byId.get(gvlId) ?? { purposes: [], interests: [], flexible: [] }) }]
  })
  return { version, date, rows: Object.fromEntries(rows) }
}
