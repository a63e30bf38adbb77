import assert from 'node:assert/strict'
import { test } from 'node:test'
import { truncate } from './text.ts'

test('no more of a text goes than the vendor takes; anything else is left as it is', () => {
  assert.deepEqual(
    [truncate('abcdef', 3), truncate('abc', 3), truncate(undefined, 3), truncate(12345, 3)],
    ['abc', 'abc', undefined, 12345],
  )
})
