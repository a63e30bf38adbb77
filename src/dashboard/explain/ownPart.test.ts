import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownPartOf } from './ownPart.ts'

const body = (...ids: string[]) => JSON.stringify({ key: 'k', data: ids.map((event_id) => ({ event_id, value: 1 })) })

test('of a request with several events the part of one of them is shown, with how many there are', () => {
  const part = ownPartOf(body('order-1', 'order-2', 'order-3'), 'order-2')!
  assert.equal(part.count, 3)
  assert.deepEqual(JSON.parse(part.body), { key: 'k', data: [{ event_id: 'order-2', value: 1 }] })
})

test('a request with one event, without its id, or that is no JSON is shown as it is', () => {
  assert.equal(ownPartOf(body('order-1'), 'order-1'), undefined)
  assert.equal(ownPartOf(body('order-1', 'order-2'), 'order-9'), undefined)
  assert.equal(ownPartOf('a=1&b=2', 'order-1'), undefined)
})

test('an id that is the beginning of another one is not taken for it', () => {
  assert.deepEqual(JSON.parse(ownPartOf(body('order-1', 'order-10'), 'order-1')!.body).data, [
    { event_id: 'order-1', value: 1 },
  ])
})
