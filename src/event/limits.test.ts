import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { excess, isBomb } from './limits.ts'

const nested = (levels: number): unknown =>
  levels === 0 ? 1 : levels % 2 ? { deeper: nested(levels - 1) } : [nested(levels - 1)]
const wide = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, at) => [`k${at}`, at]))

test('an event may be 32 levels deep, and not 33', () => {
  assert.deepEqual(excess(nested(32)), [])
  assert.deepEqual(excess(nested(33)), [{ path: '', message: 'is nested deeper than 32 levels' }])
})

test('an event that is a million levels deep is refused without a stack overflow', () => {
  assert.equal(excess(JSON.parse('['.repeat(500_000) + ']'.repeat(500_000))).length, 1)
})

test('an event may have 5,000 keys on all levels together, and not one more', () => {
  assert.deepEqual(excess({ a: wide(2_499), b: [wide(2_499)] }), [])
  assert.deepEqual(excess({ a: wide(2_499), b: [wide(2_500)] }), [
    { path: '', message: 'holds 5001 keys, of 5000 that an event may have' },
  ])
})

test('keys named __proto__ are counted and lead nowhere', () => {
  const deep = `${'{"__proto__":'.repeat(33)}1${'}'.repeat(33)}`
  assert.equal(excess(JSON.parse(deep)).length, 1)
  assert.deepEqual(excess(JSON.parse('{"__proto__": {"polluted": true}}')), [])
  assert.equal(({} as { polluted?: true }).polluted, undefined)
})

test('a text is a bomb when its brackets, those in strings left out, open more than 1,000 deep', () => {
  assert.ok(isBomb('['.repeat(1_001)))
  assert.ok(isBomb('{"a":'.repeat(1_001)))
  assert.ok(!isBomb('['.repeat(1_000)))
  assert.ok(!isBomb('[]'.repeat(5_000)))
  assert.ok(!isBomb(JSON.stringify('['.repeat(5_000))))
  assert.ok(!isBomb(JSON.stringify([`\\"${'['.repeat(5_000)}`, '\\'])))
  assert.ok(isBomb(`["\\\\",${'['.repeat(1_001)}`))
  assert.ok(!isBomb(`"${'['.repeat(5_000)}`))
})

test('no JSON of a usual depth is a bomb, whatever its strings hold', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, text) => assert.ok(!isBomb(JSON.stringify([value, text])))),
  )
})
