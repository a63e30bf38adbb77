import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Scope } from '#contract/scopes.ts'
import type { TrustProxy } from '#contract/settings.ts'
import { userOf } from '#event/record.ts'
import type { Stream } from '#stream/stream.ts'
import { event, now, openDoor, tagId, teamId } from './edge.fixture.ts'

const fresh = /^usr_[0-9a-hjkmnp-tv-z]{26}$/

describe('an event', () => {
  test('is answered as accepted when it is kept, byte for byte as it came, under a key of its own', async (t) => {
    const door = await openDoor(t)
    const sent = `{ "eventName":"x", "eventId":"é", "timestamp":${now}, "more":[1.50] }`
    const { status, json } = await door.ask({ body: sent, headers: { serviceuserid: 'usr_a' } })
    assert.equal(status, 200)
    assert.deepEqual(json, { result: { eventId: 'é', userId: 'usr_a', status: 'accepted' } })
    assert.deepEqual(door.kept[0]?.keys, [door.keys.team(teamId).eventKey(tagId, 'é', false)])
    assert.deepEqual(door.last().body, JSON.parse(sent))
    assert.ok(door.keys.team(teamId).openEvent(door.kept[0]!.payload, tagId).toString().endsWith(sent))
  })

  test('that comes again is a duplicate', async (t) => {
    const door = await openDoor(t)
    await door.ask({ body: event() })
    assert.equal((await door.ask({ body: event({ other: 1 }) })).json.result.status, 'duplicate')
    assert.equal((await door.ask({ body: event({ eventId: 'e-2' }) })).json.result.status, 'accepted')
  })

  test('of a trusted caller is never a repeat of an untrusted one; the later untrusted one is', async (t) => {
    const access = { tokenId: 'tok', teamId, application: 'test', scopes: new Set<Scope>(['event:write']) }
    const door = await openDoor(t, { tag: { serverToken: 'required' }, on: { authenticate: async () => access } })
    const page = { origin: 'https://example.com' }
    const shop = { authorization: 'Bearer good', 'team-id': teamId }
    const status = async (eventId: string, headers: Record<string, string>) =>
      (await door.ask({ body: event({ eventId }), headers })).json.result.status
    assert.equal(await status('order-2', page), 'accepted')
    assert.equal(await status('order-2', shop), 'accepted')
    assert.deepEqual([await status('order-2', shop), await status('order-2', page)], ['duplicate', 'duplicate'])
    assert.equal(await status('order-3', shop), 'accepted')
    assert.equal(await status('order-3', page), 'duplicate')
  })

  test('is answered only when the stream has it on disk', async (t) => {
    const { promise, resolve } = Promise.withResolvers<readonly boolean[]>()
    const asked = Promise.withResolvers<void>()
    const stream = {
      append: () => {
        asked.resolve()
        return promise
      },
    } as unknown as Stream
    const door = await openDoor(t, { on: { stream } })
    let isAnswered = false
    const answer = door.ask({ body: event() }).then((got) => {
      isAnswered = true
      return got
    })
    await asked.promise
    await new Promise(setImmediate)
    assert.equal(isAnswered, false)
    resolve([true])
    assert.equal((await answer).json.result.status, 'accepted')
  })

  test('that cannot be kept is 503 with Retry-After, and the log says so without saying what was in it', async (t) => {
    const stream = { append: async () => Promise.reject(new Error('disk full')) } as unknown as Stream
    const door = await openDoor(t, { on: { stream } })
    const { status, headers, json } = await door.ask({ body: event({ userEmail: 'jane@example.com' }) })
    assert.deepEqual([status, json.error, headers['retry-after']], [503, 'OVERLOADED', '5'])
    assert.equal(door.lines.length, 1)
    assert.equal(door.lines[0]?.level, 'error')
    assert.ok(!JSON.stringify(door.lines).includes('jane'))
  })

  test('that is refused is 400 with the issues, and nothing of it is kept', async (t) => {
    const door = await openDoor(t)
    const { status, json } = await door.ask({ body: event({ timestamp: now + 3_600_000 }) })
    assert.equal(status, 400)
    assert.deepEqual([json.statusCode, json.error], [400, 'BAD_REQUEST'])
    assert.deepEqual(json.attributes.issues, [{ path: 'timestamp', message: 'lies more than 10 minutes ahead' }])
    assert.equal(door.kept.length, 0)
  })

  test('that selects a provider nobody knows is accepted with a warning', async (t) => {
    const door = await openDoor(t)
    const { json } = await door.ask({ body: event({ providers: { all: true, facebok: true } }) })
    assert.equal(json.result.status, 'accepted')
    assert.deepEqual(json.result.warnings, ['providers names "facebok", which is no provider'])
  })

  test('may come packed by gzip, and is kept unpacked', async (t) => {
    const door = await openDoor(t)
    const body = gzipSync(JSON.stringify(event({ pageTitle: 'shoes' })))
    const { status } = await door.ask({ body, headers: { 'content-encoding': 'gzip' } })
    assert.equal(status, 200)
    assert.deepEqual(door.last().body, event({ pageTitle: 'shoes' }))
  })
})

describe('an array of events', () => {
  test('is answered by 200 and one entry each, the refused ones with a message', async (t) => {
    const door = await openDoor(t)
    const body = [event(), event({ eventId: 'old', timestamp: 0 }), event({ eventId: 'e-2' }), 7, event()]
    const { status, json } = await door.ask({ body, headers: { serviceuserid: 'usr_a' } })
    assert.equal(status, 200)
    assert.deepEqual(json.result, [
      { eventId: 'e-1', userId: 'usr_a', status: 'accepted' },
      { eventId: 'old', userId: 'usr_a', status: 'rejected', message: 'timestamp lies more than 7 days back' },
      { eventId: 'e-2', userId: 'usr_a', status: 'accepted' },
      { eventId: '', userId: 'usr_a', status: 'rejected', message: 'the event must be object' },
      { eventId: 'e-1', userId: 'usr_a', status: 'duplicate' },
    ])
  })

  test('keeps nothing of the events that were refused, and a key for each that was not', async (t) => {
    const door = await openDoor(t)
    await door.ask({ body: [event({ timestamp: 0, userEmail: 'jane@example.com' }), event({ eventId: 'e-2' })] })
    assert.deepEqual(door.last().body, [event({ eventId: 'e-2' })])
    assert.deepEqual(door.kept[0]?.keys, [door.keys.team(teamId).eventKey(tagId, 'e-2', false)])
  })

  test('in which every event is refused is 400 with the results and the place of each issue, and nothing is kept', async (t) => {
    const door = await openDoor(t)
    const { status, json, headers } = await door.ask({ body: [event({ timestamp: 0 }), 7] })
    assert.deepEqual([status, json.statusCode, json.error], [400, 400, 'BAD_REQUEST'])
    assert.deepEqual(
      json.result.map((each: { eventId: string; status: string; message: string }) => [
        each.eventId,
        each.status,
        each.message,
      ]),
      [
        ['e-1', 'rejected', 'timestamp lies more than 7 days back'],
        ['', 'rejected', 'the event must be object'],
      ],
    )
    assert.deepEqual(json.attributes.issues, [
      { path: '0.timestamp', message: 'lies more than 7 days back' },
      { path: '1', message: 'must be object' },
    ])
    assert.deepEqual([door.kept.length, headers['set-cookie']], [0, undefined])
    assert.equal(door.counts.get('aglet_events_total{production,rejected}'), 2)
  })

  test('that holds one good event, or one that is a repeat, is 200', async (t) => {
    const door = await openDoor(t)
    for (const body of [[{}, event()], [event()]]) assert.equal((await door.ask({ body })).status, 200)
  })

  test('of a server that names nobody makes a user of each event, and the record knows whose each is', async (t) => {
    const door = await openDoor(t)
    const body = ['e-1', 'e-2', 'e-3'].map((eventId, at) => event({ eventId, timestamp: at === 1 ? 0 : now }))
    const { json, headers } = await door.ask({ body })
    const ids = json.result.map(({ userId }: { userId: string }) => userId)
    assert.equal(new Set(ids).size, 3)
    const { context } = door.last()
    assert.deepEqual([userOf(context, 0), userOf(context, 1)], [ids[0], ids[2]])
    assert.equal(headers['set-cookie'], undefined)
  })

  test('of a browser is of one person', async (t) => {
    const door = await openDoor(t)
    const body = [event(), event({ eventId: 'e-2' })]
    const { json } = await door.ask({ body, headers: { origin: 'https://example.com' } })
    assert.match(json.result[0].userId, fresh)
    assert.equal(json.result[1].userId, json.result[0].userId)
    assert.equal(userOf(door.last().context, 1), json.result[0].userId)
  })
})

describe('who the user is', () => {
  test('the answer, the cookie and the record carry the id that was presented', async (t) => {
    const door = await openDoor(t)
    for (const asked of [
      { headers: { serviceuserid: 'usr_1', cookie: 'tag_user_id=usr_2', origin: 'https://example.com' } },
      { headers: { cookie: 'a=b; tag_user_id=usr_1' }, path: `/t/${tagId}/tag?userId=usr_3` },
      { path: `/t/${tagId}/tag?userId=usr_1`, headers: { origin: 'https://example.com' } },
    ]) {
      const { json, headers } = await door.ask({ body: event(), ...asked })
      assert.equal(json.result.userId, 'usr_1')
      assert.match(`${headers['set-cookie']}`, /^tag_user_id=usr_1; /)
      assert.deepEqual([door.last().context.userId, door.last().context.presented], ['usr_1', true])
    }
  })

  test('nobody named gives a fresh id, in the answer, the cookie and the record', async (t) => {
    const door = await openDoor(t)
    const { json, headers } = await door.ask({ body: event(), headers: { serviceuserid: '' } })
    assert.match(json.result.userId, fresh)
    assert.match(`${headers['set-cookie']}`, new RegExp(`^tag_user_id=${json.result.userId}; `))
    assert.deepEqual([door.last().context.userId, door.last().context.presented], [json.result.userId, false])
  })

  test('a server that says who the user is gets no cookie', async (t) => {
    const door = await openDoor(t)
    const { headers } = await door.ask({ body: event(), headers: { serviceuserid: 'usr_1' } })
    assert.equal(headers['set-cookie'], undefined)
  })

  test('the header is named by the brand', async (t) => {
    const door = await openDoor(t, { on: { brand: 'AcmeTags' } })
    const { json } = await door.ask({ body: event(), headers: { AcmeTagsUserId: 'usr_1', ServiceUserId: 'usr_2' } })
    assert.equal(json.result.userId, 'usr_1')
  })

  test('the cookie is of the domain of the tag under its hosts, else of the tag URL', async (t) => {
    const door = await openDoor(t)
    const own = await door.ask({ body: event(), headers: { host: 'd.example.com' } })
    assert.match(`${own.headers['set-cookie']}`, /; Domain=example\.com; Path=\/; .*; SameSite=Lax; Secure$/)
    const other = await door.ask({ body: event(), headers: { host: 'tags.aglet.test' } })
    const path = new RegExp(`; Path=/t/${tagId}; .*; SameSite=None; Secure; Partitioned$`)
    assert.match(`${other.headers['set-cookie']}`, path)
  })

  test('the e-mail of an event never tells who it is of', async (t) => {
    const door = await openDoor(t)
    const [first, second] = [
      await door.ask({ body: event({ userEmail: 'jane@example.com' }), headers: { serviceuserid: 'usr_jane' } }),
      await door.ask({ body: event({ eventId: 'e-2', userEmail: 'jane@example.com' }) }),
    ]
    assert.equal(first.json.result.userId, 'usr_jane')
    assert.match(second.json.result.userId, fresh)
  })
})

test('the record holds what the worker decides from: when, from where, by what, and GPC', async (t) => {
  const door = await openDoor(t)
  const headers = {
    origin: 'https://shop.example.com',
    'user-agent': 'Browser/1',
    'sec-gpc': '1',
    serviceuserid: 'usr_1',
  }
  await door.ask({ body: event(), headers })
  assert.deepEqual(door.last().context, {
    tagId,
    teamId,
    userId: 'usr_1',
    presented: true,
    trusted: false,
    receivedAt: now,
    ip: '127.0.0.1',
    userAgent: 'Browser/1',
    origin: 'https://shop.example.com',
    gpc: true,
  })
  await door.ask({ body: event({ eventId: 'e-2' }), headers: { 'sec-gpc': '0' } })
  const { gpc, origin, userAgent } = door.last().context
  assert.deepEqual([gpc, origin, userAgent], [undefined, undefined, undefined])
})

test('the record holds the place that a CDN tells, where the operator trusts this CDN at the other end', async (t) => {
  const headers = { origin: 'https://shop.example.com', 'cf-ipcountry': 'DE', 'cf-region-code': 'BY' }
  const placeBehind = async (trustProxy: TrustProxy) => {
    const door = await openDoor(t, { on: { trustProxy } })
    await door.ask({ body: event(), headers })
    return door.last().context.place
  }
  const here = ['127.0.0.0/8']
  assert.deepEqual(await placeBehind({ ranges: here, cdn: 'cloudflare' }), { country: 'DE', region: 'DE-BY' })
  assert.equal(await placeBehind({ ranges: here }), undefined)
  assert.equal(await placeBehind({ ranges: here, cdn: 'cloudfront' }), undefined)
  assert.equal(await placeBehind({ ranges: ['10.0.0.0/8'], cdn: 'cloudflare' }), undefined)
})

test('events are counted by what became of them, and refused requests by their code', async (t) => {
  const door = await openDoor(t)
  await door.ask({ body: [event(), event(), {}] })
  await door.ask({ body: {} })
  await door.ask({ body: '{' })
  assert.deepEqual(
    [...door.counts],
    [
      ['aglet_events_total{production,accepted}', 1],
      ['aglet_events_total{production,duplicate}', 1],
      ['aglet_events_total{production,rejected}', 1],
      ['aglet_edge_refused_total{production,BAD_REQUEST}', 1],
      ['aglet_edge_refused_total{production,JSON_BROKEN}', 1],
    ],
  )
})
