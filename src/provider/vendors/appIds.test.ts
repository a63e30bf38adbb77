import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unknownConsent } from '#provider/form/consentSignals.ts'
import { appIds, flatProperties, revenueOf } from './appIds.ts'

const captured = { adid: { value: 'captured', at: 1 } }
const sources = { data: {}, custom: {}, captured, consent: unknownConsent }

test('an id of a device is that of the event, else of the person, else the captured one', () => {
  const read = (data: object, custom: object) =>
    appIds({ ...sources, data: { ...data }, custom: { ...custom } }, ['adid'])
  assert.deepEqual(read({ adid: 'event' }, { adid: 'person' }), { adid: 'event' })
  assert.deepEqual(read({}, { adid: 'person' }), { adid: 'person' })
  assert.deepEqual(read({}, {}), { adid: 'captured' })
  assert.deepEqual(read({ adid: 12 }, {}), { adid: '12' })
})

test('zeros alone, an empty text and anything else that is no text are no id', () => {
  for (const adid of ['00000000-0000-0000-0000-000000000000', ' ', 0, {}, null, 'x'.repeat(201)])
    assert.deepEqual(appIds({ ...sources, captured: {}, data: { adid } }, ['adid']), {})
})

test('nobody is identified by a device who does not share what identifies them', () => {
  const consent = { ...unknownConsent, sharePii: 'denied' as const }
  assert.deepEqual(appIds({ ...sources, consent, data: { adid: 'event' } }, ['adid']), {})
})

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
