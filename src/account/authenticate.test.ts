import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AccountWorld, accountWorld, faultOf } from './account.fixture.ts'
import { authenticate } from './authenticate.ts'
import { createTeam } from './team.ts'
import { createToken, mintToken, revokeToken } from './token.ts'

async function withToken(on: AccountWorld = accountWorld()) {
  const { teamId } = await createTeam(on, 'Team', 'operator')
  const made = await createToken(on, { teamId, scopes: ['event:write'], expiresInMs: 3_600_000 }, 'operator')
  return { ...on, ...made, teamId }
}

/** Counts the look-ups. */
function counted(on: AccountWorld) {
  const count = { lookups: 0 }
  const token: typeof on.store.token = (hash) => {
    count.lookups++
    return on.store.token(hash)
  }
  return { count, ask: authenticate({ ...on, store: { token } }) }
}

test('a good token tells who calls', async () => {
  const on = await withToken()
  const access = await authenticate(on)(`Bearer ${on.token}`)
  assert.deepEqual(access, {
    tokenId: on.tokenId,
    teamId: on.teamId,
    application: 'operator',
    scopes: new Set(['event:write']),
  })
})

test('the scheme is read in any case, with spaces around', async () => {
  const on = await withToken()
  for (const scheme of ['bearer', 'BEARER', 'Bearer ', ' Bearer'])
    assert.equal((await authenticate(on)(`${scheme} ${on.token} `)).tokenId, on.tokenId)
})

test('no header is tokenMissing, with WWW-Authenticate: Bearer', async () => {
  const on = await withToken()
  for (const header of [undefined, '', '  ']) {
    const refused = await faultOf(authenticate(on)(header))
    assert.equal(refused.fault, 'tokenMissing')
    assert.deepEqual(refused.headers, { 'WWW-Authenticate': 'Bearer' })
  }
})

test('another scheme, junk, a wrong checksum and a token of the other environment are refused without a look-up', async () => {
  const on = await withToken()
  const { count, ask } = counted(on)
  const junk = [
    'Bearer',
    `Basic ${on.token}`,
    on.token,
    `Bearer ${on.token}x`,
    `Bearer ${on.token.slice(0, -1)}${on.token.endsWith('0') ? '1' : '0'}`,
    `Bearer ${mintToken('sandbox')}`,
    `Bearer ${on.token} ${on.token}`,
    `Bearer, ${on.token}`,
  ]
  for (const header of junk) {
    const refused = await faultOf(ask(header))
    assert.equal(refused.fault, 'tokenRefused', header)
    assert.deepEqual(refused.headers, { 'WWW-Authenticate': 'Bearer' })
    assert.ok(!JSON.stringify(refused).includes(on.token))
  }
  assert.equal(count.lookups, 0)
})

test('an unknown token of the right form is refused, each time by a look-up', async () => {
  const { count, ask } = counted(await withToken())
  const unknown = `Bearer ${mintToken('production')}`
  for (const _ of [1, 2]) assert.equal((await faultOf(ask(unknown))).fault, 'tokenRefused')
  assert.equal(count.lookups, 2)
})

test('a row that the store gives for another hash is refused', async () => {
  const on = await withToken()
  const row = await on.store.tokenById(on.tokenId)
  const ask = authenticate({ ...on, store: { token: async () => row } })
  assert.equal((await faultOf(ask(`Bearer ${mintToken('production')}`))).fault, 'tokenRefused')
})

test('a good token is looked up once a second, not at each call', async () => {
  const on = await withToken()
  const { count, ask } = counted(on)
  for (let n = 0; n < 10; n++) await ask(`Bearer ${on.token}`)
  await on.clock.turn(999)
  await ask(`Bearer ${on.token}`)
  assert.equal(count.lookups, 1)
  await on.clock.turn(1)
  await ask(`Bearer ${on.token}`)
  assert.equal(count.lookups, 2)
})

test('a revocation by whomever takes effect within 5 s', async () => {
  const on = await withToken()
  const ask = authenticate(on)
  await ask(`Bearer ${on.token}`)
  await revokeToken(on, on.tokenId, 'operator')
  await on.clock.turn(5_000)
  assert.equal((await faultOf(ask(`Bearer ${on.token}`))).fault, 'tokenRefused')
})

test('a token ends at the moment it expires, believed or not', async () => {
  const on = await withToken()
  const ask = authenticate(on)
  await on.clock.turn(3_600_000 - 1)
  await ask(`Bearer ${on.token}`)
  await on.clock.turn(1)
  assert.equal((await faultOf(ask(`Bearer ${on.token}`))).fault, 'tokenRefused')
})

test('a clock that is set back does not lengthen what is believed', async () => {
  const on = await withToken()
  const { count, ask } = counted(on)
  await ask(`Bearer ${on.token}`)
  await on.clock.turn(-86_400_000)
  await ask(`Bearer ${on.token}`)
  assert.equal(count.lookups, 2)
})

test('a token of one environment is refused in the other, even over the same rows', async () => {
  const on = await withToken()
  const sandbox = authenticate({ ...on, environment: 'sandbox' })
  assert.equal((await faultOf(sandbox(`Bearer ${on.token}`))).fault, 'tokenRefused')
})
