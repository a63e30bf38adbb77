import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/fake/cases.ts'
import { batchPartOf } from './batchPart.ts'

const body = (...ids: string[]) => JSON.stringify({ key: 'k', data: ids.map((event_id) => ({ event_id, value: 1 })) })

test('of a request with several events the part of one of them is shown', () => {
  const part = batchPartOf(body('order-1', 'order-2', 'order-3'), ['order-2'])!
  assert.deepEqual(JSON.parse(part), { key: 'k', data: [{ event_id: 'order-2', value: 1 }] })
})

test('a request with one event, or without its id, is shown as it is', () => {
  assert.equal(batchPartOf(body('order-1'), ['order-1']), undefined)
  assert.equal(batchPartOf(body('order-1', 'order-2'), ['order-9']), undefined)
  assert.equal(batchPartOf('a=1&b=2', ['order-1']), undefined)
})

test('an id that is the beginning of another one is not taken for it', () => {
  for (const other of ['order-10', 'x-order-1', 'order-1_b'])
    assert.deepEqual(JSON.parse(batchPartOf(body('order-1', other), ['order-1'])!).data, [
      { event_id: 'order-1', value: 1 },
    ])
})

test('an event with several entries is shown with all of them', () => {
  const own = JSON.parse(batchPartOf(body('order-1', 'order-2', 'order-2'), ['order-2'])!)
  assert.equal(own.data.length, 2)
})

test('of lines the line of the event is shown, JSON or not', () => {
  const lines = '{"id":"order-1"}\n{"id":"order-2"}\n'
  assert.deepEqual(batchPartOf(lines, ['order-2']), '{\n  "id": "order-2"\n}')
  assert.deepEqual(batchPartOf('id=order%2F1&v=1\nid=order%2F2&v=1', ['order/2']), 'id=order%2F2&v=1')
})

test('an event is found by its id inside of a query, JSON in a text, and base64', () => {
  const texts = ['order-1', 'order-2'].map((id) => JSON.stringify({ eventId: id, more: 'and more' }))
  for (const list of [['?rand=order-1&v=1', '?rand=order-2&v=1'], texts, texts.map((text) => btoa(text))])
    assert.deepEqual(JSON.parse(batchPartOf(JSON.stringify(list), ['order-2'])!), [list[1]])
})

test('where a vendor takes no event id the order id finds it, and a short number is no id in a text', () => {
  const orders = JSON.stringify([{ order: 'A-1' }, { order: 'A-2' }])
  assert.deepEqual(JSON.parse(batchPartOf(orders, ['evt-1', 'A-2'])!), [{ order: 'A-2' }])
  assert.equal(batchPartOf(JSON.stringify(['price=30', 'price=40']), ['30']), undefined)
})

test('of a request whose end is not kept the part of the event is shown where it is whole, and no text stops that', () => {
  const whole = body('order-1', 'order-2', 'order-3')
  const ofSecond = whole.indexOf('order-3')
  for (let length = ofSecond; length < whole.length; length++)
    assert.match(batchPartOf(whole.slice(0, length), ['order-2']) ?? '', /"order-2"/)
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), fc.string(), fc.nat(), (text, id, at) => {
      batchPartOf(text.slice(0, at % (text.length + 1)), [id])
    }),
    { numRuns: cases(1_000) },
  )
})
