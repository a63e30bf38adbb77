import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { scopes } from '#contract/scopes.ts'
import { createAccountFixture, faultOf } from './account.fixture.ts'
import { createTeam } from './team.ts'
import { createToken, generateToken, isWellFormed, parseDuration, revokeToken } from './token.ts'

const day = 86_400_000

test('a token is aglet_live_ or aglet_test_, 43 base62 characters and 6 of CRC-32', () => {
  assert.match(generateToken('production'), /^aglet_live_[0-9A-Za-z]{49}$/)
  assert.match(generateToken('sandbox'), /^aglet_test_[0-9A-Za-z]{49}$/)
  assert.equal(new Set(Array.from({ length: 1000 }, () => generateToken('sandbox'))).size, 1000)
})

test('the checksum is the CRC-32 of everything before it, in base62', () => {
  const token = `aglet_live_${'0'.repeat(43)}`
  assert.equal(crc32(token), 1_157_626_965)
  assert.ok(isWellFormed(`${token}1GLHef`, 'production'))
})

test('a token is well formed in its own environment only', () => {
  const token = generateToken('production')
  assert.ok(isWellFormed(token, 'production'))
  assert.ok(!isWellFormed(token, 'sandbox'))
})

test('a token with any character changed, removed or added is malformed', () => {
  const token = generateToken('production')
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === 'x' ? 'y' : 'x'
    assert.ok(!isWellFormed(token.slice(0, at) + other + token.slice(at + 1), 'production'), `${at}`)
    assert.ok(!isWellFormed(token.slice(0, at) + token.slice(at + 1), 'production'))
    assert.ok(!isWellFormed(`${token.slice(0, at)}x${token.slice(at)}`, 'production'))
  }
  for (const junk of ['', 'aglet_live_', `${token}\n`, ` ${token}`, 'x'.repeat(60)])
    assert.ok(!isWellFormed(junk, 'production'))
})

test('a token is shown once and stored as a hash, with an audit row that does not contain it', async () => {
  const fixture = createAccountFixture()
  const { teamId } = await createTeam(fixture, 'Team', 'operator')
  const { token, tokenId } = await createToken(fixture, { teamId, scopes: ['tag:read'] }, 'tok_asker', '192.0.2.1')
  assert.ok(isWellFormed(token, 'production'))
  assert.match(tokenId, /^tok_[0-9a-z]{26}$/)
  const row = await fixture.store.token(fixture.keys.hashToken(token))
  assert.equal(row?.tokenId, tokenId)
  const at = fixture.clock.now()
  const after = { application: 'operator', scopes: ['tag:read'] }
  const who = { at, by: 'tok_asker', from: '192.0.2.1' }
  assert.deepEqual(fixture.audit[1], { ...who, what: 'createToken', teamId, object: tokenId, after })
  const stored = JSON.stringify([row, fixture.audit])
  assert.ok(!stored.includes(token) && !stored.includes(token.slice(11, 54)))
})

test('a token has every customer scope and expires after 90 days by default', async () => {
  const fixture = createAccountFixture('sandbox')
  const { teamId } = await createTeam(fixture, 'Team', 'operator')
  const { token, tokenId } = await createToken(fixture, { teamId }, 'operator')
  assert.ok(isWellFormed(token, 'sandbox'))
  const row = await fixture.store.tokenById(tokenId)
  assert.deepEqual(row?.scopes, [...scopes])
  assert.equal(row?.expiresAt, fixture.clock.now() + 90 * day)
  assert.equal(row?.application, 'operator')
})

test('a token has the requested scopes without duplicates, and the id of its application', async () => {
  const fixture = createAccountFixture()
  const { teamId } = await createTeam(fixture, 'Team', 'operator')
  const request = { teamId, application: 'app_1', scopes: ['event:write', 'script:read', 'event:write'] }
  const row = await fixture.store.tokenById((await createToken(fixture, request, 'operator')).tokenId)
  assert.deepEqual(row?.scopes, ['script:read', 'event:write'])
  assert.equal(row?.application, 'app_1')
})

test('the lifetime of a token is 1 minute to 365 days', async () => {
  const fixture = createAccountFixture()
  const { teamId } = await createTeam(fixture, 'Team', 'operator')
  for (const expiresInMs of [60_000, 365 * day]) {
    const { tokenId } = await createToken(fixture, { teamId, expiresInMs }, 'operator')
    assert.equal((await fixture.store.tokenById(tokenId))?.expiresAt, fixture.clock.now() + expiresInMs)
  }
  for (const expiresInMs of [59_999, 365 * day + 1, 0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    const refused = await faultOf(createToken(fixture, { teamId, expiresInMs }, 'operator'))
    assert.equal(refused.fault, 'badRequest')
    assert.match(refused.message, /1 minute to 365 days/)
  }
})

test('an unknown scope, an empty list of scopes and an unknown team are refused, and nothing is written', async () => {
  const fixture = createAccountFixture()
  const { teamId } = await createTeam(fixture, 'Team', 'operator')
  const scope = await faultOf(createToken(fixture, { teamId, scopes: ['event:write', 'event:wrte'] }, 'operator'))
  assert.match(scope.message, /^Unknown scope event:wrte\. The scopes are script:read, /)
  assert.deepEqual(scope.attributes, { issues: [{ path: 'scopes', message: scope.message }] })
  assert.match((await faultOf(createToken(fixture, { teamId, scopes: [] }, 'operator'))).message, /at least one scope/)
  assert.equal((await faultOf(createToken(fixture, { teamId: 'team_9' }, 'operator'))).fault, 'teamUnknown')
  assert.equal(fixture.audit.length, 1)
})

test('revoking marks a token once with an audit row; an unknown id is a fault', async () => {
  const fixture = createAccountFixture()
  const { teamId } = await createTeam(fixture, 'Team', 'operator')
  const { tokenId } = await createToken(fixture, { teamId, scopes: ['tag:read'] }, 'operator')
  await revokeToken(fixture, tokenId, 'operator')
  const at = fixture.clock.now()
  await fixture.clock.turn(1000)
  await revokeToken(fixture, tokenId, 'operator')
  assert.equal((await fixture.store.tokenById(tokenId))?.revokedAt, at)
  const before = { application: 'operator', scopes: ['tag:read'] }
  assert.deepEqual(fixture.audit.slice(2), [
    { at, by: 'operator', what: 'deleteToken', teamId, object: tokenId, before },
  ])
  assert.equal((await faultOf(revokeToken(fixture, 'tok_9', 'operator'))).fault, 'tokenUnknown')
})

test('a duration is in minutes, hours or days', () => {
  assert.equal(parseDuration('30m'), 30 * 60_000)
  assert.equal(parseDuration('12h'), 12 * 3_600_000)
  assert.equal(parseDuration(' 90d '), 90 * day)
  for (const text of ['', '90', 'd', '1w', '-1d', '1.5h', '90 d', '9d9h', '1e3m', '1234567d'])
    assert.throws(() => parseDuration(text), /is not a duration. Write, for example, 30m, 12h or 90d/)
})
