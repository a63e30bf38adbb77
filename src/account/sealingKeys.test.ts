import assert from 'node:assert/strict'
import { createPublicKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import * as jose from 'jose'
import { sealEntry } from '#contract/seal.ts'
import { createAccountFixture } from './account.fixture.ts'
import { openKeyring } from './keyring.ts'
import { openSealingKeys } from './sealingKeys.ts'

const rootKey = randomBytes(32)
const fixture = createAccountFixture('production', rootKey)
const reopened = () => openKeyring(rootKey, 'production', { environmentKey: fixture.keys.sealedEnvironmentKey() })
const first = await openSealingKeys(fixture.store, fixture.keys, fixture.clock)

test('the first start creates one active and one next key, RSA-3072, with an audit row', async () => {
  const storedKeys = await fixture.store.sealingKeys()
  assert.deepEqual(storedKeys.map(({ state }) => state).sort(), ['active', 'next'])
  for (const jwk of first.published()) {
    assert.equal(createPublicKey({ key: jwk, format: 'jwk' }).asymmetricKeyDetails?.modulusLength, 3072)
    assert.deepEqual(Object.keys(jwk).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
  }
  assert.deepEqual(first.published()[0], first.active())
  assert.deepEqual(fixture.audit, [{ at: fixture.clock.now(), by: 'operator', what: 'createSealingKey' }])
})

test('a kid is the thumbprint of its key and contains no dot', async () => {
  const [active, next] = first.published()
  assert.equal(active?.kid, await jose.calculateJwkThumbprint(active!))
  assert.notEqual(active?.kid, next?.kid)
  assert.match(active!.kid, /^[\w-]{43}$/)
})

test('the next start opens the same keys and creates none', async () => {
  const second = await openSealingKeys(fixture.store, reopened(), fixture.clock)
  assert.deepEqual(second.published(), first.published())
  assert.equal((await fixture.store.sealingKeys()).length, 2)
  assert.equal(fixture.audit.length, 1)
})

test('a private key decrypts and is not extractable', async () => {
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
    const privateKey = (await first.privateKey(key.kid))!
    const encrypted = Buffer.from(entry.key.split('.')[1]!, 'base64url')
    assert.equal((await crypto.subtle.decrypt({ name: 'RSA-OAEP' }, privateKey, encrypted)).byteLength, 32)
    await assert.rejects(crypto.subtle.exportKey('pkcs8', privateKey))
  }
  assert.equal(await first.privateKey('unknown'), undefined)
})

test('private keys are stored sealed, and opening them with another root key throws a RootKeyError', async () => {
  for (const { sealedPrivate } of await fixture.store.sealingKeys()) {
    const storedKeys = Buffer.from(sealedPrivate)
    assert.ok(!storedKeys.includes(Buffer.from('2a864886f70d010101', 'hex')), 'the object id of rsaEncryption')
  }
  const stranger = openKeyring(randomBytes(32), 'production')
  await assert.rejects(openSealingKeys(fixture.store, stranger, fixture.clock), { name: 'RootKeyError' })
})

test('a rotation makes the next key active at once, publishes a new next key, and keeps the old one decrypting for 30 days', async () => {
  const fixture = createAccountFixture()
  const keys = await openSealingKeys(fixture.store, fixture.keys, fixture.clock)
  const [active, next] = keys.published()
  const response = await keys.rotate('operator')
  assert.deepEqual([response.active, response.retiring], [next?.kid, active?.kid])
  assert.deepEqual(keys.active(), next)
  assert.deepEqual(
    keys.published().map(({ kid }) => kid),
    [response.active, response.next],
  )
  await fixture.clock.turn(30 * 86_400_000 - 1)
  assert.ok(await keys.privateKey(active!.kid))
  await fixture.clock.turn(1)
  assert.equal(await keys.privateKey(active!.kid), undefined)
  assert.ok((await keys.privateKey(response.active)) && (await keys.privateKey(response.next)))
})

test('a restart keeps the rotated keys, and a rotation after 30 days deletes the expired one', async () => {
  const fixture = createAccountFixture()
  const before = await openSealingKeys(fixture.store, fixture.keys, fixture.clock)
  const first = before.active().kid
  await before.rotate('operator')
  const after = await openSealingKeys(fixture.store, fixture.keys, fixture.clock)
  assert.deepEqual(after.published(), before.published())
  assert.ok(await after.privateKey(first))
  await fixture.clock.turn(31 * 86_400_000)
  await after.rotate('operator')
  const storedKeys = (await fixture.store.sealingKeys()).map(({ kid }) => kid)
  assert.equal(storedKeys.length, 3)
  assert.ok(!storedKeys.includes(first))
  assert.equal(fixture.audit.filter(({ what }) => what === 'rotateSealingKey').length, 2)
})

test('concurrent rotations run one after the other', async () => {
  const fixture = createAccountFixture()
  const keys = await openSealingKeys(fixture.store, fixture.keys, fixture.clock)
  await Promise.all([keys.rotate('operator'), keys.rotate('operator')])
  const states = (await fixture.store.sealingKeys()).map(({ state }) => state).sort()
  assert.deepEqual(states, ['active', 'next', 'retiring', 'retiring'])
})

test('a key that another process has just made is read for its kid, and unknown kids are read for once a second', async () => {
  const { store, keys, clock } = createAccountFixture('production', rootKey)
  const mine = await openSealingKeys(store, keys, clock)
  let reads = 0
  const counted = {
    ...store,
    sealingKeys() {
      reads++
      return store.sealingKeys()
    },
  }
  const other = await openSealingKeys(counted, keys, clock)
  const { next } = await mine.rotate('operator')
  assert.ok(await other.privateKey(next))
  await Promise.all(['unknown', 'another'].map((kid) => other.privateKey(kid)))
  assert.equal(reads, 2, 'one at the start')
  await clock.turn(1_000)
  assert.equal(await other.privateKey('unknown'), undefined)
  assert.equal(reads, 3)
})
