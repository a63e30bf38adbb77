import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metaCall, tiktokCall } from './pixel.ts'

const data = {
  value: 30,
  currency: 'EUR',
  orderId: '1001',
  tax: 5,
  contents: [{ id: 'sku-1', quantity: 2, item_price: 10 }, { title: 'without an id' }, { id: 'sku-2' }],
}

test("a purchase goes to Meta's pixel in the words in which the server tells it", () => {
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
  assert.deepEqual(metaCall({ eventName: 'Purchase', data }, 'gross'), ['trackSingle', 'Purchase', known])
  assert.equal(metaCall({ eventName: 'Purchase', data }, 'net')[2].value, 25)
})

test("what is no standard event of Meta's is a custom one", () => {
  assert.deepEqual(metaCall({ eventName: 'PageView' }, 'gross'), ['trackSingle', 'PageView', {}])
  for (const name of ['RemoveFromCart', 'AddShippingInfo', 'Quiz finished', 'toString'])
    assert.deepEqual(metaCall({ eventName: name }, 'gross'), ['trackSingleCustom', name, {}])
  assert.deepEqual(metaCall({ eventName: 'Search', data: { search: 'shoe' } }, 'gross')[2], { search_string: 'shoe' })
})

test("TikTok's pixel is told by TikTok's names; what those have no name for is not told", () => {
  const contents = [
    { content_id: 'sku-1', content_type: 'product', quantity: 2, price: 10 },
    { content_id: 'sku-2', content_type: 'product', quantity: 1 },
  ]
  const known = { value: 30, currency: 'EUR', order_id: '1001', contents }
  assert.deepEqual(tiktokCall({ eventName: 'Purchase', data }, 'gross'), ['CompletePayment', known])
  assert.deepEqual(tiktokCall({ eventName: 'PageView' }, 'gross'), ['Pageview', {}])
  assert.deepEqual(tiktokCall({ eventName: 'Quiz', data: { search: 'q' } }, 'gross'), ['Quiz', { query: 'q' }])
  for (const eventName of ['RemoveFromCart', 'AddShippingInfo'])
    assert.equal(tiktokCall({ eventName }, 'gross'), undefined)
})
