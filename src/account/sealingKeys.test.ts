import assert from 'node:assert/strict'
import { createPublicKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import * as jose from 'jose'
import { sealEntry } from '#contract/seal.ts'
import { accountWorld } from './account.fixture.ts'
import { openKeyring } from './keyring.ts'
import { openSealingKeys } from './sealingKeys.ts'

const rootKey = randomBytes(32)
const on = accountWorld('production', rootKey)
const first = await openSealingKeys(on.store, on.keys, on.clock)

test('the first start makes one active and one next key, RSA-3072, and writes an audit row', async () => {
  const kept = await on.store.sealingKeys()
  assert.deepEqual(kept.map(({ state }) => state).sort(), ['active', 'next'])
  for (const jwk of first.published()) {
    assert.equal(createPublicKey({ key: jwk, format: 'jwk' }).asymmetricKeyDetails?.modulusLength, 3072)
    assert.deepEqual(Object.keys(jwk).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
  }
  assert.deepEqual(first.published()[0], first.active())
  assert.deepEqual(on.audit, [{ at: on.clock.now(), by: 'operator', what: 'sealingKey.create' }])
})

test('a kid is the thumbprint of its key and holds no dot', async () => {
  const [active, next] = first.published()
  assert.equal(active?.kid, await jose.calculateJwkThumbprint(active!))
  assert.notEqual(active?.kid, next?.kid)
  assert.match(active!.kid, /^[\w-]{43}$/)
})

test('the next start opens the same keys and makes none', async () => {
  const keys = openKeyring(rootKey, 'production')
  const second = await openSealingKeys(on.store, keys, on.clock)
  assert.deepEqual(second.published(), first.published())
  assert.equal((await on.store.sealingKeys()).length, 2)
  assert.equal(on.audit.length, 1)
})

test('the private half of a key opens what was sealed for it and cannot be taken out', async () => {
  for (const key of first.published()) {
    const entry = await sealEntry({
      environment: 'production',
      teamId: 'team_1',
      providerId: 'webhook',
      variable: 'WEBHOOK_TOKEN',
      type: 'TEXT',
      plaintext: 'x',
      key,
    })
    const privateKey = first.privateKey(key.kid)!
    const encrypted = Buffer.from(entry.key.split('.')[1]!, 'base64url')
    assert.equal((await crypto.subtle.decrypt({ name: 'RSA-OAEP' }, privateKey, encrypted)).byteLength, 32)
    await assert.rejects(crypto.subtle.exportKey('pkcs8', privateKey))
  }
  assert.equal(first.privateKey('unknown'), undefined)
})

test('private halves are kept sealed, and another root key is told', async () => {
  for (const { sealedPrivate } of await on.store.sealingKeys()) {
    const kept = Buffer.from(sealedPrivate)
    assert.ok(!kept.includes(Buffer.from('2a864886f70d010101', 'hex')), 'the object id of rsaEncryption')
  }
  const stranger = openKeyring(randomBytes(32), 'production')
  await assert.rejects(openSealingKeys(on.store, stranger, on.clock), { name: 'RootKeyProblem' })
})
