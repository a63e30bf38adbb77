import { after, test } from 'node:test'
import fc from 'fast-check'
import { openAglet } from '../fake/aglet.ts'
import { cases } from '../fake/cases.ts'
import { assertMasked, checkHistory, wholeHistory } from '../fake/erasureLaw.ts'
import { echo, histories } from '../fake/erasureShop.ts'
import { openVendor } from '../fake/vendor.ts'

const vendor = await openVendor(echo, { remember: false })
after(vendor.close)
const server = await openAglet('erasure', {
  AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
  AGLET_VENDORS_URL: vendor.url,
  AGLET_RATE_LIMIT: '1000000',
})

test('a history with every kind of step: without user:read no reading operation shows more of people than the ids of users, and nothing of a person is left after the erasure', async () => {
  await checkHistory(server, vendor, wholeHistory, assertMasked)
})

test('nothing is left of an erased person whom a call of a webhook alone has named', async () => {
  const steps = [{ kind: 'runFind', person: 0 } as const, { kind: 'browser', person: 2 } as const]
  await checkHistory(server, vendor, { steps, waits: true })
})

test('nothing is left of a buyer of whom the shop alone has told: what is kept of the order is found by its e-mail', async () => {
  const steps = [{ kind: 'shopBuyer', person: 0 } as const, { kind: 'browser', person: 1 } as const]
  await checkHistory(server, vendor, { steps, waits: true })
})

test('nothing of an erased person is left after any history', async () => {
  const law = fc.asyncProperty(histories, (history) => checkHistory(server, vendor, history))
  await fc.assert(law, { numRuns: cases(6, 1), endOnFailure: true })
})
