import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lowBytes } from './lowBytes.ts'

test('each byte is the low byte of a code unit, in a text of any length', () => {
  for (const text of ['', 'az', 'é\u0141\u2025', '\u0141\u{1f600}'.repeat(200_000)]) {
    const bytes = lowBytes(text)
    for (let at = 0; at < text.length; at++) assert.equal(bytes[at], text.charCodeAt(at) & 0xff)
  }
})
