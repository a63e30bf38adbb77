import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { providerIds } from '#contract/providerIds.ts'
import { isSelected, type Switches, unknownNames } from './select.ts'

test('an absent or null selection selects every provider', () => {
  assert.ok(isSelected(undefined, 'facebook', 'any'))
  assert.ok(isSelected(null, 'facebook', 'any'))
})

test('a provider that is named goes before all', () => {
  assert.equal(isSelected({ all: true, facebook: false }, 'facebook', 'any'), false)
  assert.equal(isSelected({ all: false, facebook: true }, 'facebook', 'any'), true)
})

test('unnamed providers follow all, else are off', () => {
  assert.equal(isSelected({ all: true }, 'klaviyo', 'any'), true)
  assert.equal(isSelected({ all: false }, 'klaviyo', 'any'), false)
  assert.equal(isSelected({ facebook: true }, 'klaviyo', 'any'), false)
  assert.equal(isSelected({}, 'klaviyo', 'any'), false)
})

test('below a provider scripts are chosen by name, and unnamed scripts follow all, else are off', () => {
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

test('only true is on, whatever else a sender puts there', () => {
  const anything = fc.anything().filter((value) => value !== true && value !== undefined)
  fc.assert(
    fc.property(anything, (value) => {
      const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
      assert.equal(isSelected({ facebook: value, all: !isMap } as Switches, 'facebook', '\0'), false)
      assert.equal(isSelected({ all: value } as Switches, 'facebook', 'any'), false)
    }),
  )
})

test('names that every object inherits select nothing', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    assert.equal(isSelected({}, name, 'any'), false)
    assert.equal(isSelected({ facebook: {} }, 'facebook', name), false)
  }
  assert.equal(isSelected(JSON.parse('{"__proto__": {"all": true}}'), 'facebook', 'any'), false)
})

test('names that are neither a provider nor all are unknown', () => {
  assert.deepEqual(unknownNames({ all: true, facebook: true, facebok: true, __typo: false }), ['facebok', '__typo'])
  assert.deepEqual(unknownNames(['facebook', 'Facebook']), ['Facebook'])
  assert.deepEqual(unknownNames([...providerIds, 'all']), [])
  assert.deepEqual(unknownNames(undefined), [])
  assert.deepEqual(unknownNames(JSON.parse('{"__proto__": true}')), ['__proto__'])
})
