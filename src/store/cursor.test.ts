import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '#contract/fault.ts'
import { anyCodePoint } from '../../test/fake/anyCodePoint.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

const whole = fc.nat({ max: 999_999_999_999_999 })

test('decoding a cursor returns its numbers', () => {
  fc.assert(
    fc.property(fc.array(whole, { minLength: 1, maxLength: 3 }), (at) => {
      assert.deepEqual(decodeCursor(encodeCursor(...at), at.length), at)
    }),
  )
})

test('any other text is badRequest', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint }), (text) => {
      try {
        assert.equal(encodeCursor(...decodeCursor(text, 2)), text)
      } catch (error) {
        assert.ok(error instanceof Fault && error.fault === 'badRequest', String(error))
      }
    }),
  )
  for (const [text, count] of [
    [encodeCursor(1), 2],
    [encodeCursor(1, 2), 1],
    [`${encodeCursor(1)}=`, 1],
    ['', 1],
  ] as const)
    assert.throws(() => decodeCursor(text, count), Fault)
})
