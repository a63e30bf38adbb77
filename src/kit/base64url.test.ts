import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readBase64url } from './base64url.ts'

test('what was written as base64url without padding is read back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.deepEqual(readBase64url(Buffer.from(bytes).toString('base64url')), Buffer.from(bytes))
    }),
  )
})

test('each run of bytes has one spelling: no padding, no plus or slash, no spaces, no bits left over', () => {
  for (const text of ['AA==', 'AAA=', '+A', '/w', ' AA', 'AA ', 'AA\n', 'A', 'AB', 'AAB', 'AAAAA', '🔑🔑', 'AA.AA'])
    assert.equal(readBase64url(text), undefined, JSON.stringify(text))
})

test('any text is either refused or exactly the spelling of its bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      const bytes = readBase64url(text)
      assert.ok(bytes === undefined || bytes.toString('base64url') === text)
    }),
    { numRuns: 2000 },
  )
})
