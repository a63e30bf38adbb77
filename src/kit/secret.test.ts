import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format, inspect } from 'node:util'
import { serialize } from 'node:v8'
import { Secret } from './secret.ts'

const canary = 'canary-4f1c'
const secret = new Secret(canary)

test('only open() shows the plaintext', () => {
  assert.equal(secret.open(), canary)
})

test('a secret prints, interpolates and serialises as •••, also deep inside of something else', () => {
  const shown = [
    `${secret}`,
    String(secret),
    JSON.stringify(secret),
    JSON.stringify({ deep: [{ secret }] }),
    inspect(secret),
    inspect({ deep: new Map([['x', [secret]]]) }, { depth: 9 }),
    format('%s %o %O %j', secret, secret, secret, secret),
    String(new Error(`it was ${secret}`)),
  ]
  for (const text of shown) {
    assert.ok(text.includes('•••'), text)
    assert.ok(!text.includes(canary), text)
  }
})

test('nothing that looks past its own ways of printing finds the plaintext either', () => {
  const shown = [
    inspect(secret, { customInspect: false, showHidden: true, getters: true, depth: 9 }),
    JSON.stringify(Object.getOwnPropertyDescriptors(secret)),
    JSON.stringify({ ...secret }),
    inspect(structuredClone(secret)),
    serialize(secret).toString('latin1'),
    inspect(Reflect.ownKeys(secret)),
  ]
  for (const text of shown) assert.ok(!text.includes(canary), text)
})
