import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../test/fake/anyCodePoint.ts'
import { cases } from '../../test/fake/cases.ts'
import { readBase64url } from './base64url.ts'

test('base64url without padding is decoded', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.deepEqual(readBase64url(Buffer.from(bytes).toString('base64url')), Buffer.from(bytes))
    }),
  )
})

test('padding, plus, slash, spaces and non-zero unused bits are refused', () => {
  for (const text of ['AA==', 'AAA=', '+A', '/w', ' AA', 'AA ', 'AA\n', 'A', 'AB', 'AAB', 'AAAAA', '🔑🔑', 'AA.AA'])
    assert.equal(readBase64url(text), undefined, JSON.stringify(text))
})

test('any text is either refused or equals the encoding of its bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint, maxLength: 60 }), (text) => {
      const bytes = readBase64url(text)
      assert.ok(bytes === undefined || bytes.toString('base64url') === text)
    }),
    { numRuns: cases(2000) },
  )
})
