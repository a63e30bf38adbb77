import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plugins } from '#plugins/index.ts'
import { aProvider } from '../../test/fake/tag.ts'
import { previewWithPlugins } from './previewWithPlugins.ts'

const now = Date.UTC(2026, 10, 20)
const providers = {
  eventSink: aProvider('eventSink', {
    request: ({ event: { eventName, eventId, data } }) => ({
      url: 'https://x.example/',
      json: { eventName, eventId, data },
    }),
  }),
}
const line = {
  provider: 'eventSink',
  event: { eventName: 'Purchase', eventId: 'e', data: { value: 108, currency: 'USD' } },
}
const show = (more: object = {}) => previewWithPlugins({ ...line, ...more }, { providers, plugins }, now)
const bodies = (more: object) => show(more).requests.map(({ body }) => JSON.parse(body!))
const conversion = { plugin: 'currencyConversion', settings: { currency: 'EUR', rates: { USD: 1.08 } } }

test('a line without plugins gives the plain preview', () => {
  assert.deepEqual(bodies({}), [line.event])
  assert.equal(show({ provider: 'nobody' }).error, 'UNKNOWN_PROVIDER')
  assert.equal(show({ event: {} }).error, 'BAD_LINE')
})

test('the plugins of a line run on its event, and added events follow it', () => {
  const data = { value: 100, currency: 'EUR' }
  const chosen = [conversion, { plugin: 'newReturningCustomer' }]
  assert.deepEqual(bodies({ plugins: chosen, history: { firstPurchase: 'another' } }), [
    { eventName: 'Purchase', eventId: 'e', data },
    { eventName: 'Purchase_RC', eventId: 'e~Purchase_RC', data },
  ])
})

test('an event that a plugin filters is skipped: filtered', () => {
  const filteredLine = { plugins: [{ plugin: 'botFilter' }], user: { userAgent: 'curl/8.5.0' } }
  assert.deepEqual(show(filteredLine), { requests: [], skipped: 'filtered' })
})

test('invalid plugins are a bad line, and the message says where', () => {
  assert.deepEqual([show({ plugins: [{ plugin: 'x' }] }).error, show({ plugins: 'x' }).error], ['BAD_LINE', 'BAD_LINE'])
  const { message } = show({ plugins: [{ plugin: 'eventRename', settings: {} }] })
  assert.equal(message, 'plugins.0.settings.names: is required.')
})
