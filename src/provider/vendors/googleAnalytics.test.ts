import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gaCustomEventName, gaItems, gaParams } from './googleAnalytics.ts'

test('a custom event has a name that Google takes, or none', () => {
  assert.deepEqual([' Quiz finished ', 'a-b', 'x'.repeat(50)].map(gaCustomEventName), [
    'Quiz_finished',
    'a_b',
    'x'.repeat(40),
  ])
  for (const name of ['1st', 'ga_x', 'google_x', 'firebase_x', 'gtag.x', 'first_visit', 'Session_Start', ''])
    assert.equal(gaCustomEventName(name), undefined, name)
})

test('parameters are what has no other place, of a name and a value that Google takes, and names nobody', () => {
  const data = {
    value: 1,
    currency: 'EUR',
    orderId: 'A',
    userEmail: 'a@b.example',
    score: 7,
    list: [1],
    to: 'a@b',
    ga_x: 1,
  }
  assert.deepEqual(gaParams({ ...data, note: 'n'.repeat(120) }, 10), { score: 7, note: 'n'.repeat(100) })
  assert.deepEqual(gaParams({ a: 1, b: 2, c: 3 }, 2), { a: 1, b: 2 })
})

test('of the items two hundred that have an id or a name are taken, their texts cut', () => {
  const items = gaItems([{ quantity: 1 }, ...Array.from({ length: 250 }, () => ({ id: 'i'.repeat(200) }))])!
  assert.deepEqual([items.length, items[0]!.item_id], [200, 'i'.repeat(100)])
  assert.equal(gaItems(undefined), undefined)
})
