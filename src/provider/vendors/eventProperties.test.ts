import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { eventProperties, flatProperties, withinBytes } from './eventProperties.ts'

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

test('what fits is unchanged; else the first members and the first rows of a list stay', () => {
  const members = { a: 1, rows: ['aaaa', 'bbbb'], z: 'zzzz' }
  assert.equal(withinBytes(members, bytes(members)), members)
  assert.deepEqual(withinBytes(members, 30), { a: 1, rows: ['aaaa'] })
})

test('no object is larger than it may be', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 2, max: 200 }), (members, maxBytes) => {
      assert.ok(bytes(withinBytes(members, maxBytes)) <= maxBytes)
    }),
  )
})

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
