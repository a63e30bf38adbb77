import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonParts } from './sendJson.ts'

test('the parts of an answer are together its JSON, whatever it holds', () => {
  const value = fc.oneof(fc.jsonValue(), fc.constant(undefined))
  const list = fc.array(value, { maxLength: 200, size: 'max' })
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(value, list)), (answer) => {
      assert.equal([...jsonParts(answer)].join(''), JSON.stringify(answer))
    }),
  )
})

test('a long list is written in parts of about 64 KiB', () => {
  const rows = Array.from({ length: 200 }, (_, n) => ({ n, text: 'x'.repeat(10_000) }))
  const lengths = [...jsonParts({ rows, next: 'a' })].map(({ length }) => length)
  assert.ok(lengths.length > 20 && Math.max(...lengths) < 80_000, `${lengths}`)
})
