import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { providerIds } from '#contract/providerIds.ts'
import { isSelected, type ProviderSwitches, unknownProviderNames } from './providerSelection.ts'

test('an absent or null selection selects every provider', () => {
  assert.ok(isSelected(undefined, 'facebook', 'any'))
  assert.ok(isSelected(null, 'facebook', 'any'))
})

test('the entry of a provider takes precedence over all', () => {
  assert.equal(isSelected({ all: true, facebook: false }, 'facebook', 'any'), false)
  assert.equal(isSelected({ all: false, facebook: true }, 'facebook', 'any'), true)
})

test('providers without an entry follow all, and are off without all', () => {
  assert.equal(isSelected({ all: true }, 'klaviyo', 'any'), true)
  assert.equal(isSelected({ all: false }, 'klaviyo', 'any'), false)
  assert.equal(isSelected({ facebook: true }, 'klaviyo', 'any'), false)
  assert.equal(isSelected({}, 'klaviyo', 'any'), false)
})

test('scripts are selected by name below their provider; those without an entry follow all, and are off without all', () => {
  assert.equal(isSelected({ klaviyo: { shop: true } }, 'klaviyo', 'shop'), true)
  assert.equal(isSelected({ klaviyo: { shop: true } }, 'klaviyo', 'blog'), false)
  assert.equal(isSelected({ all: true, klaviyo: { shop: false } }, 'klaviyo', 'shop'), false)
  assert.equal(isSelected({ all: true, klaviyo: { shop: false } }, 'klaviyo', 'blog'), true)
})

test('an array selects the providers that it names', () => {
  assert.equal(isSelected(['facebook', 'klaviyo'], 'klaviyo', 'any'), true)
  assert.equal(isSelected(['facebook'], 'klaviyo', 'any'), false)
  assert.equal(isSelected([], 'klaviyo', 'any'), false)
  assert.equal(isSelected(['all'], 'klaviyo', 'any'), true)
})

test('only true is on', () => {
  const anything = fc.anything().filter((value) => value !== true && value !== undefined)
  fc.assert(
    fc.property(anything, (value) => {
      const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
      assert.equal(isSelected({ facebook: value, all: !isMap } as ProviderSwitches, 'facebook', '\0'), false)
      assert.equal(isSelected({ all: value } as ProviderSwitches, 'facebook', 'any'), false)
    }),
  )
})

test('names that every object inherits select no provider', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    assert.equal(isSelected({}, name, 'any'), false)
    assert.equal(isSelected({ facebook: {} }, 'facebook', name), false)
  }
  assert.equal(isSelected(JSON.parse('{"__proto__": {"all": true}}'), 'facebook', 'any'), false)
})

test('names that are neither a provider nor all are unknown', () => {
  assert.deepEqual(unknownProviderNames({ all: true, facebook: true, facebok: true, __typo: false }), [
    'facebok',
    '__typo',
  ])
  assert.deepEqual(unknownProviderNames(['facebook', 'Facebook']), ['Facebook'])
  assert.deepEqual(unknownProviderNames([...providerIds, 'all']), [])
  assert.deepEqual(unknownProviderNames(undefined), [])
  assert.deepEqual(unknownProviderNames(JSON.parse('{"__proto__": true}')), ['__proto__'])
})
