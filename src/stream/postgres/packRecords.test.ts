import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entry } from '#stream/stream.fixture.ts'
import { candidatesOf } from './packRecords.ts'

const candidates = (...entries: Parameters<typeof candidatesOf>[0]) =>
  candidatesOf(entries).map(({ key, record, index, other }) => [key, record, index, other])

test('an event with a key may be new, and is named by its record and its index', () => {
  assert.deepEqual(candidates(entry([5n, 0n, 7n]), entry([5n])), [
    [5n, 0, 0, 0n],
    [7n, 0, 2, 0n],
    [5n, 1, 0, 0n],
  ])
})

test('keys are the signed numbers of PostgreSQL', () => {
  assert.deepEqual(candidates(entry([2n ** 64n - 1n], 'body', [2n ** 63n])), [[-1n, 0, 0, -(2n ** 63n)]])
})

test('an event is not new if its further key is the key of an earlier event of the group, in its record or before', () => {
  assert.deepEqual(candidates(entry([1n, 2n], 'body', [0n, 1n]), entry([3n], 'body', [1n]), entry([4n], 'b', [5n])), [
    [1n, 0, 0, 0n],
    [4n, 2, 0, 5n],
  ])
  assert.deepEqual(candidates(entry([1n], 'body', [2n]), entry([2n])).length, 2)
})
