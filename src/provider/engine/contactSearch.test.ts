import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findEmails } from './contactSearch.ts'

test('an e-mail address ends at the end of the text, and at any white space', () => {
  for (const rest of ['', ' next', '\u00a0next', '\u2003next', '\u3000next']) {
    const text = `to jane@example.com${rest}`
    const found = findEmails(text).map(({ from, to }) => text.slice(from, to))
    assert.deepEqual(found, ['jane@example.com'], JSON.stringify(rest))
  }
})
