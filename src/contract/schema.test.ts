import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check, Type } from './schema.ts'

const issues = check(
  Type.Object(
    { base: Type.String(), rates: Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), Type.Number()) },
    { additionalProperties: false },
  ),
)

test('a value that is as the schema says has no issues', () => {
  assert.deepEqual(issues({ base: 'EUR', rates: { USD: 1.08 } }), [])
})

test('each thing that is wrong is told once, where it stands', () => {
  assert.deepEqual(issues({ rates: { USD: 'x' } }), [
    { path: 'base', message: 'is required' },
    { path: 'rates.USD', message: 'must be number' },
  ])
})

test('a name that is not taken is told at its own place and nowhere else', () => {
  assert.deepEqual(issues({ base: 'EUR', rates: {}, rate: 1, more: null }), [
    { path: 'rate', message: 'is not taken here' },
    { path: 'more', message: 'is not taken here' },
  ])
})
