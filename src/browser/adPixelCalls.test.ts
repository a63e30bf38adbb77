import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bingCall, linkedInFields, pinterestCall, redditCall, snapchatCall } from './adPixelCalls.ts'

const data = {
  value: 30,
  currency: 'EUR',
  orderId: '1001',
  tax: 5,
  contents: [{ id: 'sku-1', title: 'Runner', quantity: 2, item_price: 10 }, { title: 'no id' }, { id: 'sku-2' }],
}
const purchase = { eventName: 'Purchase', eventId: 'evt-1', data }
const event = (eventName: string, more = {}) => ({ eventName, eventId: 'evt-1', data: more })

test("Pinterest's tag gets the event id, the items and amounts as numbers", () => {
  const line_items = [
    { product_id: 'sku-1', product_name: 'Runner', product_price: 10, product_quantity: 2 },
    { product_id: 'sku-2', product_quantity: 1 },
  ]
  const fields = { event_id: 'evt-1', value: 30, currency: 'EUR', order_quantity: 3, order_id: '1001', line_items }
  assert.deepEqual(pinterestCall(purchase, 'gross'), ['checkout', fields])
  assert.deepEqual(pinterestCall(purchase, 'net'), ['checkout', { ...fields, value: 25 }])
  assert.deepEqual(pinterestCall(event('Quiz finished'), 'gross'), ['custom', { event_id: 'evt-1' }])
  for (const name of ['RemoveFromCart', 'InitiateCheckout', 'Refund'])
    assert.equal(pinterestCall(event(name), 'gross'), undefined)
})

test("Snapchat's pixel gets the event id as client_dedup_id", () => {
  assert.deepEqual(snapchatCall(purchase, 'gross'), [
    'PURCHASE',
    {
      client_dedup_id: 'evt-1',
      price: 30,
      currency: 'EUR',
      transaction_id: '1001',
      item_ids: ['sku-1', 'sku-2'],
      number_items: 3,
    },
  ])
  assert.deepEqual(snapchatCall(event('CUSTOM_EVENT_2'), 'gross')?.[0], 'CUSTOM_EVENT_2')
  for (const name of ['Quiz finished', 'AddShippingInfo', 'Refund', 'toString'])
    assert.equal(snapchatCall(event(name), 'gross'), undefined)
})

test("Reddit's pixel gets the event id as conversionId, and an unknown event as a custom one", () => {
  const products = [{ id: 'sku-1', name: 'Runner' }, { id: 'sku-2' }]
  assert.deepEqual(redditCall(purchase, 'gross'), [
    'Purchase',
    { conversionId: 'evt-1', value: 30, currency: 'EUR', itemCount: 3, products },
  ])
  assert.deepEqual(redditCall(event('PageView', { value: 1, currency: 'EUR' }), 'gross'), [
    'PageVisit',
    { conversionId: 'evt-1' },
  ])
  for (const name of ['Subscribe', 'Quiz finished'])
    assert.deepEqual(redditCall(event(name), 'gross'), ['Custom', { conversionId: 'evt-1', customEventName: name }])
  assert.equal(redditCall(event('Refund'), 'gross'), undefined)
})

test("LinkedIn's Insight Tag gets only events with a conversion rule, and a value only with its currency", () => {
  const rules = new Map([['Purchase', '104013']])
  const fields = { conversion_id: 104_013, conversion_value: 30, currency: 'EUR', event_id: 'evt-1' }
  assert.deepEqual(linkedInFields(purchase, 'gross', rules), fields)
  assert.deepEqual(linkedInFields(event('Purchase', { value: 30 }), 'gross', rules), {
    conversion_id: 104_013,
    event_id: 'evt-1',
  })
  assert.equal(linkedInFields(event('Lead'), 'gross', rules), undefined)
  assert.equal(linkedInFields(purchase, 'gross', undefined), undefined)
})

test("Microsoft's UET tag gets page views and mapped events", () => {
  const names = new Map([['Purchase', 'purchase']])
  const fields = {
    event_id: 'evt-1',
    revenue_value: 30,
    currency: 'EUR',
    transaction_id: '1001',
    ecomm_prodid: ['sku-1', 'sku-2'],
  }
  assert.deepEqual(bingCall(purchase, 'gross', names), ['event', 'purchase', fields])
  assert.deepEqual(bingCall(event('PageView'), 'gross', undefined), ['pageLoad', { event_id: 'evt-1' }])
  assert.equal(bingCall(event('Lead'), 'gross', names), undefined)
})
