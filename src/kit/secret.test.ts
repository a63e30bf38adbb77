import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format, inspect } from 'node:util'
import { serialize } from 'node:v8'
import { Secret } from './secret.ts'

const canary = 'canary-4f1c'
const secret = new Secret(canary)

test('open() returns the plaintext', () => {
  assert.equal(secret.open(), canary)
})

test('a secret prints, interpolates and serializes as •••, also inside other values', () => {
  const outputs = [
    `${secret}`,
    String(secret),
    JSON.stringify(secret),
    JSON.stringify({ deep: [{ secret }] }),
    inspect(secret),
    inspect({ deep: new Map([['x', [secret]]]) }, { depth: 9 }),
    format('%s %o %O %j', secret, secret, secret, secret),
    String(new Error(`it was ${secret}`)),
  ]
  for (const text of outputs) {
    assert.ok(text.includes('•••'), text)
    assert.ok(!text.includes(canary), text)
  }
})

test('inspection and serialization that bypass its methods do not reveal the plaintext', () => {
  const outputs = [
    inspect(secret, { customInspect: false, showHidden: true, getters: true, depth: 9 }),
    JSON.stringify(Object.getOwnPropertyDescriptors(secret)),
    JSON.stringify({ ...secret }),
    inspect(structuredClone(secret)),
    serialize(secret).toString('latin1'),
    inspect(Reflect.ownKeys(secret)),
  ]
  for (const text of outputs) assert.ok(!text.includes(canary), text)
})
