import { after, test } from 'node:test'
import fc from 'fast-check'
import { openAglet } from '../fake/aglet.ts'
import { cases } from '../fake/cases.ts'
import { checkHistory, echo, histories, wholeHistory } from '../fake/erasureLaw.ts'
import { openVendor } from '../fake/vendor.ts'

const vendor = await openVendor(echo, { remember: false })
after(vendor.close)
const server = await openAglet('erasure', {
  AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
  AGLET_VENDORS_URL: vendor.url,
  AGLET_RATE_LIMIT: '1000000',
})

test('nothing of an erased person is left after a history with every kind of step', async () => {
  await checkHistory(server, vendor, wholeHistory)
})

test('nothing of an erased person is left after any history', async () => {
  const law = fc.asyncProperty(histories, (history) => checkHistory(server, vendor, history))
  await fc.assert(law, { numRuns: cases(20, 2) })
})
