import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { extentOf, isNestingBomb, limitIssues } from './eventLimits.ts'

const nested = (levels: number): unknown =>
  levels === 0 ? 1 : levels % 2 ? { deeper: nested(levels - 1) } : [nested(levels - 1)]
const wide = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, at) => [`k${at}`, at]))

test('an event may be at most 32 levels deep', () => {
  assert.deepEqual(limitIssues(extentOf(nested(32))), [])
  assert.deepEqual(limitIssues(extentOf(nested(33))), [{ path: '', message: 'is nested deeper than 32 levels' }])
})

test('an event that is a million levels deep is refused without a stack overflow', () => {
  assert.equal(limitIssues(extentOf(JSON.parse('['.repeat(500_000) + ']'.repeat(500_000)))).length, 1)
})

test('an event may have at most 5,000 keys on all levels together', () => {
  assert.deepEqual(limitIssues(extentOf({ a: wide(2_499), b: [wide(2_499)] })), [])
  assert.deepEqual(limitIssues(extentOf({ a: wide(2_499), b: [wide(2_500)] })), [
    { path: '', message: 'has 5001 keys; the limit is 5000' },
  ])
})

test('keys named __proto__ are counted and change no prototype', () => {
  const deep = `${'{"__proto__":'.repeat(33)}1${'}'.repeat(33)}`
  assert.equal(limitIssues(extentOf(JSON.parse(deep))).length, 1)
  assert.deepEqual(limitIssues(extentOf(JSON.parse('{"__proto__": {"polluted": true}}'))), [])
  assert.equal(({} as { polluted?: true }).polluted, undefined)
})

test('a text is a nesting bomb when more than 1,000 brackets outside strings are open at once', () => {
  assert.ok(isNestingBomb('['.repeat(1_001)))
  assert.ok(isNestingBomb('{"a":'.repeat(1_001)))
  assert.ok(!isNestingBomb('['.repeat(1_000)))
  assert.ok(!isNestingBomb('[]'.repeat(5_000)))
  assert.ok(!isNestingBomb(JSON.stringify('['.repeat(5_000))))
  assert.ok(!isNestingBomb(JSON.stringify([`\\"${'['.repeat(5_000)}`, '\\'])))
  assert.ok(isNestingBomb(`["\\\\",${'['.repeat(1_001)}`))
  assert.ok(!isNestingBomb(`"${'['.repeat(5_000)}`))
})

test('JSON of a usual depth is no nesting bomb, whatever its strings hold', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, text) => assert.ok(!isNestingBomb(JSON.stringify([value, text])))),
  )
})
