import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ProviderId } from '#contract/providerIds.ts'
import { buildRequests } from '#provider/engine/buildRequests.ts'
import { exampleEventAt, exampleInput, exampleNow } from '#provider/engine/exampleRequests.ts'
import { ada } from '#provider/form/exampleData.ts'
import { examplesOf } from '#providers/examples/all.ts'
import { providers } from '#providers/index.ts'
import { cases } from '../fake/cases.ts'
import { vendors } from './all.ts'
import { gotOf } from './gotOf.ts'

const amount = fc.oneof(
  fc.integer({ min: -1_000, max: 100_000 }).map((cents) => cents / 100),
  fc.constantFrom('12.50', '12,50', '0', 'free', '', '1e400', null, 0, -5, Number.MAX_SAFE_INTEGER),
)
const itemText = fc.constantFrom('sku-1', 'Schuhe 👟 grün', '', 'x'.repeat(300), '日本', 'a&b=c<d>"e"', ' ')
const item = fc.record(
  {
    id: fc.oneof(itemText, fc.integer()),
    title: itemText,
    category: itemText,
    variantId: itemText,
    quantity: fc.oneof(fc.integer({ min: -1, max: 5 }), fc.constantFrom('2', 'two', 0.5)),
    item_price: amount,
  },
  { requiredKeys: [] },
)
const contents = fc.oneof(
  { weight: 8, arbitrary: fc.array(item, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constant(Array.from({ length: 500 }, (_, n) => ({ id: `sku-${n}`, item_price: n }))) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('none', null, {}) },
)
const data = fc.record(
  {
    value: amount,
    currency: fc.constantFrom('EUR', 'JPY', 'KWD', 'usd', 'euro', ''),
    contents,
    orderId: fc.oneof(itemText, fc.integer()),
    search: itemText,
    tax: amount,
    shipping: amount,
    discounts: fc.oneof(fc.constant([{ code: 'SPRING', type: 'FLAT', value: 5 }]), fc.constantFrom('none', null)),
    color: itemText,
  },
  { requiredKeys: [] },
)

/** The vendor reports missing data, and the journal shows it. Data that an event has must be sent in the vendor's format. */
const isOfForm = (sentence: string) => !/required|needs|Either/.test(sentence)

/** A generated event with a name, completed with the examples' members for that name. */
function anyInput(id: string) {
  const sent = examplesOf(id).filter(({ sends, testMode }) => !('skipped' in sends) && !testMode)
  return fc
    .record({ example: fc.constantFrom(...sent), given: data, isKnown: fc.boolean(), hasOwnData: fc.boolean() })
    .map(({ example, given, isKnown, hasOwnData }) => {
      const own = hasOwnData ? (example.event.data as object | undefined) : undefined
      const event = { ...example.event, data: { ...own, ...given }, timestamp: exampleEventAt }
      return exampleInput({ ...example, event, user: { ...(isKnown && ada), ...example.user } })
    })
}

for (const [id, vendor] of Object.entries(vendors)) {
  const provider = providers[id as ProviderId]!
  test(`${id} sends no event in a form that its vendor refuses`, () => {
    const property = fc.property(anyInput(id), (input) => {
      const built = buildRequests(id, provider, { ...input, token: 'token-1' })
      for (const request of 'skipped' in built ? [] : built.requests)
        assert.deepEqual(vendor.check(gotOf(request), exampleNow).payload.filter(isOfForm), [])
    })
    fc.assert(property, { numRuns: cases(150) })
  })
}
