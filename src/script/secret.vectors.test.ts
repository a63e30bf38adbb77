import assert from 'node:assert/strict'
import { createCipheriv } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as jose from 'jose'
import type { SecretEntry } from '#contract/script.ts'
import { protectedHeader } from '#contract/seal.ts'
import { expectedFor, privateKey, publicKey, type Vector, vectorKeys, vectors } from './secret.fixture.ts'
import { openEntries } from './secret.ts'

const rsa = await jose.importJWK(privateKey, 'RSA-OAEP-256')
const rsaPublic = await jose.importJWK(publicKey, 'RSA-OAEP-256')
const guide = readFileSync(new URL('../../docs/secret-entries.md', import.meta.url), 'utf8')

const opened = async (vector: Vector, entry: SecretEntry) =>
  (await openEntries([entry], expectedFor(vector), vectorKeys)).get(vector.variable)?.open()

/** The entry as the JWE that the guide describes. */
function asJwe({ protectedHeader: header, entry }: Vector): jose.FlattenedJWE {
  const data = Buffer.from(entry.data, 'base64url')
  return {
    protected: Buffer.from(header).toString('base64url'),
    encrypted_key: entry.key.split('.')[1]!,
    iv: entry.iv,
    ciphertext: data.subarray(0, -16).toString('base64url'),
    tag: data.subarray(-16).toString('base64url'),
  }
}

const asEntry = ({ variable, type, entry: { salt } }: Vector, jwe: jose.FlattenedJWE): SecretEntry => ({
  variable,
  type,
  iv: jwe.iv!,
  data: Buffer.concat([Buffer.from(jwe.ciphertext, 'base64url'), Buffer.from(jwe.tag!, 'base64url')]).toString(
    'base64url',
  ),
  key: `${publicKey.kid}.${jwe.encrypted_key}`,
  ...(salt != null && { salt }),
})

test('the vectors cover both environments, every type, entries with and without a salt, and an empty plaintext', () => {
  assert.deepEqual(new Set(vectors.map(({ environment }) => environment)), new Set(['production', 'sandbox']))
  assert.equal(new Set(vectors.map(({ type }) => type)).size, 4)
  assert.equal(new Set(vectors.map(({ entry }) => entry.salt !== undefined)).size, 2)
  assert.ok(vectors.some(({ plaintext }) => plaintext === ''))
})

test('the kid of the vectors is the thumbprint of the key', async () => {
  assert.equal(publicKey.kid, await jose.calculateJwkThumbprint(publicKey))
})

for (const vector of vectors) {
  test(`vector: ${vector.title}: the server opens it`, async () => {
    assert.equal(await opened(vector, vector.entry), vector.plaintext)
  })

  test(`vector: ${vector.title}: its header is the one we make`, () => {
    assert.equal(protectedHeader(vector, publicKey.kid, vector.entry.salt), vector.protectedHeader)
  })

  test(`vector: ${vector.title}: its content key and iv give its data`, () => {
    const aad = Buffer.from(Buffer.from(vector.protectedHeader).toString('base64url'))
    const iv = Buffer.from(vector.entry.iv, 'base64url')
    const cipher = createCipheriv('aes-256-gcm', Buffer.from(vector.contentKey, 'base64url'), iv).setAAD(aad)
    const ciphertext = Buffer.concat([cipher.update(vector.plaintext, 'utf8'), cipher.final()])
    assert.equal(Buffer.concat([ciphertext, cipher.getAuthTag()]).toString('base64url'), vector.entry.data)
  })

  test(`vector: ${vector.title}: jose opens it`, async () => {
    const { plaintext } = await jose.flattenedDecrypt(asJwe(vector), rsa)
    assert.equal(Buffer.from(plaintext).toString(), vector.plaintext)
  })

  test(`vector: ${vector.title}: sealed by jose with the same header, the server opens it`, async () => {
    const jwe = await new jose.FlattenedEncrypt(Buffer.from(vector.plaintext))
      .setProtectedHeader(JSON.parse(vector.protectedHeader) as jose.CompactJWEHeaderParameters)
      .encrypt(rsaPublic)
    assert.equal(await opened(vector, asEntry(vector, jwe)), vector.plaintext)
  })
}

type Sealer = (me: object, what: Omit<Vector, 'entry' | 'title'>) => Promise<SecretEntry>

/** The programs of the guide. */
const programs = [...guide.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => {
  const name = /async function (\w+)/.exec(code)![1]!
  const body = code.replace(/^import .*\n/, '')
  return [name, new Function('jose', `${body}\nreturn ${name}`)(jose) as Sealer] as const
})

test('the guide shows how to seal with WebCrypto in at most 30 lines, and with a JWE library', () => {
  assert.deepEqual(
    programs.map(([name]) => name),
    ['seal', 'sealWithJose'],
  )
  const webCrypto = /```js\n(.*?)```/s.exec(guide)![1]!
  assert.ok(webCrypto.trimEnd().split('\n').length <= 30)
})

for (const [name, seal] of programs)
  test(`guide: what ${name}() seals, the server opens`, async () => {
    for (const vector of vectors.filter(({ entry }) => entry.salt === undefined)) {
      const { environment, teamId } = vector
      const entry = await seal({ environment, teamId, encryptionKey: publicKey }, vector)
      assert.equal(await opened(vector, entry), vector.plaintext)
    }
  })
