import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createTeamKeys, type TeamKeys } from './teamKeys.ts'

const plain = randomBytes(50)
const [first, second] = [randomBytes(32), randomBytes(32)]
const uses: [string, (keys: TeamKeys) => Uint8Array, (keys: TeamKeys, sealed: Uint8Array) => Buffer][] = [
  ['event', (keys) => keys.sealEvent(plain, 'tag_1'), (keys, sealed) => keys.openEvent(sealed, 'tag_1')],
  ['user', (keys) => keys.sealUser(plain, 'usr_1'), (keys, sealed) => keys.openUser(sealed, 'usr_1')],
  ['data key', (keys) => keys.wrapKey(plain, 'sec_1'), (keys, sealed) => keys.unwrapKey(sealed, 'sec_1')],
]

for (const [name, seal, open] of uses) {
  test(`an added key seals every later ${name}, and the earlier keys still open theirs`, () => {
    const keys = createTeamKeys([first])
    const old = seal(keys)
    keys.add(second)
    const sealed = seal(keys)
    assert.deepEqual(open(keys, old), plain)
    assert.deepEqual(open(keys, sealed), plain)
    assert.deepEqual(open(createTeamKeys([first, second]), sealed), plain)
    assert.throws(() => open(createTeamKeys([first]), sealed), /could not be decrypted/)
    assert.throws(() => open(createTeamKeys([second]), sealed), /could not be decrypted/)
  })

  test(`a sealed ${name} with an unknown key version does not open`, () => {
    const keys = createTeamKeys([first])
    const sealed = Buffer.from(seal(keys))
    for (const version of [0, 2, 256, 65_535]) {
      sealed.writeUInt16BE(version)
      assert.throws(() => open(keys, sealed), /could not be decrypted/)
    }
    assert.throws(() => open(keys, new Uint8Array()), /could not be decrypted/)
  })
}

test('the 256th and the 300th key seal and open like the first', () => {
  const keys = createTeamKeys([first])
  const sealed = [keys.sealEvent(plain, 'tag_1')]
  for (let count = 2; count <= 300; count++) {
    keys.add(randomBytes(32))
    sealed.push(keys.sealEvent(plain, 'tag_1'))
  }
  for (const each of sealed) assert.deepEqual(keys.openEvent(each, 'tag_1'), plain)
})

test('a key rotation changes neither event keys nor fingerprints', () => {
  const keys = createTeamKeys([first])
  const [event, alias] = [keys.eventKey('tag_1', 'order-1', true), keys.emailFingerprint('tag_1', 'jane@example.com')]
  keys.add(second)
  assert.equal(keys.eventKey('tag_1', 'order-1', true), event)
  assert.deepEqual(keys.emailFingerprint('tag_1', 'jane@example.com'), alias)
})
