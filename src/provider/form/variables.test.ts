import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  apiVersionDate,
  baseUrl,
  checkbox,
  choice,
  commaList,
  eventMapping,
  idCheck,
  optional,
  password,
  signingSecretCheck,
  tokenCheck,
  toSigningSecret,
  urlCheck,
} from './variables.ts'

test('a variable has a label, a type, a description and its options', () => {
  assert.deepEqual(password('Key', 'Where it is.', optional), {
    label: 'Key',
    type: 'PASSWORD',
    description: 'Where it is.',
    optional: true,
  })
  assert.equal(checkbox('On', 'What it does.').type, 'CHECKBOX')
  const pairs = eventMapping('the id in the list', '42', optional)
  assert.deepEqual(
    [pairs.optional, pairs.placeholder, pairs.check('no')],
    [true, '[["Purchase", "42"]]', pairs.check('[')],
  )
})

test('a URL has a scheme and a host', () => {
  for (const text of ['https://a.example', 'http://a.example/x?y']) assert.equal(urlCheck(text), undefined)
  for (const text of ['', 'a.example', 'ftp://a.example', 'javascript:x']) assert.match(urlCheck(text)!, /full URL/)
})

test('a comma-separated list has no empty members', () => {
  assert.deepEqual(commaList(' a, b ,,c '), ['a', 'b', 'c'])
  assert.deepEqual(commaList(undefined), [])
})

test('a base URL has no trailing slashes', () => {
  assert.deepEqual(['https://a.example', 'https://a.example//'].map(baseUrl), [
    'https://a.example',
    'https://a.example',
  ])
})

test('an API version is a date, by default that of the provider file', () => {
  const { default: date, check, optional: isOptional } = apiVersionDate('API', '2026-07-15', 'https://a.example')
  assert.deepEqual([date, isOptional, check('2025-01-31')], ['2026-07-15', true, undefined])
  assert.match(check('latest')!, /2026-07-15/)
})

test('a choice is one of its values, by default the first one', () => {
  const { check, default: first } = choice('Region', 'Where it is.', ['EU', 'US'])
  assert.deepEqual([check('EU'), check('eu'), first], [undefined, 'Write one of EU, US.', 'EU'])
})

test('a signing secret is a key of 24 to 64 bytes in base64 after whsec_, or any other text', () => {
  const ofBytes = (bytes: number) => `whsec_${Buffer.alloc(bytes, 255).toString('base64')}`
  for (const good of ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', ofBytes(24), ofBytes(64), 'anything'])
    assert.equal(signingSecretCheck(good), undefined)
  for (const bad of ['whsec_no base64', 'whsec_', ofBytes(23), ofBytes(65), 'whsec_\ud83d'])
    assert.match(signingSecretCheck(bad)!, /base64/)
})

test('a signing secret is stored as whsec_ and base64, which signs the same bytes', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      const stored = toSigningSecret(text)
      assert.ok(stored.startsWith('whsec_'))
      assert.equal(toSigningSecret(stored), stored)
      if (!text.startsWith('whsec_'))
        assert.equal(Buffer.from(stored.slice(6), 'base64').toString(), text.toWellFormed())
    }),
  )
})

test('the slashes at the end of an address are taken off in time that grows with its length alone', () => {
  const slashes = '/'.repeat(2 * 1024 * 1024)
  assert.equal(baseUrl(`https://a.example${slashes}`), 'https://a.example')
  assert.equal(baseUrl(`${slashes}a`), `${slashes}a`)
})

test('an id or a token is one word: what else is pasted with it is an error', () => {
  for (const id of ['549755885175', 'a2_x-1.y:z']) assert.equal(idCheck(id), undefined)
  for (const id of ['', 'two words', 'https://a.example/1', '1,2'])
    assert.match(idCheck(id) ?? '', /^Write only the id/)
  assert.equal(tokenCheck('pina_ABC/+=~|.-_'), undefined)
  for (const token of ['', 'Bearer abc', '"abc"', 'abc\n'])
    assert.match(tokenCheck(token) ?? '', /^Write only the token/)
})
