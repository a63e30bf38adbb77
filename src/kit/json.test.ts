import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { exceededBound, parseJson } from './json.ts'

const bounds = { levels: 3, values: 4 }

test('a text exceeds a bound by its brackets and commas outside strings', () => {
  const texts = [
    ['[[[1]]]', undefined],
    ['[[[[1]]]]', 'levels'],
    ['{"a":{"b":{"c":{}}}}', 'levels'],
    ['[1,2,3,4]', undefined],
    ['[1,2,3,4,5]', 'values'],
    ['["[[[[,,,,,"]', undefined],
    ['["\\"[[[[,,,,,\\\\"]', undefined],
    ['["\\\\",[[[1]]]]', 'levels'],
    ['"[[[[', undefined],
  ] as const
  for (const [text, bound] of texts) assert.equal(exceededBound(text, bounds), bound, text)
})

test('a text within the bounds is parsed as by JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = JSON.stringify(value)
      assert.deepEqual(parseJson(text), JSON.parse(text))
    }),
  )
})

test('a mebibyte of brackets, names or values is refused without being parsed', () => {
  const names = `{${Array.from({ length: 100_000 }, (_, at) => `"a${at}":1`).join()}}`
  for (const text of ['['.repeat(1_000_000), '{"a":'.repeat(200_000), `[${'1,'.repeat(500_000)}1]`, names])
    assert.throws(() => parseJson(text), SyntaxError)
})
