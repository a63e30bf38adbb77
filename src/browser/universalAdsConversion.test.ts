import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toConversion } from './universalAdsConversion.ts'

const user_id = 'usr_1'

test('a purchase has price, currency, order, items and user', () => {
  const data = {
    value: 30,
    currency: 'EUR',
    orderId: '1001',
    contents: [{ id: 'sku-1', quantity: 2 }, { id: 'sku-2' }],
  }
  const known = { price: 30, currency: 'EUR', order_id: '1001', content_id: 'sku-1', item_quantity: 3, user_id }
  assert.deepEqual(toConversion({ eventName: 'Purchase', data }, 'gross', user_id), ['purchase', known])
  for (const event of [{ userEmail: 'ada@shop.example' }, { data: { ...data, userEmail: 'ada@shop.example' } }]) {
    const conversion = toConversion({ eventName: 'Purchase', data, ...event }, 'gross', user_id)
    assert.deepEqual(conversion?.[1], { ...known, user_name: 'ada@shop.example' })
  }
})

test('a net channel gets the value without tax and shipping', () => {
  const event = { eventName: 'Purchase', data: { value: 30, tax: 4, shipping: 1 } }
  assert.deepEqual(toConversion(event, 'net', user_id)?.[1], { price: 25, user_id })
})

test('an event without data has only its name and its user', () => {
  assert.deepEqual(toConversion({ eventName: 'PageView' }, 'gross', user_id), ['page_view', { user_id }])
})

test('an event that the pixel has no name for is not sent', () => {
  for (const eventName of ['RemoveFromCart', 'toString', 'Rated'])
    assert.equal(toConversion({ eventName }, 'gross', user_id), undefined)
})
