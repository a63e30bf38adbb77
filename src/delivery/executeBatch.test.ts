import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { silentLog } from '#kit/log.ts'
import { identityOf } from '#provider/engine/identity.ts'
import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import type { Provider } from '#provider/form/provider.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { anEvent, aProvider, aScript, aTag } from '../../test/fake/tag.ts'
import type { AttemptContext } from './attemptContext.ts'
import { buildBatchRequests } from './buildBatchRequests.ts'
import { openChannel } from './channel.ts'
import { type CallDeps, executeBatch } from './executeBatch.ts'

const clock = turnedClock()
const now = clock.now()
const answer = (status: number, json: unknown = {}, headers = {}): SendResult => ({
  status,
  headers,
  body: JSON.stringify(json),
  durationMs: 3,
})

/**
 * A provider that sends up to a hundred events in the list `ids`; the request of an event named `Bad` cannot be built.
 */
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
const contextOf =
  (provider: Provider) =>
  (eventId: string, at: number): AttemptContext =>
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
    }) as AttemptContext

/** Sends these events to a vendor whose answer to the ids of a call is `reply`. */
async function execute(ids: readonly string[], reply: (ids: string[]) => SendResult, provider = bulk()) {
  const calls: string[][] = []
  const responses: string[] = []
  const contexts = ids.map(contextOf(provider))
  const channel = openChannel('scr_1')
  const deps = {
    clock,
    log: silentLog,
    random: () => 0.5,
    keep: { bodies: 'none' },
    tokens: { get: () => assert.fail('no token is wanted'), drop() {} },
    recordResponse: (providerId: string, durationMs: number) => void responses.push(`${providerId} ${durationMs}`),
    async send({ body }: WireRequest) {
      calls.push(JSON.parse(body!).ids)
      return reply(calls.at(-1)!)
    },
  } as unknown as CallDeps
  const results = await executeBatch(buildBatchRequests(contexts, {}, deps), { contexts, channel }, deps)
  return {
    calls,
    responses,
    channel,
    results,
    statuses: results.map(({ status, reason }) => [status, reason].filter(Boolean).join(' ')),
  }
}
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `e${n}`)

test('events of a batch are sent in one call, and each has an attempt of its own', async () => {
  const { calls, results, responses, channel } = await execute(numbered(4), () => answer(200))
  assert.equal(channel.host, 'bulk.example')
  assert.deepEqual(calls, [numbered(4)])
  assert.deepEqual(responses, ['eventSink 3'])
  assert.deepEqual(results, Array(4).fill({ status: 'delivered', sent: { durationMs: 3, httpStatus: 200 } }))
})

test('one bad event of 64 costs six halvings, and the others are delivered', async () => {
  const { calls, statuses } = await execute(numbered(64), (ids) => answer(ids.includes('e20') ? 400 : 200))
  assert.equal(calls.length, 1 + 2 * 6)
  assert.deepEqual(
    statuses,
    numbered(64).map((id) => (id === 'e20' ? 'refused payloadRefused' : 'delivered')),
  )
})

test('exactly the events that a vendor refuses are refused, and none is accepted twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 39 })),
      async (count, bad) => {
        const isBad = (id: string) => bad.includes(Number(id.slice(1)))
        const accepted: string[] = []
        const { calls, statuses } = await execute(numbered(count), (ids) => {
          if (ids.some(isBad)) return answer(422)
          accepted.push(...ids)
          return answer(200)
        })
        assert.deepEqual(
          statuses,
          numbered(count).map((id) => (isBad(id) ? 'refused payloadRefused' : 'delivered')),
        )
        assert.deepEqual(
          accepted,
          numbered(count).filter((id) => !isBad(id)),
        )
        assert.ok(calls.length <= 1 + 2 * bad.length * Math.ceil(Math.log2(count + 1)))
      },
    ),
  )
})

test('all events of a call to a vendor that is down are retried on their own schedules', async () => {
  const { calls, statuses, results } = await execute(numbered(3), () => answer(503))
  assert.equal(calls.length, 1)
  assert.deepEqual(statuses, Array(3).fill('pending vendorDown'))
  assert.deepEqual(
    results.map(({ nextAt }) => nextAt),
    Array(3).fill(now + 5_000),
  )
})

test('a call to a forbidden address is refused as a whole and not halved', async () => {
  const message = 'This address is not allowed.'
  const { calls, statuses } = await execute(numbered(8), () => ({ failed: 'denied', message, durationMs: 1 }))
  assert.equal(calls.length, 1)
  assert.deepEqual(new Set(statuses), new Set(['refused addressNotAllowed']))
})

test('a call with a rejected key is not halved: all its deliveries wait for another key', async () => {
  const { calls, statuses, results } = await execute(numbered(8), () => answer(401))
  assert.equal(calls.length, 1)
  assert.deepEqual(statuses, Array(8).fill('pending keyRejected'))
  assert.ok(results.every(({ isUncounted }) => isUncounted))
})

test('a key that gets only 403 answers is rejected after five calls, and at most four events are refused', async () => {
  const { calls, channel, statuses } = await execute(numbered(64), () => answer(403))
  assert.equal(calls.length, 5)
  assert.equal(channel.health.breaker.state, 'open')
  assert.deepEqual(statuses, Array(64).fill('pending keyRejected'))
})

const partialFailures = (json: unknown) => (json as { failed?: PartialFailure[] }).failed ?? []
const reporting = { batch: { maxEvents: 100, listPath: 'ids', partialFailures } } as const

test('if an answer names the events that were not accepted, those are retried and the others are delivered', async () => {
  const rows = (...rows: number[]) => ({ failed: rows.map((row) => ({ row })) })
  const some = await execute(numbered(4), () => answer(200, rows(1, 3)), bulk(reporting))
  assert.deepEqual(some.statuses, ['delivered', 'pending vendorDown', 'delivered', 'pending vendorDown'])
  const refused = await execute(numbered(3), () => answer(400, rows(2)), bulk(reporting))
  assert.deepEqual(refused.statuses, ['delivered', 'delivered', 'refused payloadRefused'])
  assert.equal(refused.calls.length, 1)
})

test("the answer's message about a row decides about its event and is recorded with it", async () => {
  const { statuses, results } = await execute(
    numbered(4),
    () =>
      answer(200, {
        failed: [{ row: 0, verdict: 'throttled', message: 'Too fast' }, { row: 1, verdict: 'refused' }, { row: 3 }],
      }),
    bulk(reporting),
  )
  assert.deepEqual(statuses, ['pending throttled', 'refused payloadRefused', 'delivered', 'pending vendorDown'])
  assert.equal(results[0]!.sent?.message, 'HTTP 200: Too fast')
})

/** A provider that sends each event in the list `ids`, and every second event also twice in the list `names`. */
const inLists = bulk({
  batch: { maxEvents: 100, listPath: ['names', 'ids'], partialFailures },
  request: ({ event: { eventId } }) => ({
    url: 'https://bulk.example/in',
    json: { ids: [eventId], names: Number(eventId.slice(1)) % 2 ? [`${eventId}a`, `${eventId}b`] : undefined },
  }),
})

test('a row that is named by its list belongs to its event, however many rows each event has there', async () => {
  const { statuses, calls } = await execute(
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

test('if an answer names a row that the request does not have, a refused batch is halved, and no event is lost', async () => {
  for (const row of [{ list: 'names', row: 9 }, { list: 'others', row: 0 }, { row: 0 }]) {
    const refused = await execute(numbered(2), (ids) => answer(ids.length > 1 ? 400 : 200, { failed: [row] }), inLists)
    assert.deepEqual([refused.calls.length, ...refused.statuses], [3, 'delivered', 'delivered'])
    const accepted = await execute(numbered(2), () => answer(200, { failed: [row] }), inLists)
    assert.deepEqual(accepted.statuses, Array(2).fill('pending vendorDown'))
  }
})

test('a call with no accepted row counts as a failure of its channel, whatever its status', async () => {
  const all = (ids: string[]) => answer(200, { failed: ids.map((_, row) => ({ row })) })
  const noneAccepted = await execute(numbered(3), all, bulk(reporting))
  assert.deepEqual(noneAccepted.statuses, Array(3).fill('pending vendorDown'))
  assert.equal(
    noneAccepted.channel.health.breaker.state === 'closed' && noneAccepted.channel.health.breaker.badInRow,
    1,
  )
})

test('an event whose request cannot be built does not affect the others of its batch', async () => {
  const { calls, statuses, results } = await execute(['e0', 'bad1', 'e2'], () => answer(200))
  assert.deepEqual(calls.flat(), ['e0', 'e2'])
  assert.deepEqual(statuses, ['delivered', 'pending poison', 'delivered'])
  assert.equal(results[1]!.isCrash, true)
})

test('a channel that is paused meanwhile sends no more: the remaining deliveries wait without losing an attempt', async () => {
  const { calls, statuses, results } = await execute(numbered(8), (ids) =>
    ids.length > 4 ? answer(400) : answer(429, {}, { 'retry-after': '60' }),
  )
  assert.deepEqual(
    calls.map(({ length }) => length),
    [8, 4],
  )
  assert.deepEqual(statuses, Array(8).fill('pending throttled'))
  assert.ok(results.every(({ isUncounted }) => isUncounted))
  assert.deepEqual(
    results.map(({ sent }) => sent !== undefined),
    [...Array(4).fill(true), ...Array(4).fill(false)],
  )
})

/** The users of one batch, and the error of the last of them. */
const people = [
  { email: 'jane.doe@example.com', phone: '+49 151 23456789', firstName: 'Janette', lastName: 'Doering' },
  { email: 'max@example.org', phone: '+14155550132', firstName: 'Maximilian', city: 'Köln' },
  { email: 'lee@example.net', phone: '0044 20 7946 0958', lastName: 'Oh-Brien', zip: 'SW1A 1AA' },
]
const packed = (text: string) => Buffer.from(`{"contact":"${text}"}`).toString('base64')
/** Ways in which vendors repeat the request in an answer. */
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
  test(`the messages and exchanges of a batch contain no personal data of its users: ${kind}`, async () => {
    const provider = bulk()
    const contexts = people.map((person, at) => {
      const each = contextOf(provider)(`e${at}`, at)
      return {
        ...each,
        outgoing: { ...each.outgoing, person },
        secrets: { KEY: 'sekret-of-the-channel' },
      } as AttemptContext
    })
    const error = (echo: string) => ({ error: { message: `wrong: ${echo}, sekret-of-the-channel` } })
    const leaks: string[] = []
    for (const echo of echoes) {
      const deps = {
        clock,
        log: silentLog,
        random: () => 0.5,
        keep: { bodies: 'all' },
        tokens: { get: () => assert.fail('no token is wanted'), drop() {} },
        send: async () => answer(status, error(echo), { location: `https://bulk.example/${echo}` }),
      } as unknown as CallDeps
      const results = await executeBatch(
        buildBatchRequests(contexts, {}, deps),
        { contexts, channel: openChannel('scr_1') },
        deps,
      )
      assert.equal(results.length, 3)
      for (const { sent } of results) {
        const text = JSON.stringify(sent)
        if (text.includes(echo)) leaks.push(`${kind}: ${echo} in ${text}`)
        assert.ok(!text.includes('sekret'), text)
        assert.match(text, /•••/)
      }
    }
    assert.deepEqual(leaks, [])
  })
