import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '#contract/fault.ts'
import { readJson } from './readJson.ts'

const read = (text: string) => readJson(Buffer.from(text))
const refused = (text: string) => {
  try {
    read(text)
  } catch (error) {
    assert.ok(error instanceof Fault)
    return error.code
  }
  return undefined
}

test('JSON of up to 32 levels is read unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const text = JSON.stringify(value)
      if (text.isWellFormed()) assert.equal(JSON.stringify(read(text)), text)
    }),
  )
  assert.equal(refused('['.repeat(32) + ']'.repeat(32)), undefined)
})

test('deeper values are refused, in arrays and objects, without a stack overflow', () => {
  for (const levels of [33, 5_000, 1_000_000]) {
    assert.equal(refused('['.repeat(levels) + ']'.repeat(levels)), 'BAD_REQUEST')
    assert.equal(refused(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`), 'BAD_REQUEST')
  }
})

test('more than 20,000 values are refused before they are parsed', () => {
  const list = (count: number) => `[${Array.from({ length: count }, () => '1').join()}]`
  assert.equal(refused(list(20_000)), undefined)
  assert.equal(refused(list(20_001)), 'BAD_REQUEST')
})

test('an object with more than 2,000 members is refused', () => {
  const names = (count: number) => `{"a":{${Array.from({ length: count }, (_, at) => `"a${at}":1`).join()}}}`
  assert.equal(refused(names(2_000)), undefined)
  assert.equal(refused(names(2_001)), 'BAD_REQUEST')
})

test('a lone surrogate is refused in names and values', () => {
  assert.equal(refused('{"a":["\\ud83d"]}'), 'BAD_REQUEST')
  assert.equal(refused('{"\\udc00":1}'), 'BAD_REQUEST')
  assert.deepEqual(read('{"a":"\\ud83d\\ude00"}'), { a: '😀' })
})

test('any other bytes are refused as JSON_BROKEN, and not thrown as a bug', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        readJson(bytes)
      } catch (error) {
        assert.ok(error instanceof Fault)
        assert.equal(error.status, 400)
      }
    }),
  )
})
