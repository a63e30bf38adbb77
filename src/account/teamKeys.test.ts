import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type TeamKeys, teamKeys } from './teamKeys.ts'

const plain = randomBytes(50)
const [first, second] = [randomBytes(32), randomBytes(32)]
const uses: [string, (keys: TeamKeys) => Uint8Array, (keys: TeamKeys, sealed: Uint8Array) => Buffer][] = [
  ['event', (keys) => keys.sealEvent(plain, 'tag_1'), (keys, sealed) => keys.openEvent(sealed, 'tag_1')],
  ['user', (keys) => keys.sealUser(plain, 'usr_1'), (keys, sealed) => keys.openUser(sealed, 'usr_1')],
  ['data key', (keys) => keys.wrapKey(plain, 'sec_1'), (keys, sealed) => keys.unwrapKey(sealed, 'sec_1')],
]

for (const [name, seal, open] of uses) {
  test(`a further key seals every ${name} from then on, and the keys before still open theirs`, () => {
    const keys = teamKeys([first])
    const old = seal(keys)
    keys.add(second)
    const now = seal(keys)
    assert.deepEqual(open(keys, old), plain)
    assert.deepEqual(open(keys, now), plain)
    assert.deepEqual(open(teamKeys([first, second]), now), plain)
    assert.throws(() => open(teamKeys([first]), now), /do not open/)
    assert.throws(() => open(teamKeys([second]), now), /do not open/)
  })

  test(`a sealed ${name} that names a key the team never had does not open`, () => {
    const keys = teamKeys([first])
    const sealed = Buffer.from(seal(keys))
    for (const version of [0, 2, 256, 65_535]) {
      sealed.writeUInt16BE(version)
      assert.throws(() => open(keys, sealed), /do not open/)
    }
    assert.throws(() => open(keys, new Uint8Array()), /do not open/)
  })
}

test('a 256th and a 300th key seal and open as the first did', () => {
  const keys = teamKeys([first])
  const sealed = [keys.sealEvent(plain, 'tag_1')]
  for (let count = 2; count <= 300; count++) {
    keys.add(randomBytes(32))
    sealed.push(keys.sealEvent(plain, 'tag_1'))
  }
  for (const each of sealed) assert.deepEqual(keys.openEvent(each, 'tag_1'), plain)
})

test('after a rotation a repeat is still a repeat, and an e-mail still leads to the same person', () => {
  const keys = teamKeys([first])
  const [event, alias] = [keys.eventKey('tag_1', 'order-1', true), keys.alias('tag_1', 'jane@example.com')]
  keys.add(second)
  assert.equal(keys.eventKey('tag_1', 'order-1', true), event)
  assert.deepEqual(keys.alias('tag_1', 'jane@example.com'), alias)
})
