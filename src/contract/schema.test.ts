import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { check, Nullable, Type } from './schema.ts'

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

test('of several alternatives it is told what keeps a value out of the nearest', () => {
  const minutes = check(
    Type.Object({
      hold: Nullable(Type.Union([Type.Literal('off'), Type.Integer({ minimum: 1, maximum: 30 })])),
      hosts: Nullable(Type.Array(Type.Object({ name: Type.String() }))),
    }),
  )
  const told = (value: object) => minutes(value).map(({ path, message }) => `${path} ${message}`)
  assert.deepEqual(told({ hold: 'off', hosts: null }), [])
  assert.deepEqual(told({ hold: 31 }), ['hold must be <= 30'])
  assert.deepEqual(told({ hold: 0 }), ['hold must be >= 1'])
  assert.deepEqual(told({ hold: 'on' }), ['hold must be "off"'])
  assert.deepEqual(told({ hosts: [{ name: 1 }, {}] }), ['hosts.0.name must be string', 'hosts.1.name is required'])
  assert.deepEqual(told({ hosts: 'x' }), ['hosts must be array'])
})

test('whatever a value is, it has an issue exactly when it is not as the schema says', () => {
  const taken = check(Type.Union([Type.Object({ a: Type.Union([Type.String(), Type.Literal(7)]) }), Type.Null()]))
  const isTaken = (value: unknown) =>
    value === null || (typeof value === 'object' && 'a' in value && (typeof value.a === 'string' || value.a === 7))
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.record({ a: fc.anything() }), fc.constant({ a: 7 })), (value) => {
      assert.equal(taken(value).length === 0, isTaken(value) && !Array.isArray(value))
    }),
  )
})
