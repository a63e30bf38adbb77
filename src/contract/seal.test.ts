import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import * as jose from 'jose'
import type { SealingKey } from './me.ts'
import { protectedHeader, type SealedFor, sealEntry } from './seal.ts'

const pair = generateKeyPairSync('rsa', { modulusLength: 3072 })
const { n, e } = pair.publicKey.export({ format: 'jwk' }) as { n: string; e: string }
const key: SealingKey = { kty: 'RSA', kid: 'k-1', use: 'enc', alg: 'RSA-OAEP-256', n, e }
const to: SealedFor = {
  environment: 'production',
  teamId: 'team_1',
  providerId: 'webhook',
  variable: 'WEBHOOK_TOKEN',
  type: 'TEXT',
}

test('the protected header is canonical JSON, and has a salt only when one is given', () => {
  assert.equal(
    protectedHeader(to, 'k-1'),
    '{"alg":"RSA-OAEP-256","enc":"A256GCM","env":"production","kid":"k-1","prv":"webhook","team":"team_1",' +
      '"typ":"aglet-secret+jwe","v":1,"var":"WEBHOOK_TOKEN","vty":"TEXT"}',
  )
  assert.equal(protectedHeader(to, 'k-1', null), protectedHeader(to, 'k-1'))
  const names = Object.keys(JSON.parse(protectedHeader(to, 'k-1', 'AAAA')) as object)
  assert.deepEqual(names, [...names].sort())
  assert.ok(names.includes('salt'))
})

for (const salt of [undefined, new Uint8Array(16).fill(255), new Uint8Array(64).fill(62)])
  test(`a secret sealed ${salt ? `with a salt of ${salt.length} bytes` : 'without a salt'} is a flattened JWE`, async () => {
    const plaintext = 'naïve 🔑 \n'
    const entry = await sealEntry({ ...to, plaintext, key, ...(salt && { salt }) })
    const data = jose.base64url.decode(entry.data)
    const [kid, encrypted_key = ''] = entry.key.split('.')
    assert.equal(kid, 'k-1')
    assert.equal(jose.base64url.decode(entry.iv).length, 12)
    assert.equal(entry.salt, salt && jose.base64url.encode(salt))
    assert.deepEqual([entry.variable, entry.type], [to.variable, to.type])
    const opened = await jose.flattenedDecrypt(
      {
        protected: jose.base64url.encode(protectedHeader(to, 'k-1', entry.salt)),
        encrypted_key,
        iv: entry.iv,
        ciphertext: jose.base64url.encode(data.subarray(0, -16)),
        tag: jose.base64url.encode(data.subarray(-16)),
      },
      pair.privateKey,
    )
    assert.equal(new TextDecoder().decode(opened.plaintext), plaintext)
  })

test('sealing the same plaintext twice gives different iv, key and data', async () => {
  const [a, b] = await Promise.all([1, 2].map(() => sealEntry({ ...to, plaintext: 'x', key })))
  assert.notEqual(a!.iv, b!.iv)
  assert.notEqual(a!.key, b!.key)
  assert.notEqual(a!.data, b!.data)
})

test('a plaintext of 1 MiB is sealed completely', async () => {
  const entry = await sealEntry({ ...to, plaintext: 'a'.repeat(1024 * 1024), key })
  assert.equal(jose.base64url.decode(entry.data).length, 1024 * 1024 + 16)
})

test('a lone surrogate is refused and not replaced', async () => {
  await assert.rejects(sealEntry({ ...to, plaintext: 'a\ud800b', key }), /lone surrogate/)
})
