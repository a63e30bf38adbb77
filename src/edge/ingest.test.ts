import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { Scope } from '#contract/scopes.ts'
import { userIdAt } from '#event/record.ts'
import { CommitUnknown, DatabaseAway, DatabaseError, DatabaseReadOnly } from '#postgres/databaseError.ts'
import { createSnapshots } from '#script/snapshot.ts'
import type { TrustProxy } from '#settings/trustProxy.ts'
import type { Stream } from '#stream/stream.ts'
import { createServedHosts } from '#tag/servedHosts.ts'
import { event, now, openTestEdge, snapshot, tagId, teamId } from './edge.fixture.ts'

const newUserId = /^usr_[0-9a-hjkmnp-tv-z]{26}$/

describe('an event', () => {
  test('is accepted and stored byte for byte as it arrived, with its deduplication key', async (t) => {
    const edge = await openTestEdge(t)
    const sent = `{ "eventName":"x", "eventId":"é", "timestamp":${now}, "data":{"more":[1.50]} }`
    const { status, json } = await edge.ask({ body: sent, headers: { serviceuserid: 'usr_a' } })
    assert.equal(status, 200)
    assert.deepEqual(json, { result: { eventId: 'é', userId: 'usr_a', status: 'accepted' } })
    assert.deepEqual(edge.appended[0]?.keys, [edge.keys.team(teamId).eventKey(tagId, 'é', false)])
    assert.deepEqual(edge.lastRecord().body, JSON.parse(sent))
    assert.ok(edge.keys.team(teamId).openEvent(edge.appended[0]!.payload, tagId).toString().endsWith(sent))
  })

  test('is stored as it arrived in a body of any length, also beside others', async (t) => {
    const edge = await openTestEdge(t)
    const bodies = [1, 9, 20, 90].map((events) =>
      Array.from({ length: events }, (_, n) => event({ eventId: `${events}-${n}`, data: { text: 'a'.repeat(4_000) } })),
    )
    const statuses = await Promise.all(bodies.map(async (body) => (await edge.ask({ body })).status))
    assert.deepEqual(statuses, [200, 200, 200, 200])
    const stored = edge.records().map(({ body }) => body)
    for (const body of bodies) assert.ok(stored.some((each) => isDeepStrictEqual(each, body)))
  })

  test('that comes again is a duplicate', async (t) => {
    const edge = await openTestEdge(t)
    await edge.ask({ body: event() })
    assert.equal((await edge.ask({ body: event({ other: 1 }) })).json.result.status, 'duplicate')
    assert.equal((await edge.ask({ body: event({ eventId: 'e-2' }) })).json.result.status, 'accepted')
  })

  test('of a trusted caller is never a duplicate of an untrusted one, but the reverse is', async (t) => {
    const access = { by: 'tok', teamId, application: 'test', scopes: new Set<Scope>(['event:write']) }
    const edge = await openTestEdge(t, { tag: { serverToken: 'required' }, deps: { authenticate: async () => access } })
    const page = { origin: 'https://example.com' }
    const shop = { authorization: 'Bearer good', 'team-id': teamId }
    const status = async (eventId: string, headers: Record<string, string>) =>
      (await edge.ask({ body: event({ eventId }), headers })).json.result.status
    assert.equal(await status('order-2', page), 'accepted')
    assert.equal(await status('order-2', shop), 'accepted')
    assert.deepEqual([await status('order-2', shop), await status('order-2', page)], ['duplicate', 'duplicate'])
    assert.equal(await status('order-3', shop), 'accepted')
    assert.equal(await status('order-3', page), 'duplicate')
  })

  test('is answered only when it is durable in the stream', async (t) => {
    const { promise, resolve } = Promise.withResolvers<readonly boolean[]>()
    const appendCalled = Promise.withResolvers<void>()
    const stream = {
      append: () => {
        appendCalled.resolve()
        return promise
      },
    } as unknown as Stream
    const edge = await openTestEdge(t, { deps: { stream } })
    let isAnswered = false
    const answer = edge.ask({ body: event() }).then((got) => {
      isAnswered = true
      return got
    })
    await appendCalled.promise
    await new Promise(setImmediate)
    assert.equal(isAnswered, false)
    resolve([true])
    assert.equal((await answer).json.result.status, 'accepted')
  })

  test('that cannot be appended is 503 with Retry-After, and the log line does not hold its content', async (t) => {
    const stream = { append: async () => Promise.reject(new Error('disk full')) } as unknown as Stream
    const edge = await openTestEdge(t, { deps: { stream } })
    const { status, headers, json } = await edge.ask({ body: event({ userEmail: 'jane@example.com' }) })
    assert.deepEqual([status, json.error, headers['retry-after']], [503, 'OVERLOADED', '5'])
    assert.equal(edge.lines.length, 1)
    assert.equal(edge.lines[0]?.level, 'error')
    assert.ok(!JSON.stringify(edge.lines).includes('jane'))
  })

  const databaseErrors: [Error, string, retryAfter: string][] = [
    [new DatabaseAway('no primary responds'), 'DATABASE_AWAY', '5'],
    [new DatabaseReadOnly('could not extend file: No space left on device'), 'DATABASE_READ_ONLY', '10'],
    [new CommitUnknown('the response to a commit was lost'), 'COMMIT_UNKNOWN', '5'],
    [new DatabaseError('canceling statement due to lock timeout', { code: '55P03' }), 'OVERLOADED', '1'],
  ]
  for (const [error, code, retryAfter] of databaseErrors)
    test(`that the database does not store (${error.message}) is 503 ${code}`, async (t) => {
      const stream = { append: async () => Promise.reject(error) } as unknown as Stream
      const edge = await openTestEdge(t, { deps: { stream } })
      const { status, headers, json } = await edge.ask({ body: event() })
      assert.deepEqual([status, json.error, headers['retry-after']], [503, code, retryAfter])
      assert.match(String(edge.lines[0]?.message), new RegExp(`${code}$`))
    })

  test('of a caller whose token cannot be looked up is 503 DATABASE_AWAY', async (t) => {
    const authenticate = () => Promise.reject(new DatabaseAway('no primary responds'))
    const edge = await openTestEdge(t, { deps: { authenticate } })
    const { status, json } = await edge.ask({
      body: event(),
      headers: { authorization: 'Bearer x', 'team-id': teamId },
    })
    assert.deepEqual([status, json.error], [503, 'DATABASE_AWAY'])
    assert.equal(edge.appended.length, 0)
  })

  test('that is invalid is 400 with its issues, and is not stored', async (t) => {
    const edge = await openTestEdge(t)
    const { status, json } = await edge.ask({ body: event({ timestamp: now + 3_600_000 }) })
    assert.equal(status, 400)
    assert.deepEqual([json.statusCode, json.error], [400, 'BAD_REQUEST'])
    assert.deepEqual(json.attributes.issues, [{ path: 'timestamp', message: 'is more than 10 minutes in the future' }])
    assert.equal(edge.appended.length, 0)
  })

  test('that selects an unknown provider is accepted with a warning', async (t) => {
    const edge = await openTestEdge(t)
    const { json } = await edge.ask({ body: event({ providers: { all: true, facebok: true } }) })
    assert.equal(json.result.status, 'accepted')
    assert.deepEqual(json.result.warnings, ['providers names "facebok", which is not a provider'])
  })

  test('is refused in other codings than gzip, and when it is larger uncompressed than a body may be', async (t) => {
    const edge = await openTestEdge(t)
    const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 1 })
    const text = JSON.stringify(event())
    const codings = { zstd: zstdCompressSync(text), br: brotliCompressSync(text), deflate: deflateSync(text) }
    for (const [coding, body] of Object.entries(codings))
      assert.equal((await edge.ask({ body, headers: { 'content-encoding': coding } })).status, 415, coding)
    for (const coding of ['gzip, zstd', 'gzip, gzip', 'zstd, gzip'])
      assert.equal(
        (await edge.ask({ body: gzipSync(text), headers: { 'content-encoding': coding } })).status,
        415,
        coding,
      )
    assert.equal((await edge.ask({ body: zeros, headers: { 'content-encoding': 'gzip' } })).status, 413)
    assert.deepEqual(edge.appended, [])
  })

  test('may be compressed by gzip, and is stored uncompressed', async (t) => {
    const edge = await openTestEdge(t)
    const body = gzipSync(JSON.stringify(event({ pageTitle: 'shoes' })))
    const { status } = await edge.ask({ body, headers: { 'content-encoding': 'gzip' } })
    assert.equal(status, 200)
    assert.deepEqual(edge.lastRecord().body, event({ pageTitle: 'shoes' }))
  })
})

describe('an array of events', () => {
  test('is 200 with one result for each event, and a message for each rejected event', async (t) => {
    const edge = await openTestEdge(t)
    const body = [event(), event({ eventId: 'old', timestamp: 0 }), event({ eventId: 'e-2' }), 7, event()]
    const { status, json } = await edge.ask({ body, headers: { serviceuserid: 'usr_a' } })
    assert.equal(status, 200)
    assert.deepEqual(json.result, [
      { eventId: 'e-1', userId: 'usr_a', status: 'accepted' },
      { eventId: 'old', userId: 'usr_a', status: 'rejected', message: 'timestamp is more than 7 days in the past' },
      { eventId: 'e-2', userId: 'usr_a', status: 'accepted' },
      { eventId: '', userId: 'usr_a', status: 'rejected', message: 'the event must be object' },
      { eventId: 'e-1', userId: 'usr_a', status: 'duplicate' },
    ])
  })

  test('stores only the accepted events, with a key for each', async (t) => {
    const edge = await openTestEdge(t)
    await edge.ask({ body: [event({ timestamp: 0, userEmail: 'jane@example.com' }), event({ eventId: 'e-2' })] })
    assert.deepEqual(edge.lastRecord().body, [event({ eventId: 'e-2' })])
    assert.deepEqual(edge.appended[0]?.keys, [edge.keys.team(teamId).eventKey(tagId, 'e-2', false)])
  })

  test('in which every event is rejected is 400 with the results and the path of each issue, and nothing is stored', async (t) => {
    const edge = await openTestEdge(t)
    const { status, json, headers } = await edge.ask({ body: [event({ timestamp: 0 }), 7] })
    assert.deepEqual([status, json.statusCode, json.error], [400, 400, 'BAD_REQUEST'])
    assert.deepEqual(
      json.result.map((each: { eventId: string; status: string; message: string }) => [
        each.eventId,
        each.status,
        each.message,
      ]),
      [
        ['e-1', 'rejected', 'timestamp is more than 7 days in the past'],
        ['', 'rejected', 'the event must be object'],
      ],
    )
    assert.deepEqual(json.attributes.issues, [
      { path: '0.timestamp', message: 'is more than 7 days in the past' },
      { path: '1', message: 'must be object' },
    ])
    assert.deepEqual([edge.appended.length, headers['set-cookie']], [0, undefined])
    assert.equal(edge.counts.get('aglet_events_total{production,rejected}'), 2)
  })

  test('that holds one valid event, or one duplicate, is 200', async (t) => {
    const edge = await openTestEdge(t)
    for (const body of [[{}, event()], [event()]]) assert.equal((await edge.ask({ body })).status, 200)
  })

  test('of a server without user ids gets a new user for each event, and the record holds the user of each', async (t) => {
    const edge = await openTestEdge(t)
    const body = ['e-1', 'e-2', 'e-3'].map((eventId, at) => event({ eventId, timestamp: at === 1 ? 0 : now }))
    const { json, headers } = await edge.ask({ body })
    const ids = json.result.map(({ userId }: { userId: string }) => userId)
    assert.equal(new Set(ids).size, 3)
    const { context } = edge.lastRecord()
    assert.deepEqual([userIdAt(context, 0), userIdAt(context, 1)], [ids[0], ids[2]])
    assert.equal(headers['set-cookie'], undefined)
  })

  test('of a browser is of one person', async (t) => {
    const edge = await openTestEdge(t)
    const body = [event(), event({ eventId: 'e-2' })]
    const { json } = await edge.ask({ body, headers: { origin: 'https://example.com' } })
    assert.match(json.result[0].userId, newUserId)
    assert.equal(json.result[1].userId, json.result[0].userId)
    assert.equal(userIdAt(edge.lastRecord().context, 1), json.result[0].userId)
  })
})

describe('the user of an event', () => {
  test('has the id that the request sent, in the answer, the cookie and the record', async (t) => {
    const edge = await openTestEdge(t)
    for (const call of [
      { headers: { serviceuserid: 'usr_1', cookie: 'tag_user_id=usr_2', origin: 'https://example.com' } },
      { headers: { cookie: 'a=b; tag_user_id=usr_1' }, path: `/t/${tagId}/tag?userId=usr_3` },
      { path: `/t/${tagId}/tag?userId=usr_1`, headers: { origin: 'https://example.com' } },
    ]) {
      const { json, headers } = await edge.ask({ body: event(), ...call })
      assert.equal(json.result.userId, 'usr_1')
      assert.match(`${headers['set-cookie']}`, /^tag_user_id=usr_1; /)
      assert.deepEqual([edge.lastRecord().context.userId, edge.lastRecord().context.hasExplicitUserId], ['usr_1', true])
    }
  })

  test('has a new id where the request sent none, in the answer, the cookie and the record', async (t) => {
    const edge = await openTestEdge(t)
    const { json, headers } = await edge.ask({ body: event(), headers: { serviceuserid: '' } })
    assert.match(json.result.userId, newUserId)
    assert.match(`${headers['set-cookie']}`, new RegExp(`^tag_user_id=${json.result.userId}; `))
    assert.deepEqual(
      [edge.lastRecord().context.userId, edge.lastRecord().context.hasExplicitUserId],
      [json.result.userId, false],
    )
  })

  test('gets no cookie where a server sends the user id', async (t) => {
    const edge = await openTestEdge(t)
    const { headers } = await edge.ask({ body: event(), headers: { serviceuserid: 'usr_1' } })
    assert.equal(headers['set-cookie'], undefined)
  })

  test('is read from a header that is named after the brand', async (t) => {
    const edge = await openTestEdge(t, { deps: { brand: 'AcmeTags' } })
    const { json } = await edge.ask({ body: event(), headers: { AcmeTagsUserId: 'usr_1', ServiceUserId: 'usr_2' } })
    assert.equal(json.result.userId, 'usr_1')
  })

  test('gets a cookie of the tag’s domain on hosts that the tag has proved, else of the path of the tag URL', async (t) => {
    const claim = { host: 'd.example.com', tagId, claimedAt: 0, provedSince: 0, provedAt: 0 }
    const edge = await openTestEdge(t, {
      deps: { snapshots: createSnapshots([snapshot({ hosts: [claim.host] })], createServedHosts([claim])) },
    })
    const own = await edge.ask({ body: event(), path: '/tag', headers: { host: claim.host } })
    assert.match(`${own.headers['set-cookie']}`, /; Domain=example\.com; Path=\/; .*; SameSite=Lax; Secure$/)
    const path = new RegExp(`; Path=/t/${tagId}; .*; SameSite=None; Secure; Partitioned$`)
    for (const host of ['tags.aglet.test', 'example.com', 'e.example.com']) {
      const other = await edge.ask({ body: event(), headers: { host } })
      assert.match(`${other.headers['set-cookie']}`, path, host)
      assert.doesNotMatch(`${other.headers['set-cookie']}`, /Domain=/, host)
    }
  })

  test('is never derived from the e-mail of the event', async (t) => {
    const edge = await openTestEdge(t)
    const [first, second] = [
      await edge.ask({ body: event({ userEmail: 'jane@example.com' }), headers: { serviceuserid: 'usr_jane' } }),
      await edge.ask({ body: event({ eventId: 'e-2', userEmail: 'jane@example.com' }) }),
    ]
    assert.equal(first.json.result.userId, 'usr_jane')
    assert.match(second.json.result.userId, newUserId)
  })
})

test('the record holds the time, IP address, user agent, origin and GPC signal of the request', async (t) => {
  const edge = await openTestEdge(t)
  const headers = {
    origin: 'https://shop.example.com',
    'user-agent': 'Browser/1',
    'sec-gpc': '1',
    serviceuserid: 'usr_1',
  }
  await edge.ask({ body: event(), headers })
  assert.deepEqual(edge.lastRecord().context, {
    tagId,
    teamId,
    userId: 'usr_1',
    hasExplicitUserId: true,
    trusted: false,
    receivedAt: now,
    ip: '127.0.0.1',
    userAgent: 'Browser/1',
    origin: 'https://shop.example.com',
    gpc: true,
  })
  await edge.ask({ body: event({ eventId: 'e-2' }), headers: { 'sec-gpc': '0' } })
  const { gpc, origin, userAgent } = edge.lastRecord().context
  assert.deepEqual([gpc, origin, userAgent], [undefined, undefined, undefined])
})

test('the record holds the location by the CDN headers only where the operator trusts this CDN as the peer', async (t) => {
  const headers = { origin: 'https://shop.example.com', 'cf-ipcountry': 'DE', 'cf-region-code': 'BY' }
  const placeBehind = async (trustProxy: TrustProxy) => {
    const edge = await openTestEdge(t, { deps: { trustProxy } })
    await edge.ask({ body: event(), headers })
    return edge.lastRecord().context.place
  }
  const here = ['127.0.0.0/8']
  assert.deepEqual(await placeBehind({ ranges: here, cdn: 'cloudflare' }), { country: 'DE', region: 'DE-BY' })
  assert.equal(await placeBehind({ ranges: here }), undefined)
  assert.equal(await placeBehind({ ranges: here, cdn: 'cloudfront' }), undefined)
  assert.equal(await placeBehind({ ranges: ['10.0.0.0/8'], cdn: 'cloudflare' }), undefined)
})

test('a request with durable events is timed once, and so is each write to the disk', async (t) => {
  const edge = await openTestEdge(t)
  await edge.ask({ body: [event(), event({ eventId: 'evt-2' }), {}] })
  await edge.ask({ body: {} })
  await edge.ask({ method: 'GET', path: `/t/${tagId}/init` })
  assert.deepEqual(
    [...edge.durations].map(([series, values]) => [series, values.length]),
    [
      ['aglet_commit_duration_seconds{production}', 1],
      ['aglet_intake_duration_seconds{production}', 1],
    ],
  )
})

test('events are counted by result, and refused requests by error code', async (t) => {
  const edge = await openTestEdge(t)
  await edge.ask({ body: [event(), event(), {}] })
  await edge.ask({ body: {} })
  await edge.ask({ body: '{' })
  assert.deepEqual(
    [...edge.counts],
    [
      ['aglet_events_total{production,accepted}', 1],
      ['aglet_events_total{production,duplicate}', 1],
      ['aglet_events_total{production,rejected}', 1],
      ['aglet_edge_refused_total{production,BAD_REQUEST}', 1],
      ['aglet_edge_refused_total{production,JSON_BROKEN}', 1],
    ],
  )
})
