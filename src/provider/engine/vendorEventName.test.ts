import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { eventMappingCheck, mappedIdCheck, parseEventMapping } from '#provider/form/eventMapping.ts'
import type { Provider } from '#provider/form/provider.ts'
import { mirror } from './mirror.fixture.ts'
import { vendorEventName } from './vendorEventName.ts'

const paired: Provider = { ...mirror, eventMapping: 'NOTE' }

test('pairs are read in each of the three forms, ids may be numbers', () => {
  for (const text of [
    '[["Purchase","1"],["Quiz","2"]]',
    '[{"event":"Purchase","id":1},{"event":"Quiz","id":"2"}]',
    '{"Purchase":"1","Quiz":2}',
  ])
    assert.deepEqual(
      [...parseEventMapping(text)!],
      [
        ['Purchase', '1'],
        ['Quiz', '2'],
      ],
    )
  assert.deepEqual([...parseEventMapping('[]')!], [])
  assert.equal(eventMappingCheck('[["Purchase",""]]'), undefined, 'an empty id can mean something: the base conversion')
})

test('what is no list of pairs is refused with a sentence that does not repeat it', () => {
  for (const text of [
    '',
    'Purchase=1',
    '7',
    'null',
    '["Purchase"]',
    '[["Purchase"]]',
    '[[1,2]]',
    '[["","1"]]',
    '[null]',
    '{"Purchase":{}}',
  ]) {
    assert.equal(parseEventMapping(text), undefined, text)
    assert.match(eventMappingCheck(text)!, /^Write a JSON list of pairs/)
  }
  fc.assert(fc.property(fc.string(), (text) => [undefined, 'string'].includes(eventMappingCheck(text) && 'string')))
  fc.assert(
    fc.property(fc.jsonValue(), (value) => parseEventMapping(JSON.stringify(value)) === undefined || value !== null),
  )
})

test('what the customer pairs goes before the names of the vendor; what is not paired keeps them', () => {
  const secrets = { NOTE: '[["Purchase","mine"],["Lead","lead-1"]]' }
  assert.equal(vendorEventName(paired, 'Purchase', secrets), 'mine')
  assert.equal(vendorEventName(paired, 'Lead', secrets), 'lead-1')
  assert.equal(vendorEventName(paired, 'PageView', secrets), 'seen')
  assert.equal(vendorEventName(paired, 'Search', secrets), undefined)
  assert.equal(vendorEventName(paired, 'PageView', {}), 'seen')
})

test('before its secrets are open, any event may be one that is paired', () => {
  assert.equal(vendorEventName(paired, 'Lead'), 'Lead')
  assert.equal(vendorEventName(mirror, 'Lead'), undefined)
})

test('a refund has the vendor’s name for refunds if there is one, else it is a custom event', () => {
  assert.equal(vendorEventName({ ...mirror, events: { Refund: 'refunded' } }, 'Refund'), 'refunded')
  assert.equal(vendorEventName(mirror, 'Refund'), 'own_Refund')
})

test('a well-known event has the name of a vendor that lists it, by each of its names, and else its own', () => {
  const shop: Provider = { ...mirror, events: { CompleteRegistration: 'REGISTERED', Refund: 'BACK' } }
  for (const name of ['CompleteRegistration', 'sign_up', 'Signed Up', 'SignUp'])
    assert.equal(vendorEventName(shop, name), 'REGISTERED')
  assert.equal(vendorEventName(shop, 'Order Refunded'), 'BACK')
  assert.equal(vendorEventName(shop, 'add_to_wishlist'), 'own_add_to_wishlist')
  assert.equal(vendorEventName(mirror, 'sign_up'), 'own_sign_up')
})

test('a customer’s pair for the name as it was sent goes before the well-known event', () => {
  const shop: Provider = { ...paired, events: { CompleteRegistration: 'REGISTERED' } }
  assert.equal(vendorEventName(shop, 'sign_up', { NOTE: '[["sign_up","mine"]]' }), 'mine')
  assert.equal(vendorEventName(shop, 'sign_up', { NOTE: '[["CompleteRegistration","mine"]]' }), 'mine')
  assert.equal(vendorEventName(shop, 'sign_up', { NOTE: '[["Signed Up","mine"]]' }), 'REGISTERED')
})

test('a refund by another name is not sent where a custom event named Refund is not', () => {
  const customEventName = (name: string) => (name === 'Refund' ? undefined : name)
  const strict: Provider = { ...mirror, events: {}, customEventName }
  assert.equal(vendorEventName(strict, 'Order Refunded'), undefined)
  assert.equal(vendorEventName(strict, 'Quiz'), 'Quiz')
})

test('the ids of a map can be checked', () => {
  const check = mappedIdCheck(/^\d+$/, 'Write numbers.')
  assert.equal(check('[["Purchase", "12"], ["Lead", 3]]'), undefined)
  assert.equal(check('[["Purchase", "12"], ["Lead", "x"]]'), 'Write numbers.')
  assert.match(check('{')!, /JSON list of pairs/)
})
