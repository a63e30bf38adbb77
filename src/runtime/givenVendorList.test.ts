import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { encodeTcf, now } from '#consent/tcString.fixture.ts'
import { readTexts } from '#consent/text/consentTexts.ts'
import { tcfRefusal } from '#consent/text/tcfRefusal.ts'
import { currentVendors, useVendors, vendorList } from '#consent/text/vendorTable.ts'
import { environments } from '#contract/me.ts'
import type { StoreChange } from '#store/store.ts'
import { applyChange } from './applyChange.ts'
import { loadVendorList, showVendorList, updateVendorList } from './givenVendorList.ts'

afterEach(() => {
  for (const environment of environments) useVendors(environment, undefined)
})

const listOf = (version: number, awin: object = {}) => ({
  version,
  date: '2026-10-08',
  vendors: [{ id: 907, purposes: [1], interests: [], flexible: [], ...awin }],
})
/** The settings of a store. */
function openSettings(environment: 'production' | 'sandbox' = 'production') {
  const settings = new Map<string, string>()
  const store = {
    setting: async (name: string) => settings.get(name),
    write: async (changes: readonly StoreChange[]) => {
      for (const change of changes)
        if ('put' in change && change.put === 'setting') settings.set(change.name, change.value)
      return undefined as never
    },
  }
  return { environment, store }
}

test('a list that an operator gives decides about legitimate interest, and is the one that strings are compared with', async () => {
  const deps = openSettings()
  const string = encodeTcf({ purposes: [1, 3, 4] })
  const read = () => readTexts({ tcf: string }, now)
  const refusal = () => tcfRefusal(read().texts!.tcf!, 'awin', 'advertising')
  assert.equal(refusal(), undefined)
  await updateVendorList(listOf(vendorList.version + 1), deps)
  assert.equal(refusal(), 'purpose 7')
  useVendors('production', { ...vendorList, version: vendorList.version - 1 })
  assert.deepEqual(read().warnings, ['TCF_LIST_NEWER'])
  await loadVendorList(deps)
  assert.deepEqual(read().warnings, [])
})

test('a vendor that the list does not have declares nothing, and one outside it keeps its id', async () => {
  await updateVendorList(listOf(60), openSettings())
  const { rows } = currentVendors()
  assert.deepEqual(rows.googleAnalytics4, { gvlId: 755, purposes: [], interests: [], flexible: [] })
  assert.deepEqual(rows.facebook, { googleAtpId: 89 })
})

test('a list that is older than the one of the environment is refused, and the newest of two environments counts', async () => {
  const [production, sandbox] = [openSettings(), openSettings('sandbox')]
  await updateVendorList(listOf(60), production)
  await assert.rejects(updateVendorList(listOf(59), production), /version/)
  await assert.rejects(updateVendorList(listOf(vendorList.version - 1), sandbox), /version/)
  await updateVendorList(listOf(70), sandbox)
  assert.equal(currentVendors().version, 70)
  const shown = await showVendorList(production)
  assert.deepEqual([shown.version, shown.source], [60, 'given'])
  assert.equal((await showVendorList(openSettings())).source, 'built in')
})

test('a list that another process took is used when its change arrives', async () => {
  const deps = openSettings()
  await updateVendorList(listOf(60), deps)
  useVendors('production', undefined)
  const change = { seq: 1, kind: 'setting', id: 'consent.vendors' }
  await applyChange({ ...change, id: 'other' }, deps as never)
  assert.equal(currentVendors(), vendorList)
  await applyChange(change, deps as never)
  assert.equal(currentVendors().version, 60)
})
