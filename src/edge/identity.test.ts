import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Access } from '#account/access.ts'
import type { Scope } from '#contract/scopes.ts'
import { event, now, openDoor, tagId, teamId } from './edge.fixture.ts'

const server = { authorization: 'Bearer good', 'team-id': teamId }
const authenticate = async (): Promise<Access> => ({
  tokenId: 'tok',
  teamId,
  application: 'test',
  scopes: new Set<Scope>(['event:write']),
})
const page = { origin: 'https://example.com' }
const as = (userId: string) => ({ ...page, serviceuserid: userId })
const at = (call: string) => `/t/${tagId}${call}`

type Door = Awaited<ReturnType<typeof openDoor>>
const post = (door: Door, call: string, body: unknown, headers: Record<string, string> = {}) =>
  door.ask({ path: at(call), body, headers })
const get = (door: Door, call: string, headers: Record<string, string> = {}) =>
  door.ask({ method: 'GET', path: at(call), headers })

describe('POST /data and /user', () => {
  test('null forgets a key, and by a forgotten e-mail nobody is found', async (t) => {
    const door = await openDoor(t, { on: { authenticate } })
    const email = 'jane@example.com'
    await post(
      door,
      '/data',
      { data: { email, city: 'Bonn', tier: 'gold', points: 7 } },
      { ...server, serviceuserid: 'usr_a' },
    )
    const found = async () => (await get(door, `/keys?userEmail=${email}`, server)).json.result
    assert.deepEqual(await found(), ['email', 'city', 'tier', 'points'])
    assert.equal((await post(door, '/user', { key: 'tier', value: null }, as('usr_a'))).status, 200)
    await post(door, '/data', { data: { email: null, nothing: null } }, as('usr_a'))
    assert.deepEqual((await get(door, '/keys', as('usr_a'))).json, { result: ['city', 'points'] })
    assert.deepEqual(await found(), [])
    assert.deepEqual((door.last().body as { data: object }).data, { email: null, nothing: null })
    await post(door, '/user', { key: 'email', value: email }, { ...server, serviceuserid: 'usr_b' })
    assert.deepEqual(await found(), ['email'])
  })

  test('store keys under the id that the call presents, and GET /data and /keys read them', async (t) => {
    const door = await openDoor(t)
    const stored = await post(
      door,
      '/data',
      { data: { email: 'jane@example.com', tier: 'gold', points: 7 } },
      as('usr_a'),
    )
    assert.deepEqual([stored.status, stored.json], [200, { result: { status: 'accepted', userId: 'usr_a' } }])
    assert.equal((await post(door, '/user', { key: 'city', value: 'Bonn' }, as('usr_a'))).status, 200)
    const { json } = await get(door, '/data?keys=email,phone,tier,points,none,city', as('usr_a'))
    assert.deepEqual(json, { result: { email: true, phone: false, tier: 'gold', points: 7, city: true } })
    assert.deepEqual((await get(door, '/keys', as('usr_a'))).json, { result: ['email', 'city', 'tier', 'points'] })
  })

  test('go into the stream as what became known of a person, whole, with the page around it', async (t) => {
    const door = await openDoor(t)
    await post(door, '/user', { key: 'tier', value: 'gold', pageUrl: 'https://example.com/a' }, as('usr_a'))
    const { context, body } = door.last()
    assert.deepEqual([context.kind, context.userId, context.presented], ['user', 'usr_a', true])
    const { eventId, ...event } = body as Record<string, unknown>
    assert.match(String(eventId), /^evt_/)
    assert.deepEqual(event, {
      eventName: 'user',
      timestamp: now,
      pageUrl: 'https://example.com/a',
      data: { tier: 'gold' },
    })
  })

  test('that come again by their eventId are duplicates, and a time that can be is kept', async (t) => {
    const door = await openDoor(t)
    const body = { data: { tier: 'gold' }, eventId: 'once', timestamp: now - 60_000 }
    assert.equal((await post(door, '/data', body, as('usr_a'))).json.result.status, 'accepted')
    assert.equal((await post(door, '/data', body, as('usr_a'))).json.result.status, 'duplicate')
    assert.equal((door.last().body as { timestamp: number }).timestamp, now - 60_000)
    await post(door, '/data', { ...body, eventId: '', timestamp: 5 }, as('usr_a'))
    const { eventId, timestamp } = door.last().body as { eventId: string; timestamp: number }
    assert.match(eventId, /^evt_/)
    assert.equal(timestamp, now)
  })

  test('without identity answer 200, set nothing and keep nothing', async (t) => {
    const door = await openDoor(t)
    const calls = [
      ['/data', { data: { tier: 'gold' } }],
      ['/user', { key: 'tier', value: 'gold' }],
      ['/consent', { consentString: { all: true } }],
    ] as const
    for (const [call, body] of calls) {
      const { status, json, headers } = await post(door, call, body, page)
      assert.deepEqual([status, json, headers['set-cookie']], [200, { result: { status: 'ignored' } }, undefined], call)
    }
    for (const call of ['/keys', '/data?keys=email,tier']) {
      const { status, headers } = await get(door, call, page)
      assert.deepEqual([status, headers['set-cookie']], [200, undefined], call)
    }
    assert.equal(door.kept.length, 0)
  })

  test('take captured values by package::key: they are captures, and no key of the person', async (t) => {
    const door = await openDoor(t)
    const data = { 'facebook::_fbp': 'fb.1.2.3', 'facebook::unknown': 'x', tier: 'gold' }
    await post(door, '/data', { data }, as('usr_a'))
    assert.deepEqual((await get(door, '/keys', as('usr_a'))).json.result, ['tier'])
    const profile = await door.world.people.get({ tag: { tagId, teamId }, userId: 'usr_a' })
    assert.deepEqual(profile?.captured, { _fbp: { value: 'fb.1.2.3', at: now } })
  })

  test('that are not as they should be are 400 with the place', async (t) => {
    const door = await openDoor(t)
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
      const { status, json } = await post(door, call, body, as('usr_a'))
      assert.deepEqual([status, json.attributes?.issues[0].path], [400, path], `${call} ${JSON.stringify(body)}`)
    }
    assert.equal((await get(door, '/data', as('usr_a'))).status, 400)
    const large = { data: { text: 'x'.repeat(70_000) } }
    assert.equal((await post(door, '/data', large, as('usr_a'))).status, 413)
    assert.equal(door.kept.length, 0)
  })

  test('whatever the keys are called, none reaches a prototype', async (t) => {
    const door = await openDoor(t)
    const body = '{"data":{"__proto__":{"polluted":1},"constructor":"x","toString":"y"}}'
    assert.equal((await post(door, '/data', body, as('usr_a'))).status, 200)
    assert.equal(({} as Record<string, unknown>).polluted, undefined)
    const { json } = await get(door, '/data?keys=__proto__,constructor,toString,hasOwnProperty', as('usr_a'))
    assert.deepEqual(json.result.constructor, 'x')
    assert.equal(Object.hasOwn(json.result, 'hasOwnProperty'), false)
  })
})

describe('who gave an e-mail', () => {
  const email = 'jane@example.com'
  const known = async (door: Door) => {
    await post(door, '/data', { data: { email, tier: 'gold', firstName: 'Jane' } }, as('usr_jane'))
    const { people } = door.world
    const tag = { tagId, teamId }
    const { claimants } = await people.byEmail(tag, people.emailKey(tag, email))
    assert.deepEqual(
      claimants.map(({ userId }) => userId),
      ['usr_jane'],
    )
  }

  test('is never revealed by it to a caller that is not trusted: neither keys, nor values, nor the id', async (t) => {
    const door = await openDoor(t)
    await known(door)
    await post(door, '/data', { data: { email } }, as('usr_eve'))
    const answers = [
      await get(door, '/keys', as('usr_eve')),
      await get(door, '/data?keys=tier,firstName,email', as('usr_eve')),
      await get(door, '/keys?userEmail=jane@example.com', page),
      await get(door, '/data?keys=tier,firstName,email&userEmail=jane@example.com'),
      await get(door, '/init?userEmail=jane@example.com', page),
      await post(door, '/tag', event({ userEmail: email })),
      await post(door, '/consent', { consentString: { all: true }, userEmail: email }),
      await post(door, '/user', { key: 'a', value: 1, userEmail: email }),
    ]
    for (const { status, text, headers } of answers) {
      assert.equal(status, 200)
      assert.ok(!/usr_jane|gold|Jane/.test(text + headers['set-cookie']), text)
    }
    assert.deepEqual(answers[0]?.json.result, ['email'])
    assert.deepEqual(answers[1]?.json.result, { firstName: false, email: true })
    assert.deepEqual(answers[3]?.json.result, { firstName: false, email: false })
  })

  test('in an untrusted call is not read by it: a claim is nobody; whom a trusted call gave it for is', async (t) => {
    const door = await openDoor(t, { on: { authenticate } })
    await known(door)
    const read = '/data?keys=tier,email&userEmail=Jane@Example.com'
    assert.deepEqual((await get(door, read, server)).json.result, { email: false })
    await post(door, '/user', { key: 'email', value: email }, { ...server, serviceuserid: 'usr_jane' })
    assert.deepEqual((await get(door, read, server)).json.result, { tier: 'gold', email: true })
    const other = await get(door, read, { ...server, serviceuserid: 'usr_other' })
    assert.deepEqual(other.json.result, { email: false })
    assert.deepEqual((await get(door, '/keys?userEmail=nobody@example.com', server)).json.result, [])
    await post(door, '/data', { data: { email, tier: 'eve' } }, as('usr_eve'))
    assert.deepEqual((await get(door, read, server)).json.result, { tier: 'gold', email: true })
  })

  test('agrees to something by a trusted call, and by no other; who only claims it is not spoken for', async (t) => {
    const door = await openDoor(t, { on: { authenticate } })
    await known(door)
    const body = { consentString: { all: false }, userEmail: email }
    assert.deepEqual((await post(door, '/consent', body)).json.result, { status: 'ignored' })
    assert.deepEqual((await post(door, '/consent', { ...body, userEmail: ' ' }, server)).json.result, {
      status: 'ignored',
    })
    assert.deepEqual((await post(door, '/consent', body, server)).json.result, { status: 'accepted' })
    assert.equal((await get(door, '/init', as('usr_jane'))).json.consent, null)
    const { people } = door.world
    const tag = { tagId, teamId }
    const consentOf = async () => (await people.ownerOf(tag, people.emailKey(tag, email)))?.profile.consent?.consent
    assert.deepEqual(await consentOf(), { all: false })
    await post(door, '/consent', { consentString: { all: true }, userEmail: email.toUpperCase() }, server)
    assert.deepEqual(await consentOf(), { all: true })
    const { userId } = (await people.ownerOf(tag, people.emailKey(tag, email)))!
    assert.match(userId, /^usr_[0-9a-hjkmnp-tv-z]{26}$/)
  })
})
