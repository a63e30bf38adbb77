import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchKeysOf, matchStrengths } from '#provider/form/matchKeys.ts'
import type { Provider } from '#provider/form/provider.ts'
import { providers } from './index.ts'

const all = Object.entries(providers) as [string, Provider][]

/** The customer's own systems, and channels that send nothing: they match nobody. */
const matchNobody = [
  'affiliate',
  'amazonEventBridge',
  'amazonKinesis',
  'autoFormFill',
  'eventSink',
  'gcpPubSub',
].concat(['playground', 'universalAds', 'validation', 'webhook'])

for (const [id, each] of all) {
  const { matchKeys = {}, user, requires = [], captures = [] } = each
  const named = matchStrengths.flatMap((strength) => matchKeys[strength] ?? [])

  test(`${id} says its match keys once each, and every one is a value that it may send`, () => {
    assert.equal(named.length === 0, matchNobody.includes(id))
    assert.deepEqual(named, [...new Set(named)])
    const captured = captures.flatMap(({ query, cookie }) => [query, cookie]).map((name) => `captured.${name}`)
    for (const field of named)
      assert.ok(Object.hasOwn(user, field) || captured.includes(field) || field.startsWith('app.'), field)
  })

  if (named.length > 0)
    test(`${id} has each identity that it requires among its match keys, and e-mail and phone among the strong ones`, () => {
      for (const sign of requires.flat()) assert.ok(named.includes(sign), sign)
      for (const [field, { key }] of Object.entries(user))
        if (key === 'email' || key === 'phone') assert.ok(matchKeys.strong?.includes(field), field)
    })
}

test('match keys are listed with what they are made of, the strongest first', () => {
  const keys = matchKeysOf(providers.facebook!)
  assert.deepEqual(keys.slice(0, 7), [
    { key: 'email', vendorKey: 'em', strength: 'strong' },
    { key: 'phone', vendorKey: 'ph', strength: 'strong' },
    { key: 'captured', vendorKey: 'fbclid', strength: 'strong' },
    { key: 'captured', vendorKey: '_fbc', strength: 'strong' },
    { key: 'app', vendorKey: 'idfa', strength: 'strong' },
    { key: 'app', vendorKey: 'gaid', strength: 'strong' },
    { key: 'anyStableId', vendorKey: 'external_id', strength: 'medium' },
  ])
  const strengths = keys.map(({ strength }) => matchStrengths.indexOf(strength))
  assert.deepEqual(strengths, strengths.toSorted())
})
