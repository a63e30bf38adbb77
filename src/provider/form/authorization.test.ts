import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { jwtVerify } from 'jose'
import { basicAuth, bearerAuth, signedJwt } from './authorization.ts'

test('basic and bearer are written as their RFCs show them', () => {
  assert.equal(basicAuth('Aladdin', 'open sesame'), 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==')
  assert.equal(basicAuth('key'), `Basic ${Buffer.from('key:').toString('base64')}`)
  assert.equal(bearerAuth('t'), 'Bearer t')
})

test('a signed token is one that an independent library verifies, by an RSA key and by a shared secret', async () => {
  const claims = { iss: 'a@b.example', aud: 'https://token.example' }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const byRsa = signedJwt(claims, { rs256: pem })
  const rsa = await jwtVerify(byRsa, createPublicKey(privateKey))
  assert.deepEqual([rsa.payload, rsa.protectedHeader], [claims, { alg: 'RS256', typ: 'JWT' }])
  const secret = new TextEncoder().encode('shared')
  const shared = await jwtVerify(signedJwt(claims, { hs256: 'shared' }), secret)
  assert.deepEqual(shared.payload, claims)
  await assert.rejects(jwtVerify(signedJwt(claims, { hs256: 'other' }), secret))
  assert.throws(() => signedJwt(claims, { rs256: 'no key' }))
})
