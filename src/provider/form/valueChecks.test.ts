import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noSpaces, shape } from './valueChecks.ts'

test('a key has no spaces', () => {
  assert.equal(noSpaces('abc-1'), undefined)
  for (const wrong of ['a b', ' a', 'a\n', '']) assert.ok(noSpaces(wrong))
})

test('a value of the wrong shape gets the sentence that says what to write', () => {
  const check = shape(/^\d{3}$/, 'Write three digits.')
  assert.equal(check('123'), undefined)
  assert.equal(check('12'), 'Write three digits.')
})
