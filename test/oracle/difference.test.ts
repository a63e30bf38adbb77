import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { differences } from './difference.ts'

test('equal values have no difference, and a value that one side lacks is named', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => assert.deepEqual(differences(value, structuredClone(value)), [])))
  assert.deepEqual(differences({ a: 1, b: undefined }, { a: 1 }), [])
  assert.deepEqual(differences({ a: 1 }, {}), [{ at: 'a', is: 'theirs only' }])
  assert.deepEqual(differences({}, { a: { b: 1 } }), [{ at: 'a', is: 'ours only' }])
})

test('another type and another value are told apart, and rows of a list are one', () => {
  assert.deepEqual(differences({ a: 1 }, { a: '1' }), [{ at: 'a', is: 'another type' }])
  assert.deepEqual(differences([{ t: 1 }, { t: 2 }], [{ t: 3 }, { t: 4 }]), [{ at: '*.t', is: 'another value' }])
  assert.deepEqual(differences({ a: null }, { a: {} }), [{ at: 'a', is: 'another type' }])
  assert.deepEqual(differences([], {}), [{ at: '', is: 'another type' }])
})
