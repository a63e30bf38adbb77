import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { redact } from './redaction.ts'

const person = { email: 'Ada@Example.com', phone: '+1 (650) 555-1212' }

test('secrets, texts inside JSON secrets and the values that identify a person are replaced', () => {
  const secrets = ['s3cret+key', '1', '{"authorization":"Bearer inner-token"}']
  const said = 'key s3cret+key (s3cret%2Bkey), Bearer inner-token, for ada@example.com at 16505551212 named Lovelace 1'
  assert.equal(
    redact(said, secrets, { ...person, lastName: 'lovelace', userId: 'usr_1' }),
    'key ••• (•••), •••, for ••• at ••• named ••• 1',
  )
  assert.equal(redact('unknown user bob%40example.org', []), 'unknown user •••')
})

test('no secret remains in a text, wherever it is', () => {
  const secret = fc
    .string({ minLength: 4, maxLength: 30 })
    .filter((each) => each.trim().length >= 4 && !each.includes('•'))
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (hidden, before, after) => {
      assert.ok(!redact(before + hidden + after, [hidden]).includes(hidden))
    }),
  )
})

test('a text with many @ and dots takes no longer than others', () => {
  const begun = process.cpuUsage()
  for (const part of ['x', 'x@', '.', '%40', 'b.', 'a%40b.', '@.'])
    redact(`a@${part.repeat(16_384 / part.length)}`, ['sekret-123'])
  const { user } = process.cpuUsage(begun)
  assert.ok(user < 2_000_000, `${user} µs`)
})
