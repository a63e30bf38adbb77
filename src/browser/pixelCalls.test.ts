import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toMetaCall, toTiktokCall } from './pixelCalls.ts'

const data = {
  value: 30,
  currency: 'EUR',
  orderId: '1001',
  tax: 5,
  contents: [{ id: 'sku-1', quantity: 2, item_price: 10 }, { title: 'without an id' }, { id: 'sku-2' }],
}

test("Meta's pixel gets a purchase with the same fields as the server sends", () => {
  const known = {
    value: 30,
    currency: 'EUR',
    order_id: '1001',
    content_ids: ['sku-1', 'sku-2'],
    contents: [
      { id: 'sku-1', quantity: 2, item_price: 10 },
      { id: 'sku-2', quantity: 1 },
    ],
    content_type: 'product',
    num_items: 3,
  }
  assert.deepEqual(toMetaCall({ eventName: 'Purchase', data }, 'gross'), ['trackSingle', 'Purchase', known])
  assert.equal(toMetaCall({ eventName: 'Purchase', data }, 'net')[2].value, 25)
})

test("Meta's pixel gets any other than its standard events as a custom event", () => {
  assert.deepEqual(toMetaCall({ eventName: 'PageView' }, 'gross'), ['trackSingle', 'PageView', {}])
  for (const name of ['RemoveFromCart', 'AddShippingInfo', 'Quiz finished', 'toString'])
    assert.deepEqual(toMetaCall({ eventName: name }, 'gross'), ['trackSingleCustom', name, {}])
  assert.deepEqual(toMetaCall({ eventName: 'Search', data: { search: 'shoe' } }, 'gross')[2], { search_string: 'shoe' })
})

test("TikTok's pixel gets events by TikTok's names, and no event without such a name", () => {
  const contents = [
    { content_id: 'sku-1', content_type: 'product', quantity: 2, price: 10 },
    { content_id: 'sku-2', content_type: 'product', quantity: 1 },
  ]
  const known = { value: 30, currency: 'EUR', order_id: '1001', contents }
  assert.deepEqual(toTiktokCall({ eventName: 'Purchase', data }, 'gross'), ['CompletePayment', known])
  assert.deepEqual(toTiktokCall({ eventName: 'PageView' }, 'gross'), ['Pageview', {}])
  assert.deepEqual(toTiktokCall({ eventName: 'Quiz', data: { search: 'q' } }, 'gross'), ['Quiz', { query: 'q' }])
  for (const eventName of ['RemoveFromCart', 'AddShippingInfo'])
    assert.equal(toTiktokCall({ eventName }, 'gross'), undefined)
})
