import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conversionOf } from './conversion.ts'

test('a purchase has price, currency, order and what was bought', () => {
  const data = {
    value: 30,
    currency: 'EUR',
    orderId: '1001',
    contents: [{ id: 'sku-1', quantity: 2 }, { id: 'sku-2' }],
  }
  assert.deepEqual(conversionOf({ eventName: 'Purchase', data }), [
    'purchase',
    { price: 30, currency: 'EUR', order_id: '1001', content_id: 'sku-1', item_quantity: 3 },
  ])
})

test('an event without data has only its name', () => {
  assert.deepEqual(conversionOf({ eventName: 'PageView' }), ['page_view', {}])
})

test('what the pixel has no name for is not told', () => {
  for (const eventName of ['RemoveFromCart', 'toString', 'Rated']) assert.equal(conversionOf({ eventName }), undefined)
})
