import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { silent } from '#kit/log.ts'
import { identityOf } from '#provider/engine/identity.ts'
import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import type { Provider } from '#provider/form/provider.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { anEvent, aProvider, aScript, aTag } from '../../test/fake/tag.ts'
import { type CallWorld, callAll } from './call.ts'
import { makeCalls } from './calls.ts'
import { openChannel } from './channel.ts'
import type { Ready } from './ready.ts'

const clock = turnedClock()
const now = clock.now()
const answer = (status: number, json: unknown = {}, headers = {}): SendResult => ({
  status,
  headers,
  body: JSON.stringify(json),
  durationMs: 3,
})

/** Takes up to a hundred events under `ids`; one whose name is `Bad` cannot be made. */
const bulk = (more: Partial<Provider> = {}): Provider =>
  aProvider('eventSink', {
    batch: { maxEvents: 100, listPath: 'ids' },
    request: ({ event }) => {
      if (event.eventName === 'Bad') throw new TypeError('mapper')
      return { url: 'https://bulk.example/in', json: { ids: [event.eventId] } }
    },
    ...more,
  })

const tag = aTag([aScript('scr_1')])
const readyOf =
  (provider: Provider) =>
  (eventId: string, at: number): Ready =>
    ({
      delivery: aDelivery(`dlv_${at}`, 'scr_1', { receivedAt: now }),
      provider,
      tag,
      script: tag.scripts[0]!,
      outgoing: {
        event: anEvent(now, { eventId, eventName: eventId.startsWith('bad') ? 'Bad' : 'PageView' }),
        person: {},
        identity: identityOf({}),
        custom: {},
        captured: {},
      },
      secrets: {},
    }) as Ready

/** What becomes of these events at a vendor that answers so to the ids of a call. */
async function told(ids: readonly string[], reply: (ids: string[]) => SendResult, provider = bulk()) {
  const calls: string[][] = []
  const ready = ids.map(readyOf(provider))
  const channel = openChannel('scr_1')
  const on = {
    clock,
    log: silent,
    random: () => 0.5,
    keep: { bodies: 'none' },
    tokens: { get: () => assert.fail('no token is wanted'), drop() {} },
    async send({ body }: WireRequest) {
      calls.push(JSON.parse(body!).ids)
      return reply(calls.at(-1)!)
    },
  } as unknown as CallWorld
  const ended = await callAll(makeCalls(ready, {}, on), { ready, channel }, on)
  return {
    calls,
    channel,
    ended,
    statuses: ended.map(({ status, reason }) => [status, reason].filter(Boolean).join(' ')),
  }
}
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `e${n}`)

test('events that go together are one call, and each has an attempt of its own', async () => {
  const { calls, ended, channel } = await told(numbered(4), () => answer(200))
  assert.equal(channel.host, 'bulk.example')
  assert.deepEqual(calls, [numbered(4)])
  assert.deepEqual(ended, Array(4).fill({ status: 'delivered', sent: { durationMs: 3, httpStatus: 200 } }))
})

test('one bad event of 64 costs six halvings, and the others nothing', async () => {
  const { calls, statuses } = await told(numbered(64), (ids) => answer(ids.includes('e20') ? 400 : 200))
  assert.equal(calls.length, 1 + 2 * 6)
  assert.deepEqual(
    statuses,
    numbered(64).map((id) => (id === 'e20' ? 'refused payloadRefused' : 'delivered')),
  )
})

test('whichever events a vendor refuses, those and no others are refused, and none is taken twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 39 })),
      async (count, bad) => {
        const isBad = (id: string) => bad.includes(Number(id.slice(1)))
        const taken: string[] = []
        const { calls, statuses } = await told(numbered(count), (ids) => {
          if (ids.some(isBad)) return answer(422)
          taken.push(...ids)
          return answer(200)
        })
        assert.deepEqual(
          statuses,
          numbered(count).map((id) => (isBad(id) ? 'refused payloadRefused' : 'delivered')),
        )
        assert.deepEqual(
          taken,
          numbered(count).filter((id) => !isBad(id)),
        )
        assert.ok(calls.length <= 1 + 2 * bad.length * Math.ceil(Math.log2(count + 1)))
      },
    ),
  )
})

test('when the vendor is down, all of a call are tried again by their own schedules', async () => {
  const { calls, statuses, ended } = await told(numbered(3), () => answer(503))
  assert.equal(calls.length, 1)
  assert.deepEqual(statuses, Array(3).fill('pending vendorDown'))
  assert.deepEqual(
    ended.map(({ nextAt }) => nextAt),
    Array(3).fill(now + 5_000),
  )
})

test('a call to an address that is not allowed is refused as a whole and not halved', async () => {
  const message = 'This address is not allowed.'
  const { calls, statuses } = await told(numbered(8), () => ({ failed: 'denied', message, durationMs: 1 }))
  assert.equal(calls.length, 1)
  assert.deepEqual(new Set(statuses), new Set(['refused addressNotAllowed']))
})

test('a rejected key is not halved: all of the call wait for another', async () => {
  const { calls, statuses, ended } = await told(numbered(8), () => answer(401))
  assert.equal(calls.length, 1)
  assert.deepEqual(statuses, Array(8).fill('pending keyRejected'))
  assert.ok(ended.every(({ free }) => free))
})

test('a key that is forbidden everything is found by five calls, and no more than four events are refused for it', async () => {
  const { calls, channel, statuses } = await told(numbered(64), () => answer(403))
  assert.equal(calls.length, 5)
  assert.equal(channel.breaker.is, 'open')
  assert.deepEqual(statuses, Array(64).fill('pending keyRejected'))
})

const partialFailures = (json: unknown) => (json as { failed?: PartialFailure[] }).failed ?? []
const telling = { batch: { maxEvents: 100, listPath: 'ids', partialFailures } } as const

test('where an answer tells which were not taken, the others are delivered and those tried again', async () => {
  const rows = (...rows: number[]) => ({ failed: rows.map((row) => ({ row })) })
  const some = await told(numbered(4), () => answer(200, rows(1, 3)), bulk(telling))
  assert.deepEqual(some.statuses, ['delivered', 'pending vendorDown', 'delivered', 'pending vendorDown'])
  const refused = await told(numbered(3), () => answer(400, rows(2)), bulk(telling))
  assert.deepEqual(refused.statuses, ['delivered', 'delivered', 'refused payloadRefused'])
  assert.equal(refused.calls.length, 1)
})

test('what is said of a row decides about its event, and stands with it', async () => {
  const { statuses, ended } = await told(
    numbered(4),
    () =>
      answer(200, {
        failed: [{ row: 0, verdict: 'throttled', message: 'Too fast' }, { row: 1, verdict: 'refused' }, { row: 3 }],
      }),
    bulk(telling),
  )
  assert.deepEqual(statuses, ['pending throttled', 'refused payloadRefused', 'delivered', 'pending vendorDown'])
  assert.equal(ended[0]!.sent?.message, 'HTTP 200: Too fast')
})

/** Tells of each event under `ids`, and of every second under `names` too, twice. */
const inLists = bulk({
  batch: { maxEvents: 100, listPath: ['names', 'ids'], partialFailures },
  request: ({ event: { eventId } }) => ({
    url: 'https://bulk.example/in',
    json: { ids: [eventId], names: Number(eventId.slice(1)) % 2 ? [`${eventId}a`, `${eventId}b`] : undefined },
  }),
})

test('a row that is named by its list is its event’s, however many rows each event has there', async () => {
  const { statuses, calls } = await told(
    numbered(6),
    () =>
      answer(201, {
        failed: [
          { list: 'names', row: 3 },
          { list: 'ids', row: 4, verdict: 'refused' },
        ],
      }),
    inLists,
  )
  assert.deepEqual(statuses, [
    ...Array(3).fill('delivered'),
    'pending vendorDown',
    'refused payloadRefused',
    'delivered',
  ])
  assert.equal(calls.length, 1)
})

test('where a row is named that the request does not have, what was refused is halved, and nothing is lost', async () => {
  for (const row of [{ list: 'names', row: 9 }, { list: 'others', row: 0 }, { row: 0 }]) {
    const refused = await told(numbered(2), (ids) => answer(ids.length > 1 ? 400 : 200, { failed: [row] }), inLists)
    assert.deepEqual([refused.calls.length, ...refused.statuses], [3, 'delivered', 'delivered'])
    const taken = await told(numbered(2), () => answer(200, { failed: [row] }), inLists)
    assert.deepEqual(taken.statuses, Array(2).fill('pending vendorDown'))
  }
})

test('a call of which no row was taken counts against its channel, whatever its status', async () => {
  const all = (ids: string[]) => answer(200, { failed: ids.map((_, row) => ({ row })) })
  const none = await told(numbered(3), all, bulk(telling))
  assert.deepEqual(none.statuses, Array(3).fill('pending vendorDown'))
  assert.equal(none.channel.breaker.is === 'closed' && none.channel.breaker.badInRow, 1)
})

test('an event that cannot be made spoils no other of its call', async () => {
  const { calls, statuses, ended } = await told(['e0', 'bad1', 'e2'], () => answer(200))
  assert.deepEqual(calls.flat(), ['e0', 'e2'])
  assert.deepEqual(statuses, ['delivered', 'pending poison', 'delivered'])
  assert.equal(ended[1]!.spoilt, true)
})

test('a channel that was asked to pause meanwhile sends no more: what is left waits without using an attempt', async () => {
  const { calls, statuses, ended } = await told(numbered(8), (ids) =>
    ids.length > 4 ? answer(400) : answer(429, {}, { 'retry-after': '60' }),
  )
  assert.deepEqual(
    calls.map(({ length }) => length),
    [8, 4],
  )
  assert.deepEqual(statuses, Array(8).fill('pending throttled'))
  assert.ok(ended.every(({ free }) => free))
  assert.deepEqual(
    ended.map(({ sent }) => sent !== undefined),
    [...Array(4).fill(true), ...Array(4).fill(false)],
  )
})

/** People of one call, and what is said to be wrong with the last of them when all of it goes wrong. */
const people = [
  { email: 'jane.doe@example.com', phone: '+49 151 23456789', firstName: 'Janette', lastName: 'Doering' },
  { email: 'max@example.org', phone: '+14155550132', firstName: 'Maximilian', city: 'Köln' },
  { email: 'lee@example.net', phone: '0044 20 7946 0958', lastName: 'Oh-Brien', zip: 'SW1A 1AA' },
]
const packed = (text: string) => Buffer.from(`{"contact":"${text}"}`).toString('base64')
/** As vendors repeat what they were sent. */
const echoes = [
  ['jane.doe@example.com', 'jane.doe%40example.com', packed('jane.doe@example.com'), 'JANETTE', 'Doering'],
  ['+49 151 234-567-89', '(0151) 23456789', packed('+49 151 234 567 89'), packed('4915123456789')],
  ['max@example.org', '(415) 555-0132', '%2B1%20415%20555%200132', packed('415-555-0132'), 'maximilian', 'K%C3%B6ln'],
  ['lee@example.net', '+44 (0)20 7946 0958', '00442079460958', packed('lee@example.net'), 'oh-brien', 'SW1A+1AA'],
].flat()

for (const [kind, status] of Object.entries({
  'a refused key': 401,
  'a 400': 400,
  'a 422': 422,
  'a 429': 429,
  'a 503': 503,
}))
  test(`the messages and exchanges of a batch name none of its people: ${kind}`, async () => {
    const provider = bulk()
    const ready = people.map((person, at) => {
      const each = readyOf(provider)(`e${at}`, at)
      return { ...each, outgoing: { ...each.outgoing, person }, secrets: { KEY: 'sekret-of-the-channel' } } as Ready
    })
    const said = (echo: string) => ({ error: { message: `wrong: ${echo}, sekret-of-the-channel` } })
    const left: string[] = []
    for (const echo of echoes) {
      const on = {
        clock,
        log: silent,
        random: () => 0.5,
        keep: { bodies: 'all' },
        tokens: { get: () => assert.fail('no token is wanted'), drop() {} },
        send: async () => answer(status, said(echo), { location: `https://bulk.example/${echo}` }),
      } as unknown as CallWorld
      const ended = await callAll(makeCalls(ready, {}, on), { ready, channel: openChannel('scr_1') }, on)
      assert.equal(ended.length, 3)
      for (const { sent } of ended) {
        const text = JSON.stringify(sent)
        if (text.includes(echo)) left.push(`${kind}: ${echo} in ${text}`)
        assert.ok(!text.includes('sekret'), text)
        assert.match(text, /•••/)
      }
    }
    assert.deepEqual(left, [])
  })
