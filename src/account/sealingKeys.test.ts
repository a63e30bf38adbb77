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
const reopened = () => openKeyring(rootKey, 'production', { environmentKey: on.keys.sealedEnvironment() })
const first = await openSealingKeys(on.store, on.keys, on.clock)

test('the first start makes one active and one next key, RSA-3072, and writes an audit row', async () => {
  const kept = await on.store.sealingKeys()
  assert.deepEqual(kept.map(({ state }) => state).sort(), ['active', 'next'])
  for (const jwk of first.published()) {
    assert.equal(createPublicKey({ key: jwk, format: 'jwk' }).asymmetricKeyDetails?.modulusLength, 3072)
    assert.deepEqual(Object.keys(jwk).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
  }
  assert.deepEqual(first.published()[0], first.active())
  assert.deepEqual(on.audit, [{ at: on.clock.now(), by: 'operator', what: 'createSealingKey' }])
})

test('a kid is the thumbprint of its key and holds no dot', async () => {
  const [active, next] = first.published()
  assert.equal(active?.kid, await jose.calculateJwkThumbprint(active!))
  assert.notEqual(active?.kid, next?.kid)
  assert.match(active!.kid, /^[\w-]{43}$/)
})

test('the next start opens the same keys and makes none', async () => {
  const second = await openSealingKeys(on.store, reopened(), on.clock)
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

test('a rotation makes the next key active at once, shows a new next one, and lets the old one open for 30 days', async () => {
  const world = accountWorld()
  const keys = await openSealingKeys(world.store, world.keys, world.clock)
  const [active, next] = keys.published()
  const told = await keys.rotate('operator')
  assert.deepEqual([told.active, told.retiring], [next?.kid, active?.kid])
  assert.deepEqual(keys.active(), next)
  assert.deepEqual(
    keys.published().map(({ kid }) => kid),
    [told.active, told.next],
  )
  await world.clock.turn(30 * 86_400_000 - 1)
  assert.ok(keys.privateKey(active!.kid))
  await world.clock.turn(1)
  assert.equal(keys.privateKey(active!.kid), undefined)
  assert.ok(keys.privateKey(told.active) && keys.privateKey(told.next))
})

test('the next start knows of a rotation, and the one after 30 days drops what no longer opens', async () => {
  const world = accountWorld()
  const before = await openSealingKeys(world.store, world.keys, world.clock)
  const first = before.active().kid
  await before.rotate('operator')
  const after = await openSealingKeys(world.store, world.keys, world.clock)
  assert.deepEqual(after.published(), before.published())
  assert.ok(after.privateKey(first))
  await world.clock.turn(31 * 86_400_000)
  await after.rotate('operator')
  const kept = (await world.store.sealingKeys()).map(({ kid }) => kid)
  assert.equal(kept.length, 3)
  assert.ok(!kept.includes(first))
  assert.equal(world.audit.filter(({ what }) => what === 'rotateSealingKey').length, 2)
})

test('rotations that are asked for at once are made one after the other', async () => {
  const world = accountWorld()
  const keys = await openSealingKeys(world.store, world.keys, world.clock)
  await Promise.all([keys.rotate('operator'), keys.rotate('operator')])
  const states = (await world.store.sealingKeys()).map(({ state }) => state).sort()
  assert.deepEqual(states, ['active', 'next', 'retiring', 'retiring'])
})
