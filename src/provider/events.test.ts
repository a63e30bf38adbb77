import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mappingCheck, mappingOf, theirName } from './events.ts'
import { mirror } from './provider.fixture.ts'
import type { Provider } from './provider.ts'

const paired: Provider = { ...mirror, mapping: 'NOTE' }

test('pairs are read in each of the three forms, ids may be numbers', () => {
  for (const text of [
    '[["Purchase","1"],["Quiz","2"]]',
    '[{"event":"Purchase","id":1},{"event":"Quiz","id":"2"}]',
    '{"Purchase":"1","Quiz":2}',
  ])
    assert.deepEqual(
      [...mappingOf(text)!],
      [
        ['Purchase', '1'],
        ['Quiz', '2'],
      ],
    )
  assert.deepEqual([...mappingOf('[]')!], [])
  assert.equal(mappingCheck('[["Purchase",""]]'), undefined, 'an empty id can mean something: the base conversion')
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
    assert.equal(mappingOf(text), undefined, text)
    assert.match(mappingCheck(text)!, /^Write a JSON list of pairs/)
  }
  fc.assert(fc.property(fc.string(), (text) => [undefined, 'string'].includes(mappingCheck(text) && 'string')))
  fc.assert(fc.property(fc.jsonValue(), (value) => mappingOf(JSON.stringify(value)) === undefined || value !== null))
})

test('what the customer pairs goes before the names of the vendor; what is not paired keeps them', () => {
  const secrets = { NOTE: '[["Purchase","mine"],["Lead","lead-1"]]' }
  assert.equal(theirName(paired, 'Purchase', secrets), 'mine')
  assert.equal(theirName(paired, 'Lead', secrets), 'lead-1')
  assert.equal(theirName(paired, 'PageView', secrets), 'seen')
  assert.equal(theirName(paired, 'Search', secrets), undefined)
  assert.equal(theirName(paired, 'PageView', {}), 'seen')
})

test('before its secrets are open, any event may be one that is paired', () => {
  assert.equal(theirName(paired, 'Lead'), 'Lead')
  assert.equal(theirName(mirror, 'Lead'), undefined)
})

test('a refund is told by its own name where the vendor has one, else it is a custom event', () => {
  assert.equal(theirName({ ...mirror, events: { Refund: 'refunded' } }, 'Refund'), 'refunded')
  assert.equal(theirName(mirror, 'Refund'), 'own_Refund')
})
