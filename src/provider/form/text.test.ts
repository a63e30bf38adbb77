import assert from 'node:assert/strict'
import { test } from 'node:test'
import { truncate, truncateBytes } from './text.ts'

test('no more of a text goes than the vendor takes; anything else is left as it is', () => {
  assert.deepEqual(
    [truncate('abcdef', 3), truncate('abc', 3), truncate(undefined, 3), truncate(12345, 3)],
    ['abc', 'abc', undefined, 12345],
  )
})

test('a text is cut to a number of bytes between two characters', () => {
  assert.deepEqual(
    [truncateBytes('abc', 3), truncateBytes('abcd', 3), truncateBytes('aéb', 2), truncateBytes('é😀', 5)],
    ['abc', 'abc', 'a', 'é'],
  )
})
