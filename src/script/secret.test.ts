import assert from 'node:assert/strict'
import { createPublicKey, publicEncrypt, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { openKeyring } from '#account/keyring.ts'
import { Fault } from '#contract/fault.ts'
import type { SecretEntry } from '#contract/script.ts'
import { headerBytes, protectedHeader, type SealedFor, sealEntry } from '#contract/seal.ts'
import { Secret } from '#kit/secret.ts'
import type { SecretVersion } from '#store/store.ts'
import { expectedFor, publicKey, vectorKeys, vectors } from './secret.fixture.ts'
import { type ExpectedEntries, openEntries, openSecrets, openVersion, sealVersion } from './secret.ts'

const to: SealedFor = {
  environment: 'production',
  teamId: 'team_1',
  providerId: 'webhook',
  variable: 'WEBHOOK_TOKEN',
  type: 'TEXT',
}
const expected = expectedFor(to)
const entryOf = (plaintext: string, salt?: Uint8Array) =>
  sealEntry({ ...to, plaintext, key: publicKey, ...(salt && { salt }) })

const refusal = (entries: readonly SecretEntry[], as: ExpectedEntries = expected): Promise<Fault> =>
  openEntries(entries, as, vectorKeys).then(
    (opened) => assert.fail(`${opened.size} entries were accepted`),
    (error: unknown) => {
      assert.ok(error instanceof Fault && error.fault === 'secretRefused', String(error))
      return error
    },
  )

test('an entry that was sealed for this variable opens, with or without a salt; null is no salt', async () => {
  for (const salt of [undefined, randomBytes(16), randomBytes(64)]) {
    const entry = await entryOf('whsec', salt)
    assert.equal((await openEntries([entry], expected, vectorKeys)).get(to.variable)?.open(), 'whsec')
  }
  const entry = { ...(await entryOf('none')), salt: null, optional: true }
  assert.equal((await openEntries([entry], expected, vectorKeys)).get(to.variable)?.open(), 'none')
})

test('any text is the same after sealing and opening', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 100 }), async (text) => {
      const opened = await openEntries([await entryOf(text)], expected, vectorKeys)
      assert.equal(opened.get(to.variable)?.open(), text)
    }),
    { numRuns: 50 },
  )
})

test('an entry that is moved to another environment, team, provider, variable or type does not open', async () => {
  const entry = await entryOf('mine')
  const moves: Partial<SealedFor>[] = [
    { environment: 'sandbox' },
    { teamId: 'team_2' },
    { providerId: 'eventSink' },
    { variable: 'WEBHOOK_CODE' },
    { type: 'PASSWORD' },
  ]
  for (const move of moves) {
    const target = { ...to, ...move }
    await refusal([{ ...entry, variable: target.variable, type: target.type }], expectedFor(target))
  }
})

test('an entry of a variable that the provider does not have, or of another type than its own, does not open', async () => {
  const entry = await entryOf('x')
  await refusal([entry], { ...expected, specs: {} })
  await refusal([entry], { ...expected, specs: { [to.variable]: { type: 'PASSWORD' } } })
  await refusal([{ ...entry, variable: '__proto__' }])
  await refusal([{ ...entry, variable: 'constructor' }])
})

test('every invalid entry has the same answer, which names the entry and not the reason', async () => {
  const [entry, unsalted] = await Promise.all([entryOf('canary-7', randomBytes(16)), entryOf('canary-7')])
  const rsa = entry.key.split('.')[1]!
  const wrong: SecretEntry[] = [
    { ...entry, iv: `${entry.iv}AAAA` },
    { ...entry, iv: '' },
    { ...entry, iv: `${entry.iv.slice(0, -1)}=` },
    { ...entry, data: '' },
    { ...entry, data: `${entry.data}=` },
    { ...entry, data: randomBytes(15).toString('base64url') },
    { ...entry, key: rsa },
    { ...entry, key: `unknown.${rsa}` },
    { ...entry, key: `${publicKey.kid}.` },
    { ...entry, key: `${entry.key}.AAAA` },
    { ...entry, key: `${publicKey.kid}.${randomBytes(384).toString('base64url')}` },
    { ...entry, key: `${publicKey.kid}.${randomBytes(10).toString('base64url')}` },
    { ...entry, salt: null },
    { ...entry, salt: '' },
    { ...entry, salt: randomBytes(15).toString('base64url') },
    { ...entry, salt: randomBytes(65).toString('base64url') },
    { ...unsalted, salt: randomBytes(16).toString('base64url') },
  ]
  const faults = await Promise.all(wrong.map((each) => refusal([each])))
  for (const { message, attributes, status } of faults) {
    assert.equal(message, faults[0]!.message)
    assert.equal(status, 400)
    assert.deepEqual(attributes, { issues: [{ path: 'secrets.0', message: 'cannot be decrypted' }] })
  }
  const many = await refusal([unsalted, wrong[0]!, unsalted, wrong[1]!])
  assert.deepEqual(
    (many.attributes as { issues: { path: string }[] }).issues.map(({ path }) => path),
    ['secrets.1', 'secrets.3'],
  )
})

const rsa = createPublicKey({ key: publicKey, format: 'jwk' })

/** Seals any bytes with a content key of any length, even of an invalid one. */
async function forged(plain: Uint8Array, contentKeyLength = 32): Promise<SecretEntry> {
  const contentKey = randomBytes(contentKeyLength)
  const iv = randomBytes(12)
  const additionalData = headerBytes(protectedHeader(to, publicKey.kid))
  const aes = await crypto.subtle.importKey('raw', contentKey, 'AES-GCM', false, ['encrypt'])
  const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, aes, Buffer.from(plain))
  const encryptedKey = publicEncrypt({ key: rsa, oaepHash: 'sha256' }, contentKey)
  return {
    variable: to.variable,
    type: to.type,
    data: Buffer.from(data).toString('base64url'),
    iv: iv.toString('base64url'),
    key: `${publicKey.kid}.${encryptedKey.toString('base64url')}`,
  }
}

test('a plaintext of 1 MiB opens, and one that is a byte longer does not', async () => {
  const maxBytes = 1024 * 1024
  const opened = await openEntries([await forged(Buffer.alloc(maxBytes, 'a'))], expected, vectorKeys)
  assert.equal(opened.get(to.variable)?.open().length, maxBytes)
  await refusal([await forged(Buffer.alloc(maxBytes + 1, 'a'))])
})

test('a plaintext that is not UTF-8, and a content key of 128 bits, do not open', async () => {
  await openEntries([await forged(Buffer.from('é'))], expected, vectorKeys)
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]])
    await refusal([await forged(Buffer.from(bytes))])
  await refusal([await forged(Buffer.from('x'), 16)])
})

test('none of 5,000 mutated entries is accepted', async () => {
  const fields = ['data', 'iv', 'key', 'salt', 'variable', 'type'] as const
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \0é'
  const vector = fc.constantFrom(...vectors.filter(({ entry }) => entry.data.length < 200))
  const mutation = fc.record({
    vector,
    field: fc.constantFrom(...fields),
    kind: fc.constantFrom('put', 'insert', 'remove', 'repeat', 'cut', 'swap'),
    at: fc.nat(),
    character: fc.constantFrom(...characters),
  })
  let refused = 0
  for (const { vector, field, kind, at, character } of fc.sample(mutation, 5600)) {
    const text = vector.entry[field] ?? ''
    const here = text.length === 0 ? 0 : at % text.length
    const [before, after] = [text.slice(0, here), text.slice(here)]
    const mutated = {
      put: before + character + after.slice(1),
      insert: before + character + after,
      remove: before + after.slice(1),
      repeat: before + after.slice(0, 1) + after,
      cut: before,
      swap: before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2),
    }[kind]!
    if (mutated === text) continue
    await refusal([{ ...vector.entry, [field]: mutated }], expectedFor(vector))
    refused++
  }
  assert.ok(refused >= 5000, `${refused}`)
})

const keys = openKeyring(randomBytes(32), 'production')
const teamKeys = ['team_1', 'team_2'].map((teamId) => keys.createTeamKey(teamId))
const owner = {
  environment: 'production' as const,
  teamId: 'team_1',
  scriptId: 'scr_1',
  secretId: 'sec_1',
  variable: 'WEBHOOK_TOKEN',
  version: 1,
  type: 'TEXT' as const,
}

test('a secret version opens for its owner and contains no plaintext', () => {
  assert.equal(teamKeys.length, 2)
  const row = sealVersion(new Secret('canary-8 ü'), owner, keys, 5)
  assert.equal(openVersion(row, owner, keys).open(), 'canary-8 ü')
  const { ciphertext, wrappedKey, ...rest } = row
  const { environment: _, teamId: __, ...expectedRow } = owner
  assert.deepEqual(rest, { ...expectedRow, createdAt: 5 })
  assert.ok(!Buffer.concat([ciphertext, wrappedKey]).includes('canary-8'))
})

test('a secret version does not open as another script, secret, variable, version, team or environment', () => {
  const row = sealVersion(new Secret('x'), owner, keys, 5)
  const others: Partial<SecretVersion>[] = [
    { scriptId: 'scr_2' },
    { secretId: 'sec_2' },
    { variable: 'WEBHOOK_CODE' },
    { version: 2 },
    { wrappedKey: sealVersion(new Secret('x'), owner, keys, 5).wrappedKey },
  ]
  for (const other of others)
    assert.throws(() => openVersion({ ...row, ...other }, owner, keys), /could not be decrypted/)
  assert.throws(() => openVersion(row, { ...owner, teamId: 'team_2' }, keys), /could not be decrypted/)
  assert.throws(() => openVersion(row, { ...owner, environment: 'sandbox' }, keys), /could not be decrypted/)
})

test('every version has its own data key', () => {
  const rows = [1, 1].map(() => sealVersion(new Secret('x'), owner, keys, 5))
  const dataKeys = rows.map((row) =>
    keys.team('team_1').unwrapKey(row.wrappedKey, '["production","team_1","scr_1","sec_1","WEBHOOK_TOKEN",1]'),
  )
  assert.notDeepEqual(dataKeys[0], dataKeys[1])
})

test('the secrets of a script are opened by variable', async () => {
  const rows = [
    sealVersion(new Secret('one'), owner, keys, 5),
    sealVersion(new Secret('two'), { ...owner, secretId: 'sec_2', variable: 'WEBHOOK_CODE', version: 3 }, keys, 5),
  ]
  const store = {
    secret: async (ref: { secretId: string; version: number }) =>
      rows.find((row) => row.secretId === ref.secretId && row.version === ref.version),
  }
  const openDeps = { store, keys, environment: 'production', teamId: 'team_1' } as const
  const [token, code] = [
    { secretId: 'sec_1', version: 1 },
    { secretId: 'sec_2', version: 3 },
  ]
  const opened = await openSecrets({ WEBHOOK_TOKEN: token, WEBHOOK_CODE: code }, openDeps)
  assert.deepEqual(Object.fromEntries(Object.entries(opened).map(([name, secret]) => [name, secret.open()])), {
    WEBHOOK_TOKEN: 'one',
    WEBHOOK_CODE: 'two',
  })
  assert.deepEqual(await openSecrets({}, openDeps), {})
  await assert.rejects(openSecrets({ WEBHOOK_TOKEN: { ...token, version: 2 } }, openDeps), /is not in the store/)
  await assert.rejects(openSecrets({ WEBHOOK_TOKEN: code }, openDeps), /is not in the store/)
})
