import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { openKeyring, type TeamKeys } from './keyring.ts'
import { RootKeyProblem } from './rootKey.ts'

const root = randomBytes(32)
const ring = openKeyring(root, 'production')
const sealedKey = ring.makeTeam('team_1')
const team = ring.team('team_1')
ring.makeTeam('team_2')
const other = ring.team('team_2')

/** The same keys as another start holds them. */
const environmentKey = ring.sealedEnvironment()
const restarted = openKeyring(root, 'production', { environmentKey })
restarted.loadTeam('team_1', sealedKey)
const again = restarted.team('team_1')

type Way = [
  name: string,
  (keys: TeamKeys, plain: Uint8Array, of: string) => Uint8Array,
  (keys: TeamKeys, sealed: Uint8Array, of: string) => Buffer,
]
const ways: Way[] = [
  ['event', (keys, plain, of) => keys.sealEvent(plain, of), (keys, sealed, of) => keys.openEvent(sealed, of)],
  ['user', (keys, plain, of) => keys.sealUser(plain, of), (keys, sealed, of) => keys.openUser(sealed, of)],
  ['data key', (keys, plain, of) => keys.wrapKey(plain, of), (keys, sealed, of) => keys.unwrapKey(sealed, of)],
]

for (const [name, seal, open] of ways) {
  test(`a sealed ${name} opens for its team, after a restart too, and for what it was sealed for`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.string(), (plain, of) => {
        assert.deepEqual(open(team, seal(team, plain, of), of), Buffer.from(plain))
        assert.deepEqual(open(again, seal(team, plain, of), of), Buffer.from(plain))
      }),
    )
  })

  test(`a sealed ${name} does not open for another team, for another thing or as something else`, () => {
    const sealed = seal(team, root, 'tag_1')
    assert.ok(!Buffer.from(sealed).includes(root))
    assert.throws(() => open(other, sealed, 'tag_1'), /do not open/)
    assert.throws(() => open(team, sealed, 'tag_2'), /do not open/)
    for (const [unlike, , openUnlike] of ways)
      if (unlike !== name) assert.throws(() => openUnlike(team, sealed, 'tag_1'), /do not open/)
  })
}

test('nothing of one environment opens in the other, although both have the same root key', () => {
  const sandbox = openKeyring(root, 'sandbox')
  assert.throws(() => sandbox.loadTeam('team_1', sealedKey), RootKeyProblem)
  assert.throws(() => sandbox.openPrivate(ring.sealPrivate(root, 'kid'), 'kid'), RootKeyProblem)
  assert.notDeepEqual(sandbox.tokenHash('x'), ring.tokenHash('x'))
})

test('another root key, or a team key under the id of another team, is told by a sentence', () => {
  const stranger = openKeyring(randomBytes(32), 'production')
  const said = { name: 'RootKeyProblem', message: /^The root key does not fit this data directory/ }
  assert.throws(() => stranger.loadTeam('team_1', sealedKey), said)
  assert.throws(() => stranger.openPrivate(ring.sealPrivate(root, 'kid'), 'kid'), said)
  assert.throws(() => ring.loadTeam('team_9', sealedKey), said)
})

test('a private half opens under its own kid only', () => {
  const sealed = ring.sealPrivate(Buffer.from('der'), 'kid')
  assert.deepEqual(ring.openPrivate(sealed, 'kid'), Buffer.from('der'))
  assert.throws(() => ring.openPrivate(sealed, 'other'), RootKeyProblem)
})

test('a team that is not loaded is a bug and says which', () => {
  assert.throws(() => ring.team('team_9'), /team_9/)
})

test('the key of an event is 64 bits, stable over restarts, and never 0', () => {
  fc.assert(
    fc.property(fc.string(), (eventId) => {
      const key = team.eventKey('tag_1', eventId, true)
      assert.ok(key > 0n && key < 2n ** 64n)
      assert.equal(again.eventKey('tag_1', eventId, true), key)
    }),
  )
})

test('events of other ids, tags or teams have other keys', () => {
  const keys = new Set<bigint>()
  for (let n = 0; n < 2000; n++) keys.add(team.eventKey('tag_1', `event-${n}`, true))
  keys.add(team.eventKey('tag_2', 'event-1', true)).add(other.eventKey('tag_1', 'event-1', true))
  keys.add(team.eventKey('tag_1', '\0event-1', true)).add(team.eventKey('tag_', '1event-1', true))
  assert.equal(keys.size, 2004)
})

test('the bits of event keys are spread evenly', () => {
  const ones = Array.from({ length: 64 }, () => 0)
  for (let n = 0; n < 1000; n++)
    for (let bit = 0, key = team.eventKey('tag_1', `${n}`, true); bit < 64; bit++)
      ones[bit]! += Number((key >> BigInt(bit)) & 1n)
  for (const count of ones) assert.ok(count > 400 && count < 600, `${ones}`)
})

test('an alias does not depend on case or space around the e-mail, and differs by tag and team', () => {
  const alias = team.alias('tag_1', 'jane@example.com')
  assert.equal(alias.length, 16)
  assert.deepEqual(team.alias('tag_1', '  Jane@Example.COM\n'), alias)
  assert.deepEqual(again.alias('tag_1', 'jane@example.com'), alias)
  for (const unlike of [
    team.alias('tag_1', 'john@example.com'),
    team.alias('tag_2', 'jane@example.com'),
    other.alias('tag_1', 'jane@example.com'),
  ])
    assert.notDeepEqual(unlike, alias)
})

test('a token is kept as a keyed hash of 32 bytes', () => {
  assert.equal(ring.tokenHash('aglet_live_x').length, 32)
  assert.deepEqual(restarted.tokenHash('aglet_live_x'), ring.tokenHash('aglet_live_x'))
  assert.notDeepEqual(ring.tokenHash('aglet_live_y'), ring.tokenHash('aglet_live_x'))
  assert.notDeepEqual(openKeyring(root, 'production').tokenHash('aglet_live_x'), ring.tokenHash('aglet_live_x'))
})

test('a new environment has a key of its own, which another root key does not open', () => {
  assert.notDeepEqual(openKeyring(root, 'production').sealedEnvironment(), environmentKey)
  assert.throws(() => openKeyring(randomBytes(32), 'production', { environmentKey }), RootKeyProblem)
  assert.throws(() => openKeyring(root, 'sandbox', { environmentKey }), RootKeyProblem)
})

test('under a new root key everything opens that opened before, and the old root key opens nothing new', () => {
  const keys = openKeyring(root, 'production', { environmentKey })
  keys.loadTeam('team_1', sealedKey)
  const next = randomBytes(32)
  keys.useRoot(next)
  const now = { environmentKey: keys.sealedEnvironment() }
  const after = openKeyring(next, 'production', now)
  after.loadTeam('team_1', keys.sealedTeam('team_1'))
  assert.deepEqual(after.tokenHash('x'), ring.tokenHash('x'))
  assert.deepEqual(after.openPrivate(ring.sealPrivate(root, 'kid'), 'kid'), root)
  assert.deepEqual(after.team('team_1').openEvent(team.sealEvent(root, 'tag_1'), 'tag_1'), root)
  assert.throws(() => openKeyring(root, 'production', now), RootKeyProblem)
  assert.throws(() => ring.loadTeam('team_1', keys.sealedTeam('team_1')), RootKeyProblem)
  assert.throws(() => after.loadTeam('team_1', sealedKey), RootKeyProblem)
})

test('halfway through a rotation of the root key it does not matter which of the two has sealed', () => {
  const next = randomBytes(32)
  const half = openKeyring(next, 'production', { environmentKey, before: root })
  half.loadTeam('team_1', sealedKey)
  const made = half.makeTeam('team_3')
  assert.deepEqual(half.team('team_1').openUser(team.sealUser(root, 'usr_1'), 'usr_1'), root)
  assert.doesNotThrow(() => openKeyring(next, 'production').loadTeam('team_3', made))
})
