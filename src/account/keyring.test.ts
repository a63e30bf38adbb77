import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { openKeyring, type TeamKeys } from './keyring.ts'
import { RootKeyError } from './rootKey.ts'

const root = randomBytes(32)
const ring = openKeyring(root, 'production')
const sealedKey = ring.createTeamKey('team_1')
const team = ring.team('team_1')
ring.createTeamKey('team_2')
const other = ring.team('team_2')

/** The same keys after a restart. */
const environmentKey = ring.sealedEnvironmentKey()
const restarted = openKeyring(root, 'production', { environmentKey })
restarted.loadTeamKey('team_1', sealedKey)
const again = restarted.team('team_1')

type Way = [
  name: string,
  (keys: TeamKeys, plain: Uint8Array, bind: string) => Uint8Array,
  (keys: TeamKeys, sealed: Uint8Array, bind: string) => Buffer,
]
const ways: Way[] = [
  ['event', (keys, plain, bind) => keys.sealEvent(plain, bind), (keys, sealed, bind) => keys.openEvent(sealed, bind)],
  ['user', (keys, plain, bind) => keys.sealUser(plain, bind), (keys, sealed, bind) => keys.openUser(sealed, bind)],
  ['data key', (keys, plain, bind) => keys.wrapKey(plain, bind), (keys, sealed, bind) => keys.unwrapKey(sealed, bind)],
]

for (const [name, seal, open] of ways) {
  test(`a sealed ${name} opens with its team and context, also after a restart`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.string(), (plain, bind) => {
        assert.deepEqual(open(team, seal(team, plain, bind), bind), Buffer.from(plain))
        assert.deepEqual(open(again, seal(team, plain, bind), bind), Buffer.from(plain))
      }),
    )
  })

  test(`a sealed ${name} does not open for another team, context or use`, () => {
    const sealed = seal(team, root, 'tag_1')
    assert.ok(!Buffer.from(sealed).includes(root))
    assert.throws(() => open(other, sealed, 'tag_1'), /could not be decrypted/)
    assert.throws(() => open(team, sealed, 'tag_2'), /could not be decrypted/)
    for (const [unlike, , openUnlike] of ways)
      if (unlike !== name) assert.throws(() => openUnlike(team, sealed, 'tag_1'), /could not be decrypted/)
  })
}

test('data of one environment does not open in the other, although both have the same root key', () => {
  const sandbox = openKeyring(root, 'sandbox')
  assert.throws(() => sandbox.loadTeamKey('team_1', sealedKey), RootKeyError)
  assert.throws(() => sandbox.openSecret(ring.sealSecret(root, 'kid'), 'kid'), RootKeyError)
  assert.notDeepEqual(sandbox.hashToken('x'), ring.hashToken('x'))
})

test('a wrong root key, or a team key under another team’s id, throws a RootKeyError for the operator', () => {
  const stranger = openKeyring(randomBytes(32), 'production')
  const expected = { name: 'RootKeyError', message: /^The root key does not belong to this data directory/ }
  assert.throws(() => stranger.loadTeamKey('team_1', sealedKey), expected)
  assert.throws(() => stranger.openSecret(ring.sealSecret(root, 'kid'), 'kid'), expected)
  assert.throws(() => ring.loadTeamKey('team_9', sealedKey), expected)
})

test('a private key opens only with its own kid', () => {
  const sealed = ring.sealSecret(Buffer.from('der'), 'kid')
  assert.deepEqual(ring.openSecret(sealed, 'kid'), Buffer.from('der'))
  assert.throws(() => ring.openSecret(sealed, 'other'), RootKeyError)
})

test('using a team that is not loaded throws an error with its id', () => {
  assert.throws(() => ring.team('team_9'), /team_9/)
})

test('an event key has 64 bits, is stable over restarts, and is never 0', () => {
  fc.assert(
    fc.property(fc.string(), (eventId) => {
      const key = team.eventKey('tag_1', eventId, true)
      assert.ok(key > 0n && key < 2n ** 64n)
      assert.equal(again.eventKey('tag_1', eventId, true), key)
    }),
  )
})

test('events with different ids, tags or teams have different keys', () => {
  const keys = new Set<bigint>()
  for (let n = 0; n < 2000; n++) keys.add(team.eventKey('tag_1', `event-${n}`, true))
  keys.add(team.eventKey('tag_2', 'event-1', true)).add(other.eventKey('tag_1', 'event-1', true))
  keys.add(team.eventKey('tag_1', '\0event-1', true)).add(team.eventKey('tag_', '1event-1', true))
  assert.equal(keys.size, 2004)
})

test('the bits of event keys are distributed evenly', () => {
  const ones = Array.from({ length: 64 }, () => 0)
  for (let n = 0; n < 1000; n++)
    for (let bit = 0, key = team.eventKey('tag_1', `${n}`, true); bit < 64; bit++)
      ones[bit]! += Number((key >> BigInt(bit)) & 1n)
  for (const count of ones) assert.ok(count > 400 && count < 600, `${ones}`)
})

test('an e-mail fingerprint ignores case and surrounding space, and differs by tag and team', () => {
  const alias = team.emailFingerprint('tag_1', 'jane@example.com')
  assert.equal(alias.length, 32)
  assert.deepEqual(team.emailFingerprint('tag_1', '  Jane@Example.COM\n'), alias)
  assert.deepEqual(again.emailFingerprint('tag_1', 'jane@example.com'), alias)
  for (const unlike of [
    team.emailFingerprint('tag_1', 'john@example.com'),
    team.emailFingerprint('tag_2', 'jane@example.com'),
    other.emailFingerprint('tag_1', 'jane@example.com'),
  ])
    assert.notDeepEqual(unlike, alias)
})

test('a token is stored as a keyed hash of 32 bytes', () => {
  assert.equal(ring.hashToken('aglet_live_x').length, 32)
  assert.deepEqual(restarted.hashToken('aglet_live_x'), ring.hashToken('aglet_live_x'))
  assert.notDeepEqual(ring.hashToken('aglet_live_y'), ring.hashToken('aglet_live_x'))
  assert.notDeepEqual(openKeyring(root, 'production').hashToken('aglet_live_x'), ring.hashToken('aglet_live_x'))
})

test('a new environment has its own key, which another root key does not open', () => {
  assert.notDeepEqual(openKeyring(root, 'production').sealedEnvironmentKey(), environmentKey)
  assert.throws(() => openKeyring(randomBytes(32), 'production', { environmentKey }), RootKeyError)
  assert.throws(() => openKeyring(root, 'sandbox', { environmentKey }), RootKeyError)
})

test('after a root key change old data still opens, and the old root key opens no new data', () => {
  const keys = openKeyring(root, 'production', { environmentKey })
  keys.loadTeamKey('team_1', sealedKey)
  const next = randomBytes(32)
  keys.useRootKey(next)
  const now = { environmentKey: keys.sealedEnvironmentKey() }
  const after = openKeyring(next, 'production', now)
  after.loadTeamKey('team_1', keys.sealedTeamKey('team_1'))
  assert.deepEqual(after.hashToken('x'), ring.hashToken('x'))
  assert.deepEqual(after.openSecret(ring.sealSecret(root, 'kid'), 'kid'), root)
  assert.deepEqual(after.team('team_1').openEvent(team.sealEvent(root, 'tag_1'), 'tag_1'), root)
  assert.throws(() => openKeyring(root, 'production', now), RootKeyError)
  assert.throws(() => ring.loadTeamKey('team_1', keys.sealedTeamKey('team_1')), RootKeyError)
  assert.throws(() => after.loadTeamKey('team_1', sealedKey), RootKeyError)
})

test('during a root key rotation keys sealed by either root key open', () => {
  const next = randomBytes(32)
  const half = openKeyring(next, 'production', { environmentKey, before: root })
  half.loadTeamKey('team_1', sealedKey)
  const sealedTeamKey = half.createTeamKey('team_3')
  assert.deepEqual(half.team('team_1').openUser(team.sealUser(root, 'usr_1'), 'usr_1'), root)
  assert.doesNotThrow(() => openKeyring(next, 'production').loadTeamKey('team_3', sealedTeamKey))
})
