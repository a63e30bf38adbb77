import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { bulkCipher, type Cipher, deriveKey, equalBytes, open, seal } from './cipher.ts'

const root = Buffer.alloc(32, 7)
const key = deriveKey(root, 'test')
const plain = fc.uint8Array({ maxLength: 300 })

const ciphers: Record<string, Cipher> = {
  seal: { seal: (bytes, aad) => seal(key, bytes, aad), open: (bytes, aad) => open(key, bytes, aad) },
  bulkCipher: bulkCipher(key),
}

for (const [name, cipher] of Object.entries(ciphers)) {
  test(`${name}: sealed bytes open with the same aad`, () => {
    fc.assert(
      fc.property(plain, fc.string(), (bytes, aad) => {
        assert.deepEqual(cipher.open(cipher.seal(bytes, aad), aad), Buffer.from(bytes))
      }),
    )
  })

  test(`${name}: sealed bytes with a changed bit, a missing byte or an added byte do not open`, () => {
    const sealed = cipher.seal(Buffer.from('an event'), 'tag_1')
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      assert.throws(() => cipher.open(changed, 'tag_1'), /could not be decrypted/)
    }
    for (let length = 0; length < sealed.length; length++)
      assert.throws(() => cipher.open(sealed.subarray(0, length), 'tag_1'), /could not be decrypted/)
    assert.throws(() => cipher.open(Buffer.concat([sealed, Buffer.alloc(1)]), 'tag_1'), /could not be decrypted/)
  })

  test(`${name}: sealed bytes do not open with another aad`, () => {
    assert.throws(() => cipher.open(cipher.seal(Buffer.from('x'), 'tag_1'), 'tag_2'), /could not be decrypted/)
  })

  test(`${name}: sealing the same plaintext again gives other bytes`, () => {
    const seen = new Set(Array.from({ length: 1000 }, () => cipher.seal(root, '').toString('latin1')))
    assert.equal(seen.size, 1000)
  })
}

test('sealed bytes do not open with another key', () => {
  assert.throws(() => open(deriveKey(root, 'other'), seal(key, root, ''), ''), /could not be decrypted/)
  assert.throws(
    () => bulkCipher(deriveKey(root, 'other')).open(bulkCipher(key).seal(root, ''), ''),
    /could not be decrypted/,
  )
})

test('each writer has its own salt, and opens what the other writers sealed', () => {
  const writers = Array.from({ length: 300 }, () => bulkCipher(key))
  const sealed = writers.map((writer, n) => writer.seal(Buffer.from([n & 255]), 'x'))
  assert.equal(new Set(sealed.map((bytes) => bytes.toString('latin1', 0, 16))).size, 300)
  for (const round of [1, 2])
    for (const [n, bytes] of sealed.entries())
      assert.deepEqual(writers[0]!.open(bytes, 'x'), Buffer.from([n & 255]), `${round}`)
})

test('a writer draws a new salt before its counter repeats', () => {
  const writer = bulkCipher(key, 3)
  const sealed = Array.from({ length: 7 }, () => writer.seal(root, ''))
  assert.deepEqual(
    sealed.map((bytes) => bytes.readUInt32BE(16)),
    [0, 1, 2, 0, 1, 2, 0],
  )
  const salts = sealed.map((bytes) => bytes.toString('hex', 0, 16))
  assert.equal(new Set(salts).size, 3)
  assert.equal(salts[0], salts[2])
  for (const bytes of sealed) assert.deepEqual(writer.open(bytes, ''), root)
})

test('a derived key is HKDF-SHA-256 (RFC 5869, test case 3)', () => {
  const expected = '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d'
  assert.equal(deriveKey(Buffer.alloc(22, 0x0b), '').export().toString('hex'), expected)
})

test('another info, salt or source key gives another key', () => {
  const derived = [
    deriveKey(root, 'a'),
    deriveKey(root, 'b'),
    deriveKey(root, 'a', Buffer.of(1)),
    deriveKey(Buffer.alloc(32, 8), 'a'),
  ]
  assert.equal(new Set(derived.map((each) => each.export().toString('hex'))).size, 4)
  assert.deepEqual(deriveKey(deriveKey(root, 'a'), 'b').export(), deriveKey(derived[0]!.export(), 'b').export())
})

test('bytes are equal when their lengths and all bytes are equal', () => {
  const bytes = randomBytes(32)
  assert.ok(equalBytes(bytes, Buffer.from(bytes)))
  assert.ok(!equalBytes(bytes, bytes.subarray(1)))
  for (let at = 0; at < 32; at++) {
    const other = Buffer.from(bytes)
    other[at]! ^= 1
    assert.ok(!equalBytes(bytes, other))
  }
})

test('the prefix of a bulk cipher is in front of the sealed bytes, unencrypted', () => {
  const prefix = Buffer.from([1, 2])
  const prefixed = bulkCipher(key, 2, prefix)
  for (const text of ['one', 'two', 'three']) {
    const sealed = prefixed.seal(Buffer.from(text), 'tag_1')
    assert.deepEqual(sealed.subarray(0, 2), prefix)
    assert.equal(prefixed.open(sealed, 'tag_1').toString(), text)
    assert.throws(() => prefixed.open(sealed.subarray(2), 'tag_1'), /could not be decrypted/)
  }
})
