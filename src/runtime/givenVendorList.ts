import { rowsOfList } from '#consent/text/givenVendors.ts'
import { useVendors, type VendorRows, vendorList } from '#consent/text/vendorTable.ts'
import { badRequest } from '#contract/fault.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { GivenVendorList } from '#contract/vendorList.ts'
import type { Store } from '#store/store.ts'

type VendorDeps = { environment: EnvironmentName; store: Pick<Store, 'setting'> }

/** The key of the list in the store's settings. */
export const vendorSetting = 'consent.vendors'

/** The list stored for the environment; undefined: the built-in one applies. */
async function storedList({ store }: Pick<VendorDeps, 'store'>): Promise<GivenVendorList | undefined> {
  const text = await store.setting(vendorSetting)
  return text === undefined ? undefined : (JSON.parse(text) as GivenVendorList)
}

/** Makes this process use the stored list of the environment. */
export async function loadVendorList(deps: VendorDeps): Promise<void> {
  const list = await storedList(deps)
  useVendors(deps.environment, list && rowsOfList(list))
}

const summaryOf = ({ version, date, rows }: VendorRows, isGiven: boolean) => ({
  version,
  date,
  source: isGiven ? 'given' : 'built in',
  vendors: Object.entries(rows).flatMap(([providerId, { gvlId, purposes = [], interests = [], flexible = [] }]) =>
    gvlId === undefined
      ? []
      : [
          {
            providerId,
            gvlId,
            purposes: purposes.join(' '),
            interests: interests.join(' '),
            flexible: flexible.join(' '),
          },
        ],
  ),
})

/** Stores and uses a list for the environment. Throws badRequest for a list older than the current one. */
export async function updateVendorList(
  list: GivenVendorList,
  deps: VendorDeps & { store: Pick<Store, 'setting' | 'write'> },
): Promise<{ version: number; date: string; vendors: number }> {
  const { version, date, vendors } = list
  const before = await storedList(deps)
  const known = before?.version ?? vendorList.version
  if (version < known)
    throw badRequest({ path: 'version', message: `is ${version}, but this environment already has list ${known}` })
  await deps.store.write([{ put: 'setting', name: vendorSetting, value: JSON.stringify(list) }])
  await loadVendorList(deps)
  return { version, date, vendors: vendors.length }
}

/** The list of the environment, with the vendors of our providers. */
export async function showVendorList(deps: VendorDeps): Promise<ReturnType<typeof summaryOf>> {
  const list = await storedList(deps)
  return list ? summaryOf(rowsOfList(list), true) : summaryOf(vendorList, false)
}
