import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { isDigest, isDigestOfNothing, isPlaceholder, isPlaceholderEmail } from './placeholder.ts'

test('a text that programs write for a missing value is a placeholder, in any case and with spaces around it', () => {
  for (const text of ['null', ' NULL ', 'undefined', 'n/a', 'N/A', 'Unknown', '[object Object]', '(not set)'])
    assert.ok(isPlaceholder(text), text)
  for (const text of ['Nan', 'Na', 'Nullmeyer', '0', 'unknown soldier']) assert.ok(!isPlaceholder(text), text)
})

test('an address is a placeholder by its mailbox or by its domain', () => {
  for (const address of ['unknown@shop.com', 'none@x.de', 'a@localhost', 'a@b.test', 'a@x.invalid', 'a@test.com'])
    assert.ok(isPlaceholderEmail(address), address)
  for (const address of ['ada@contest.com', 'ada@example.com', 'nullmeyer@x.de'])
    assert.ok(!isPlaceholderEmail(address), address)
})

test('the digest of a missing value is found for each hash', () => {
  for (const text of ['', 'null', 'undefined', 'NULL', '+undefined'])
    for (const name of ['sha256', 'sha1', 'md5'])
      assert.ok(isDigestOfNothing(createHash(name).update(text).digest('hex')), `${name} of ${text}`)
  assert.ok(!isDigestOfNothing(createHash('sha256').update('ada@example.com').digest('hex')))
})

test('a digest has 32, 40, 64 or 128 characters of hex', () => {
  for (const length of [32, 40, 64, 128]) assert.ok(isDigest('aF'.repeat(length / 2)))
  for (const text of ['', 'a'.repeat(31), 'g'.repeat(64), `${'a'.repeat(64)} `]) assert.ok(!isDigest(text))
})
