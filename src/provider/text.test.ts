import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cut } from './text.ts'

test('no more of a text goes than the vendor takes; anything else is left as it is', () => {
  assert.deepEqual(
    [cut('abcdef', 3), cut('abc', 3), cut(undefined, 3), cut(12345, 3)],
    ['abc', 'abc', undefined, 12345],
  )
})
