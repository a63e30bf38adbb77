import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../../test/fake/anyCodePoint.ts'
import { formEncode } from './formEncode.ts'

test('a text is encoded as the URL standard writes forms', () => {
  assert.equal(formEncode("a b&c=d+e!'()~*-._%"), 'a+b%26c%3Dd%2Be%21%27%28%29%7E*-._%25')
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint }), (text) => {
      assert.equal(`=${formEncode(text)}`, new URLSearchParams([['', text]]).toString())
    }),
  )
})
