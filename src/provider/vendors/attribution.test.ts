import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flatProperties, revenueOf } from './attribution.ts'

test('what an event earns is revenue only after an order, and with its currency', () => {
  const of = (eventName: string, data: { currency?: string }, value?: number) =>
    revenueOf({ event: { eventName, eventId: 'e', timestamp: 1 }, data, ...(value !== undefined && { value }) })
  assert.deepEqual(of('Purchase', { currency: 'EUR' }, 5), { revenue: 5, currency: 'EUR' })
  assert.deepEqual(of('Renewal', { currency: 'EUR' }, 0), { revenue: 0, currency: 'EUR' })
  assert.deepEqual(of('AddToCart', { currency: 'EUR' }, 5), {})
  assert.deepEqual(of('Refund', { currency: 'EUR' }, 5), {})
  assert.deepEqual(of('Purchase', {}, 5), {})
  assert.deepEqual(of('Purchase', { currency: 'EUR' }), {})
})

test('flat properties are the customer’s own values, without those that are used elsewhere', () => {
  const data = {
    value: 1,
    score: 7,
    plan: 'pro',
    isNew: true,
    adid: 'x',
    userEmail: 'a@b.example',
    list: [1],
    empty: '',
  }
  assert.deepEqual(flatProperties(data, ['adid']), { score: 7, plan: 'pro', isNew: true })
})
