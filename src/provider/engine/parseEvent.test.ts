import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TagEvent } from '#contract/event.ts'
import { pageQuery } from '#provider/form/url.ts'
import { parseEvent } from './parseEvent.ts'

const eventWith = (more: object) => ({ eventName: 'PageView', eventId: 'e', timestamp: 1, ...more }) as TagEvent

test('a known field of a wrong type is left out, or read where its meaning is plain', () => {
  const data = {
    value: '12.5',
    currency: ' eur ',
    orderId: 1001,
    search: ['x'],
    valueBeforeDiscount: 'yes',
    contents: [{ id: 7, quantity: '2', item_price: {}, colour: 'red' }, null, 'sku'],
  }
  const { event } = parseEvent(eventWith({ data, pageUrl: 5, referrer: {}, extra: { kept: true } }))
  assert.deepEqual(event, {
    eventName: 'PageView',
    eventId: 'e',
    timestamp: 1,
    pageUrl: '5',
    extra: { kept: true },
    data: { value: 12.5, currency: 'EUR', orderId: '1001', contents: [{ id: '7', quantity: 2, colour: 'red' }] },
  })
})

test('a blank text is as if it had not come, and so is a currency that is no code of three letters', () => {
  const data = { search: '', orderId: ' ', currency: 'euro', contents: [{ id: 'sku', variantId: '' }] }
  assert.deepEqual(
    parseEvent(eventWith({ data, pageTitle: '' })).event,
    eventWith({ data: { contents: [{ id: 'sku' }] } }),
  )
})

test('data, contents and storage that are nothing of the kind are as if they had not come', () => {
  assert.deepEqual(parseEvent(eventWith({ data: null, storage: 'x' })).event, eventWith({}))
  assert.deepEqual(parseEvent(eventWith({ data: { contents: 'sku' } })).event, eventWith({ data: {} }))
})

test('the payload is the event as it came, but for the raw keys of the person', () => {
  const storage = { kv: { email: 'a@b.c' }, service: { consent: { all: true } } }
  const { payload } = parseEvent(eventWith({ data: { value: '12.5' }, storage }))
  assert.deepEqual(payload, eventWith({ data: { value: '12.5' }, storage: { service: { consent: { all: true } } } }))
})

test('an event is parsed once and deeply frozen, whatever it contains', () => {
  fc.assert(
    fc.property(fc.object(), (more) => {
      const event = eventWith({ data: more, storage: more })
      const before = JSON.stringify(event)
      const read = parseEvent(event)
      assert.equal(parseEvent(event), read)
      assert.equal(JSON.stringify(event), before)
      assert.ok(Object.isFrozen(read.event) && Object.isFrozen(read.payload.data))
      assert.equal(Object.getPrototypeOf(read.event), Object.prototype)
    }),
  )
})

test('the query of the page is that of search, else of pageUrl', () => {
  assert.deepEqual(pageQuery({ search: '?a=1&b=%20x&a=2' }), { a: '2', b: ' x' })
  assert.deepEqual(pageQuery({ pageUrl: 'https://a.b/c?d=1#e' }), { d: '1' })
  assert.deepEqual(pageQuery({ search: '', pageUrl: 'no address?d=1' }), {})
  assert.deepEqual(Object.entries(pageQuery({ search: '?__proto__=x' })), [['__proto__', 'x']])
})
