import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from './operations.ts'
import { unknownFieldWarnings } from './unknownFields.ts'

test('a field that a write does not know is named with the nearest one, at any depth', () => {
  const { body } = operations.createReplay
  assert.deepEqual(unknownFieldWarnings(body, { from: 1, to: 2, statuss: ['dead'] }), [
    '"statuss" is not a field here and was ignored; did you mean status?',
  ])
  const secrets = [{ variable: 'A', type: 'TEXT', data: 'a', iv: 'b', key: 'c', slat: 'd' }]
  assert.deepEqual(unknownFieldWarnings(operations.patchScript.body, { secrets, banana: 1 }), [
    '"slat" is not a field here and was ignored; did you mean salt?',
    '"banana" is not a field here and was ignored',
  ])
  assert.deepEqual(unknownFieldWarnings(operations.patchScript.body, { name: 'a', geoRegions: null }), [])
})

test('what may have any field has no warning: events, settings of plugins, values by name', () => {
  const event = { eventName: 'Purchase', anything: 1, data: { colour: 'red' } }
  assert.deepEqual(
    unknownFieldWarnings(operations.simulate.body, { code: 'a', events: [event], secrets: { a: 1 } }),
    [],
  )
  const plugins = [{ plugin: 'botFilter', settings: { some: 1 } }]
  assert.deepEqual(unknownFieldWarnings(operations.updateTag.body, { plugins }), [])
})

test('warnings are bounded in number and length', () => {
  const body = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`${'x'.repeat(1_000)}${n}`, n]))
  const warnings = unknownFieldWarnings(operations.patchScript.body, body)
  assert.ok(warnings.length <= 10 && warnings.every(({ length }) => length < 200))
})
