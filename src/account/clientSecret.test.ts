import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateClientSecret } from './clientSecret.ts'

test('a client secret is aglet_secret_ and 256 random bits in 43 base62 characters', () => {
  const secrets = Array.from({ length: 1_000 }, generateClientSecret)
  for (const secret of secrets) assert.match(secret, /^aglet_secret_[0-9A-Za-z]{43}$/)
  assert.equal(new Set(secrets).size, secrets.length)
  const first = new Set(secrets.map((secret) => secret[13]))
  assert.ok(first.size > 20, 'also the first character varies')
})
