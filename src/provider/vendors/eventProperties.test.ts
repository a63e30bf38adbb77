import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventProperties, flatProperties } from './eventProperties.ts'

test('the properties of an event are its own data and the fields of the order, without what names the person', () => {
  const event = { eventName: 'Purchase', eventId: 'evt-1', timestamp: 0, pageUrl: 'https://shop.example/' }
  const data = {
    currency: 'EUR',
    orderId: 'A-1',
    contents: [{ id: 'sku-1', title: 'Runner', item_price: 2, quantity: 1, image: 'https://shop.example/1.png' }],
    gift: true,
    event_id: 'of the shop',
    userEmail: 'ada@example.com',
  }
  assert.deepEqual(JSON.parse(JSON.stringify(eventProperties({ event, data, value: 2 }, 10_000))), {
    value: 2,
    currency: 'EUR',
    order_id: 'A-1',
    event_id: 'evt-1',
    items: [{ id: 'sku-1', name: 'Runner', price: 2, quantity: 1, image_url: 'https://shop.example/1.png' }],
    page_url: 'https://shop.example/',
    gift: true,
  })
})

test('for vendors of flat fields the items are joined, and what is a list or an object is left out', () => {
  const event = { eventName: 'Purchase', eventId: 'evt-1', timestamp: 0 }
  const items = [{ id: 'a', title: 'Runner', quantity: 2 }, { id: 'b' }]
  const data = { orderId: 'A-1', contents: items, gift: true, sizes: [1], userPhone: '+491701234567' }
  assert.deepEqual(flatProperties({ event, data, items, value: 2, coupon: 'SPRING' }), {
    order_id: 'A-1',
    value: 2,
    event_id: 'evt-1',
    item_ids: 'a,b',
    item_names: 'Runner',
    quantity: 3,
    coupon: 'SPRING',
    gift: true,
  })
})
