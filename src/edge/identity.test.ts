import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TeamAccess } from '#account/teamAccess.ts'
import type { Scope } from '#contract/scopes.ts'
import { event, now, openTestEdge, tagId, teamId } from './edge.fixture.ts'

const server = { authorization: 'Bearer good', 'team-id': teamId }
const authenticate = async (): Promise<TeamAccess> => ({
  by: 'tok',
  teamId,
  application: 'test',
  scopes: new Set<Scope>(['event:write']),
})
const page = { origin: 'https://example.com' }
const as = (userId: string) => ({ ...page, serviceuserid: userId })
const at = (call: string) => `/t/${tagId}${call}`

type TestEdge = Awaited<ReturnType<typeof openTestEdge>>
const post = (edge: TestEdge, call: string, body: unknown, headers: Record<string, string> = {}) =>
  edge.ask({ path: at(call), body, headers })
const get = (edge: TestEdge, call: string, headers: Record<string, string> = {}) =>
  edge.ask({ method: 'GET', path: at(call), headers })

describe('POST /data and /user', () => {
  test('delete a key whose value is null, and nobody is found by a deleted e-mail', async (t) => {
    const edge = await openTestEdge(t, { deps: { authenticate } })
    const email = 'jane@example.com'
    await post(
      edge,
      '/data',
      { data: { email, city: 'Bonn', tier: 'gold', points: 7 } },
      { ...server, serviceuserid: 'usr_a' },
    )
    const found = async () => (await get(edge, `/keys?userEmail=${email}`, server)).json.result
    assert.deepEqual(await found(), ['email', 'city', 'tier', 'points'])
    assert.equal((await post(edge, '/user', { key: 'tier', value: null }, as('usr_a'))).status, 200)
    await post(edge, '/data', { data: { email: null, nothing: null } }, as('usr_a'))
    assert.deepEqual((await get(edge, '/keys', as('usr_a'))).json, { result: ['city', 'points'] })
    assert.deepEqual(await found(), [])
    assert.deepEqual((edge.lastRecord().body as { data: object }).data, { email: null, nothing: null })
    await post(edge, '/user', { key: 'email', value: email }, { ...server, serviceuserid: 'usr_b' })
    assert.deepEqual(await found(), ['email'])
  })

  test('store keys under the id that the call presents, and GET /data and /keys read them', async (t) => {
    const edge = await openTestEdge(t)
    const stored = await post(
      edge,
      '/data',
      { data: { email: 'jane@example.com', tier: 'gold', points: 7 } },
      as('usr_a'),
    )
    assert.deepEqual([stored.status, stored.json], [200, { result: { status: 'accepted', userId: 'usr_a' } }])
    assert.equal((await post(edge, '/user', { key: 'city', value: 'Bonn' }, as('usr_a'))).status, 200)
    const { json } = await get(edge, '/data?keys=email,phone,tier,points,none,city', as('usr_a'))
    assert.deepEqual(json, { result: { email: true, phone: false, tier: 'gold', points: 7, city: true } })
    assert.deepEqual((await get(edge, '/keys', as('usr_a'))).json, { result: ['email', 'city', 'tier', 'points'] })
  })

  test('append a whole user update to the stream, with the fields of the page', async (t) => {
    const edge = await openTestEdge(t)
    await post(edge, '/user', { key: 'tier', value: 'gold', pageUrl: 'https://example.com/a' }, as('usr_a'))
    const { context, body } = edge.lastRecord()
    assert.deepEqual([context.kind, context.userId, context.hasExplicitUserId], ['user', 'usr_a', true])
    const { eventId, ...event } = body as Record<string, unknown>
    assert.match(String(eventId), /^evt_/)
    assert.deepEqual(event, {
      eventName: 'user',
      timestamp: now,
      pageUrl: 'https://example.com/a',
      data: { tier: 'gold' },
    })
  })

  test('answer duplicate for a known eventId, and store a timestamp that is valid', async (t) => {
    const edge = await openTestEdge(t)
    const body = { data: { tier: 'gold' }, eventId: 'once', timestamp: now - 60_000 }
    assert.equal((await post(edge, '/data', body, as('usr_a'))).json.result.status, 'accepted')
    assert.equal((await post(edge, '/data', body, as('usr_a'))).json.result.status, 'duplicate')
    assert.equal((edge.lastRecord().body as { timestamp: number }).timestamp, now - 60_000)
    await post(edge, '/data', { ...body, eventId: '', timestamp: 5 }, as('usr_a'))
    const { eventId, timestamp } = edge.lastRecord().body as { eventId: string; timestamp: number }
    assert.match(eventId, /^evt_/)
    assert.equal(timestamp, now)
  })

  test('answer 200 to a call without a user id, set no cookie and store nothing', async (t) => {
    const edge = await openTestEdge(t)
    const calls = [
      ['/data', { data: { tier: 'gold' } }],
      ['/user', { key: 'tier', value: 'gold' }],
      ['/consent', { consentString: { all: true } }],
    ] as const
    for (const [call, body] of calls) {
      const { status, json, headers } = await post(edge, call, body, page)
      assert.deepEqual([status, json, headers['set-cookie']], [200, { result: { status: 'ignored' } }, undefined], call)
    }
    for (const call of ['/keys', '/data?keys=email,tier']) {
      const { status, headers } = await get(edge, call, page)
      assert.deepEqual([status, headers['set-cookie']], [200, undefined], call)
    }
    assert.equal(edge.appended.length, 0)
  })

  test('store values named package::key as captures, not as keys of the user', async (t) => {
    const edge = await openTestEdge(t)
    const data = { 'facebook::_fbp': 'fb.1.2.3', 'facebook::unknown': 'x', tier: 'gold' }
    await post(edge, '/data', { data }, as('usr_a'))
    assert.deepEqual((await get(edge, '/keys', as('usr_a'))).json.result, ['tier'])
    const profile = await edge.deps.profiles.get({ tag: { tagId, teamId }, userId: 'usr_a' })
    assert.deepEqual(profile?.captured, { _fbp: { value: 'fb.1.2.3', at: now } })
  })

  test('answer 400 to an invalid body, with the path of the issue', async (t) => {
    const edge = await openTestEdge(t)
    for (const [call, body, path] of [
      ['/user', { value: 1 }, 'key'],
      ['/user', { key: '', value: 1 }, 'key'],
      ['/user', { key: 'a' }, 'value'],
      ['/data', {}, 'data'],
      ['/data', { data: [1] }, 'data'],
      ['/data', [], ''],
      ['/consent', {}, 'consentString'],
      ['/consent', { consentString: 'all' }, 'consentString'],
    ] as const) {
      const { status, json } = await post(edge, call, body, as('usr_a'))
      assert.deepEqual([status, json.attributes?.issues[0].path], [400, path], `${call} ${JSON.stringify(body)}`)
    }
    assert.equal((await get(edge, '/data', as('usr_a'))).status, 400)
    const large = { data: { text: 'x'.repeat(70_000) } }
    assert.equal((await post(edge, '/data', large, as('usr_a'))).status, 413)
    assert.equal(edge.appended.length, 0)
  })

  test('never change a prototype, whatever the keys are', async (t) => {
    const edge = await openTestEdge(t)
    const body = '{"data":{"__proto__":{"polluted":1},"constructor":"x","toString":"y"}}'
    assert.equal((await post(edge, '/data', body, as('usr_a'))).status, 200)
    assert.equal(({} as Record<string, unknown>).polluted, undefined)
    const { json } = await get(edge, '/data?keys=__proto__,constructor,toString,hasOwnProperty', as('usr_a'))
    assert.deepEqual(json.result.constructor, 'x')
    assert.equal(Object.hasOwn(json.result, 'hasOwnProperty'), false)
  })
})

describe('a user who gave an e-mail', () => {
  const email = 'jane@example.com'
  const known = async (edge: TestEdge) => {
    await post(edge, '/data', { data: { email, tier: 'gold', firstName: 'Jane' } }, as('usr_jane'))
    const { profiles } = edge.deps
    const tag = { tagId, teamId }
    const { claimants } = await profiles.byEmail(tag, profiles.emailKey(tag, email))
    assert.deepEqual(
      claimants.map(({ userId }) => userId),
      ['usr_jane'],
    )
  }

  test('is never revealed by it to an untrusted caller: neither keys, nor values, nor the id', async (t) => {
    const edge = await openTestEdge(t)
    await known(edge)
    await post(edge, '/data', { data: { email } }, as('usr_eve'))
    const answers = [
      await get(edge, '/keys', as('usr_eve')),
      await get(edge, '/data?keys=tier,firstName,email', as('usr_eve')),
      await get(edge, '/keys?userEmail=jane@example.com', page),
      await get(edge, '/data?keys=tier,firstName,email&userEmail=jane@example.com'),
      await get(edge, '/init?userEmail=jane@example.com', page),
      await post(edge, '/tag', event({ userEmail: email })),
      await post(edge, '/consent', { consentString: { all: true }, userEmail: email }),
      await post(edge, '/user', { key: 'a', value: 1, userEmail: email }),
    ]
    for (const { status, text, headers } of answers) {
      assert.equal(status, 200)
      assert.ok(!/usr_jane|gold|Jane/.test(text + headers['set-cookie']), text)
    }
    assert.deepEqual(answers[0]?.json.result, ['email'])
    assert.deepEqual(answers[1]?.json.result, { firstName: false, email: true })
    assert.deepEqual(answers[3]?.json.result, { firstName: false, email: false })
  })

  test('is found by it only where a trusted call gave it, not where an untrusted call claimed it', async (t) => {
    const edge = await openTestEdge(t, { deps: { authenticate } })
    await known(edge)
    const read = '/data?keys=tier,email&userEmail=Jane@Example.com'
    assert.deepEqual((await get(edge, read, server)).json.result, { email: false })
    await post(edge, '/user', { key: 'email', value: email }, { ...server, serviceuserid: 'usr_jane' })
    assert.deepEqual((await get(edge, read, server)).json.result, { tier: 'gold', email: true })
    const other = await get(edge, read, { ...server, serviceuserid: 'usr_other' })
    assert.deepEqual(other.json.result, { email: false })
    assert.deepEqual((await get(edge, '/keys?userEmail=nobody@example.com', server)).json.result, [])
    await post(edge, '/data', { data: { email, tier: 'eve' } }, as('usr_eve'))
    assert.deepEqual((await get(edge, read, server)).json.result, { tier: 'gold', email: true })
  })

  test('gets a consent by it from a trusted call only, and never where an untrusted call claimed it', async (t) => {
    const edge = await openTestEdge(t, { deps: { authenticate } })
    await known(edge)
    const body = { consentString: { all: false }, userEmail: email }
    assert.deepEqual((await post(edge, '/consent', body)).json.result, { status: 'ignored' })
    assert.deepEqual((await post(edge, '/consent', { ...body, userEmail: ' ' }, server)).json.result, {
      status: 'ignored',
    })
    assert.deepEqual((await post(edge, '/consent', body, server)).json.result, { status: 'accepted' })
    assert.equal((await get(edge, '/init', as('usr_jane'))).json.consent, null)
    const { profiles } = edge.deps
    const tag = { tagId, teamId }
    const consentOf = async () => (await profiles.ownerOf(tag, profiles.emailKey(tag, email)))?.profile.consent?.consent
    assert.deepEqual(await consentOf(), { all: false })
    await post(edge, '/consent', { consentString: { all: true }, userEmail: email.toUpperCase() }, server)
    assert.deepEqual(await consentOf(), { all: true })
    const { userId } = (await profiles.ownerOf(tag, profiles.emailKey(tag, email)))!
    assert.match(userId, /^usr_[0-9a-hjkmnp-tv-z]{26}$/)
  })
})

describe('a customer id', () => {
  const unusable = ['0', 0, 'null', 'undefined', '[object Object]', 'a\0b', {}]

  test('that is a placeholder or unusable is no key, and the response says so', async (t) => {
    const edge = await openTestEdge(t, { deps: { authenticate } })
    for (const value of unusable) {
      const { status, json } = await post(edge, '/user', { key: 'customerId', value }, as('usr_a'))
      assert.deepEqual([status, json.result.warnings.length], [200, 1], JSON.stringify(value))
      const sent = await post(edge, '/tag', event({ userCustomerId: value }), as('usr_a'))
      assert.match(sent.json.result.warnings[0], /its customer id is ignored/)
      await post(edge, '/data', { data: { customerId: value } }, { ...server, serviceuserid: 'usr_a' })
    }
    assert.deepEqual((await get(edge, '/data?keys=customerId', as('usr_a'))).json.result, { customerId: false })
    const fine = await post(edge, '/user', { key: 'customerId', value: 4711 }, as('usr_a'))
    assert.deepEqual(fine.json.result, { status: 'accepted', userId: 'usr_a' })
  })

  test('of a megabyte is refused, and one of 501 characters is no key', async (t) => {
    const edge = await openTestEdge(t)
    const sent = (value: string, call: string, body: object) => post(edge, call, body, as(`usr_${value.length}`))
    for (const value of ['x'.repeat(1_000_000)]) {
      assert.equal((await sent(value, '/user', { key: 'customerId', value })).status, 413)
      assert.equal((await sent(value, '/tag', event({ userCustomerId: value }))).status, 413)
    }
    const { json } = await sent('', '/user', { key: 'customerId', value: 'x'.repeat(501) })
    assert.equal(json.result.warnings.length, 1)
    assert.equal(edge.appended.length, 1)
  })

  test('is never told, only whether it is known, and reveals nobody to an untrusted caller', async (t) => {
    const edge = await openTestEdge(t, { deps: { authenticate } })
    await post(edge, '/data', { data: { customerId: '4711', tier: 'gold' } }, { ...server, serviceuserid: 'usr_jane' })
    const own = await get(edge, '/data?keys=customerId,tier', as('usr_jane'))
    assert.deepEqual(own.json.result, { customerId: true, tier: 'gold' })
    await post(edge, '/data', { data: { customerId: '4711' } }, as('usr_eve'))
    const answers = [
      await get(edge, '/keys?userCustomerId=4711', page),
      await get(edge, '/data?keys=tier,customerId&userCustomerId=4711'),
      await get(edge, '/data?keys=tier', as('usr_eve')),
      await post(edge, '/tag', event({ userCustomerId: '4711' })),
      await post(edge, '/consent', { consentString: { all: true }, userCustomerId: '4711' }),
    ]
    for (const { status, text } of answers) {
      assert.equal(status, 200)
      assert.doesNotMatch(text, /usr_jane|gold|4711/)
    }
  })

  test('names the user to a trusted caller, who reads it and gives its consent', async (t) => {
    const edge = await openTestEdge(t, { deps: { authenticate } })
    await post(edge, '/data', { data: { customerId: '4711', tier: 'gold' } }, { ...server, serviceuserid: 'usr_jane' })
    await post(edge, '/data', { data: { customerId: '4711', tier: 'eve' } }, as('usr_eve'))
    const read = await get(edge, '/data?keys=tier,customerId&userCustomerId=4711', server)
    assert.deepEqual(read.json.result, { tier: 'gold', customerId: true })
    assert.deepEqual((await get(edge, '/keys?userCustomerId=4712', server)).json.result, [])
    const sent = await post(edge, '/tag', event({ eventId: 'by-customer', userCustomerId: '4711' }), server)
    assert.equal(sent.json.result.userId, 'usr_jane')
    const body = { consentString: { all: false }, userCustomerId: '4711' }
    assert.deepEqual((await post(edge, '/consent', body, server)).json.result, { status: 'accepted' })
    assert.deepEqual((await get(edge, '/init', as('usr_jane'))).json.consent.consent, { all: false })
    assert.equal((await get(edge, '/init', as('usr_eve'))).json.consent, null)
  })
})
