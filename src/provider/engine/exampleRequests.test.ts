import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withMatchedPatterns } from './exampleRequests.ts'

test('a sent text that matches the expected pattern counts as that pattern, and any other value stays as it is', () => {
  const expected = { id: /^\d+$/, list: [/^a/, 'b'], name: 'x', none: { in: /./ } }
  const sent = { id: '17', list: ['ab', 'c'], name: 'y', none: null, more: 1 }
  assert.deepEqual(withMatchedPatterns(sent, expected), { ...sent, id: expected.id, list: [expected.list[0], 'c'] })
  assert.deepEqual(withMatchedPatterns({ id: 17 }, expected), { id: 17 })
  assert.equal(withMatchedPatterns('x17', expected.id), 'x17')
})
