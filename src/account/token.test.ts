import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { scopes } from '#contract/scopes.ts'
import { accountWorld, faultOf } from './account.fixture.ts'
import { createTeam } from './team.ts'
import { createToken, isWellFormed, mintToken, parseDuration, revokeToken } from './token.ts'

const day = 86_400_000

test('a token is aglet_live_ or aglet_test_, 43 base62 characters and 6 of CRC-32', () => {
  assert.match(mintToken('production'), /^aglet_live_[0-9A-Za-z]{49}$/)
  assert.match(mintToken('sandbox'), /^aglet_test_[0-9A-Za-z]{49}$/)
  assert.equal(new Set(Array.from({ length: 1000 }, () => mintToken('sandbox'))).size, 1000)
})

test('the checksum is the CRC-32 of all that stands before it, in base62', () => {
  const token = `aglet_live_${'0'.repeat(43)}`
  assert.equal(crc32(token), 1_157_626_965)
  assert.ok(isWellFormed(`${token}1GLHef`, 'production'))
})

test('a token is well formed in its own environment only', () => {
  const token = mintToken('production')
  assert.ok(isWellFormed(token, 'production'))
  assert.ok(!isWellFormed(token, 'sandbox'))
})

test('a token with any character changed, left out or added is junk', () => {
  const token = mintToken('production')
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === 'x' ? 'y' : 'x'
    assert.ok(!isWellFormed(token.slice(0, at) + other + token.slice(at + 1), 'production'), `${at}`)
    assert.ok(!isWellFormed(token.slice(0, at) + token.slice(at + 1), 'production'))
    assert.ok(!isWellFormed(`${token.slice(0, at)}x${token.slice(at)}`, 'production'))
  }
  for (const junk of ['', 'aglet_live_', `${token}\n`, ` ${token}`, 'x'.repeat(60)])
    assert.ok(!isWellFormed(junk, 'production'))
})

test('a token is shown once and kept as a hash, with an audit row that does not hold it', async () => {
  const on = accountWorld()
  const { teamId } = await createTeam(on, 'Team', 'operator')
  const { token, tokenId } = await createToken(on, { teamId, scopes: ['tag:read'] }, 'tok_asker', '192.0.2.1')
  assert.ok(isWellFormed(token, 'production'))
  assert.match(tokenId, /^tok_[0-9a-z]{26}$/)
  const row = await on.store.token(on.keys.tokenHash(token))
  assert.equal(row?.tokenId, tokenId)
  const at = on.clock.now()
  const after = { application: 'operator', scopes: ['tag:read'] }
  const who = { at, by: 'tok_asker', from: '192.0.2.1' }
  assert.deepEqual(on.audit[1], { ...who, what: 'createToken', teamId, object: tokenId, after })
  const kept = JSON.stringify([row, on.audit])
  assert.ok(!kept.includes(token) && !kept.includes(token.slice(11, 54)))
})

test('without more it has every customer scope and lives 90 days', async () => {
  const on = accountWorld('sandbox')
  const { teamId } = await createTeam(on, 'Team', 'operator')
  const { token, tokenId } = await createToken(on, { teamId }, 'operator')
  assert.ok(isWellFormed(token, 'sandbox'))
  const row = await on.store.tokenById(tokenId)
  assert.deepEqual(row?.scopes, [...scopes])
  assert.equal(row?.expiresAt, on.clock.now() + 90 * day)
  assert.equal(row?.application, 'operator')
})

test('scopes are granted as asked, each once; the application is named', async () => {
  const on = accountWorld()
  const { teamId } = await createTeam(on, 'Team', 'operator')
  const asked = { teamId, application: 'app_1', scopes: ['event:write', 'script:read', 'event:write'] }
  const row = await on.store.tokenById((await createToken(on, asked, 'operator')).tokenId)
  assert.deepEqual(row?.scopes, ['script:read', 'event:write'])
  assert.equal(row?.application, 'app_1')
})

test('a token lives from 1 minute to 365 days', async () => {
  const on = accountWorld()
  const { teamId } = await createTeam(on, 'Team', 'operator')
  for (const expiresInMs of [60_000, 365 * day]) {
    const { tokenId } = await createToken(on, { teamId, expiresInMs }, 'operator')
    assert.equal((await on.store.tokenById(tokenId))?.expiresAt, on.clock.now() + expiresInMs)
  }
  for (const expiresInMs of [59_999, 365 * day + 1, 0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    const refused = await faultOf(createToken(on, { teamId, expiresInMs }, 'operator'))
    assert.equal(refused.fault, 'badRequest')
    assert.match(refused.message, /1 minute to 365 days/)
  }
})

test('an unknown scope, no scope at all and an unknown team are refused by name, and nothing is written', async () => {
  const on = accountWorld()
  const { teamId } = await createTeam(on, 'Team', 'operator')
  const scope = await faultOf(createToken(on, { teamId, scopes: ['event:write', 'event:wrte'] }, 'operator'))
  assert.match(scope.message, /^Unknown scope event:wrte\. The scopes are script:read, /)
  assert.deepEqual(scope.attributes, { issues: [{ path: 'scopes', message: scope.message }] })
  assert.match((await faultOf(createToken(on, { teamId, scopes: [] }, 'operator'))).message, /at least one scope/)
  assert.equal((await faultOf(createToken(on, { teamId: 'team_9' }, 'operator'))).fault, 'teamUnknown')
  assert.equal(on.audit.length, 1)
})

test('revoking marks the token once and writes an audit row; an unknown id is told', async () => {
  const on = accountWorld()
  const { teamId } = await createTeam(on, 'Team', 'operator')
  const { tokenId } = await createToken(on, { teamId, scopes: ['tag:read'] }, 'operator')
  await revokeToken(on, tokenId, 'operator')
  const at = on.clock.now()
  await on.clock.turn(1000)
  await revokeToken(on, tokenId, 'operator')
  assert.equal((await on.store.tokenById(tokenId))?.revokedAt, at)
  const before = { application: 'operator', scopes: ['tag:read'] }
  assert.deepEqual(on.audit.slice(2), [{ at, by: 'operator', what: 'deleteToken', teamId, object: tokenId, before }])
  assert.equal((await faultOf(revokeToken(on, 'tok_9', 'operator'))).fault, 'tokenUnknown')
})

test('a duration is minutes, hours or days', () => {
  assert.equal(parseDuration('30m'), 30 * 60_000)
  assert.equal(parseDuration('12h'), 12 * 3_600_000)
  assert.equal(parseDuration(' 90d '), 90 * day)
  for (const text of ['', '90', 'd', '1w', '-1d', '1.5h', '90 d', '9d9h', '1e3m', '1234567d'])
    assert.throws(() => parseDuration(text), /is no duration: write 30m, 12h or 90d/)
})
