import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '#contract/fault.ts'
import { cursorOf, readCursor } from './cursor.ts'

const whole = fc.nat({ max: 999_999_999_999_999 })

test('a cursor gives back the numbers it was made of', () => {
  fc.assert(
    fc.property(fc.array(whole, { minLength: 1, maxLength: 3 }), (at) => {
      assert.deepEqual(readCursor(cursorOf(...at), at.length), at)
    }),
  )
})

test('any other text is a bad request', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      try {
        assert.equal(cursorOf(...readCursor(text, 2)), text)
      } catch (error) {
        assert.ok(error instanceof Fault && error.fault === 'badRequest', String(error))
      }
    }),
  )
  for (const [text, count] of [
    [cursorOf(1), 2],
    [cursorOf(1, 2), 1],
    [`${cursorOf(1)}=`, 1],
    ['', 1],
  ] as const)
    assert.throws(() => readCursor(text, count), Fault)
})
