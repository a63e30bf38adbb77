import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AccountFixture, createAccountFixture, faultOf } from './account.fixture.ts'
import { createTeam } from './team.ts'
import { createToken, generateToken, revokeToken } from './token.ts'
import { createTokenAuthenticator } from './tokenAuthenticator.ts'

async function withToken(deps: AccountFixture = createAccountFixture()) {
  const { teamId } = await createTeam(deps, 'Team', 'operator')
  const created = await createToken(deps, { teamId, scopes: ['event:write'], expiresInMs: 3_600_000 }, 'operator')
  return { ...deps, ...created, teamId }
}

/** Counts the lookups. */
function counted(deps: AccountFixture) {
  const count = { lookups: 0 }
  const token: typeof deps.store.token = (hash) => {
    count.lookups++
    return deps.store.token(hash)
  }
  return { count, ask: createTokenAuthenticator({ ...deps, store: { token } }) }
}

test('a valid token gives its id, team, application and scopes', async () => {
  const fixture = await withToken()
  const access = await createTokenAuthenticator(fixture)(`Bearer ${fixture.token}`)
  assert.deepEqual(access, {
    by: fixture.tokenId,
    teamId: fixture.teamId,
    application: 'operator',
    scopes: new Set(['event:write']),
  })
})

test('the scheme is case-insensitive, with surrounding spaces', async () => {
  const fixture = await withToken()
  for (const scheme of ['bearer', 'BEARER', 'Bearer ', ' Bearer'])
    assert.equal((await createTokenAuthenticator(fixture)(`${scheme} ${fixture.token} `)).by, fixture.tokenId)
})

test('no header is tokenMissing, with WWW-Authenticate: Bearer', async () => {
  const fixture = await withToken()
  for (const header of [undefined, '', '  ']) {
    const refused = await faultOf(createTokenAuthenticator(fixture)(header))
    assert.equal(refused.fault, 'tokenMissing')
    assert.deepEqual(refused.headers, { 'WWW-Authenticate': 'Bearer' })
  }
})

test('another scheme, junk, a wrong checksum and a token of the other environment are refused without a lookup', async () => {
  const fixture = await withToken()
  const { count, ask } = counted(fixture)
  const junk = [
    'Bearer',
    `Basic ${fixture.token}`,
    fixture.token,
    `Bearer ${fixture.token}x`,
    `Bearer ${fixture.token.slice(0, -1)}${fixture.token.endsWith('0') ? '1' : '0'}`,
    `Bearer ${generateToken('sandbox')}`,
    `Bearer ${fixture.token} ${fixture.token}`,
    `Bearer, ${fixture.token}`,
  ]
  for (const header of junk) {
    const refused = await faultOf(ask(header))
    assert.equal(refused.fault, 'tokenRefused', header)
    assert.deepEqual(refused.headers, { 'WWW-Authenticate': 'Bearer error="invalid_token"' })
    assert.ok(!JSON.stringify(refused).includes(fixture.token))
  }
  assert.equal(count.lookups, 0)
})

test('an unknown token of the right format is refused, each time after a lookup', async () => {
  const { count, ask } = counted(await withToken())
  const unknown = `Bearer ${generateToken('production')}`
  for (const _ of [1, 2]) assert.equal((await faultOf(ask(unknown))).fault, 'tokenRefused')
  assert.equal(count.lookups, 2)
})

test('a row with a different hash is refused', async () => {
  const fixture = await withToken()
  const row = await fixture.store.tokenById(fixture.tokenId)
  const ask = createTokenAuthenticator({ ...fixture, store: { token: async () => row } })
  assert.equal((await faultOf(ask(`Bearer ${generateToken('production')}`))).fault, 'tokenRefused')
})

test('a valid token is looked up once a second, not at each call', async () => {
  const fixture = await withToken()
  const { count, ask } = counted(fixture)
  for (let n = 0; n < 10; n++) await ask(`Bearer ${fixture.token}`)
  await fixture.clock.turn(999)
  await ask(`Bearer ${fixture.token}`)
  assert.equal(count.lookups, 1)
  await fixture.clock.turn(1)
  await ask(`Bearer ${fixture.token}`)
  assert.equal(count.lookups, 2)
})

test('a revocation by any process takes effect within 5 s', async () => {
  const fixture = await withToken()
  const ask = createTokenAuthenticator(fixture)
  await ask(`Bearer ${fixture.token}`)
  await revokeToken(fixture, fixture.tokenId, 'operator')
  await fixture.clock.turn(5_000)
  assert.equal((await faultOf(ask(`Bearer ${fixture.token}`))).fault, 'tokenRefused')
})

test('a token ends at the moment it expires, cached or not', async () => {
  const fixture = await withToken()
  const ask = createTokenAuthenticator(fixture)
  await fixture.clock.turn(3_600_000 - 1)
  await ask(`Bearer ${fixture.token}`)
  await fixture.clock.turn(1)
  assert.equal((await faultOf(ask(`Bearer ${fixture.token}`))).fault, 'tokenRefused')
})

test('setting the clock back does not extend the cache', async () => {
  const fixture = await withToken()
  const { count, ask } = counted(fixture)
  await ask(`Bearer ${fixture.token}`)
  await fixture.clock.turn(-86_400_000)
  await ask(`Bearer ${fixture.token}`)
  assert.equal(count.lookups, 2)
})

test('a token of one environment is refused in the other, even with the same rows', async () => {
  const fixture = await withToken()
  const sandbox = createTokenAuthenticator({ ...fixture, environment: 'sandbox' })
  assert.equal((await faultOf(sandbox(`Bearer ${fixture.token}`))).fault, 'tokenRefused')
})
