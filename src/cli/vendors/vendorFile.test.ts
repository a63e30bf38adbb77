import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseVendorList, readVendorFile } from './vendorFile.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-vendors-'))
after(() => rmSync(folder, { recursive: true }))
const vendor = (id: number, more: object = {}) => ({
  ...{ id, name: `${id}`, purposes: [1, 3], legIntPurposes: [7], flexiblePurposes: [7], features: [], urls: [] },
  ...more,
})
const list = (more: object = {}) => ({
  ...{ gvlSpecificationVersion: 3, vendorListVersion: 130, lastUpdated: '2026-10-08T16:05:30Z', purposes: {} },
  vendors: { 755: vendor(755), 91: vendor(91, { deletedDate: '2026-01-01T00:00:00Z' }) },
  ...more,
})

test('a Global Vendor List is read in short: what each vendor declares, a deleted one nothing', () => {
  assert.deepEqual(parseVendorList(JSON.stringify(list())), {
    version: 130,
    date: '2026-10-08',
    vendors: [
      { id: 91, purposes: [], interests: [], flexible: [] },
      { id: 755, purposes: [1, 3], interests: [7], flexible: [7] },
    ],
  })
})

test('what is no Global Vendor List of version 3 is refused with what is wrong', () => {
  const refused: [unknown, RegExp][] = [
    ['no JSON', /not JSON/],
    [[], /no vendors/],
    [list({ gvlSpecificationVersion: 2 }), /version 3/],
    [list({ vendorListVersion: 5_000 }), /version/],
    [list({ lastUpdated: 7 }), /date/],
    [list({ vendors: { 755: vendor(754) } }), /the id of vendor 755 does not match/],
    [list({ vendors: { 755: vendor(755, { purposes: ['1'] }) } }), /purposes/],
    [list({ vendors: { 755: vendor(755, { legIntPurposes: undefined }) } }), /interests/],
    [list({ vendors: { 70000: vendor(70_000) } }), /id/],
  ]
  for (const [given, why] of refused)
    assert.throws(() => parseVendorList(typeof given === 'string' ? given : JSON.stringify(given)), why)
})

test('a file that is too large or not there is refused before it is read', () => {
  const path = join(folder, 'large.json')
  writeFileSync(path, Buffer.alloc(8 * 1024 * 1024 + 1))
  assert.throws(() => readVendorFile(path), /limit for a vendor list is 8 MB/)
  assert.throws(() => readVendorFile(join(folder, 'absent.json')), /cannot be read/)
})
