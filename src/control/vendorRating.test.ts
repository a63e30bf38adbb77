import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { providers } from '#providers/index.ts'
import { cases } from '../../test/fake/cases.ts'
import { readVendorRating } from './matchQuality.ts'

const facebook = providers.facebook!
const hour = 3_600_000
let count = 0

/** A channel of Meta, and the vendor that answers it. */
function open(answer: () => SendResult) {
  let now = 1_790_000_000_000
  const sent: WireRequest[] = []
  const send = async (request: WireRequest) => {
    sent.push(request)
    return answer()
  }
  const deps = { clock: { now: () => now }, send } as unknown as Parameters<typeof readVendorRating>[3]
  const script = { scriptId: `scr_${count++}`, teamId: 'team_1', secrets: {} }
  return {
    sent,
    later: (ms: number) => {
      now += ms
    },
    read: (asks: boolean) => readVendorRating(facebook, script, asks, deps),
  }
}

const answered = (status: number, body: unknown): SendResult => ({
  ...{ durationMs: 1, status, headers: { 'content-type': 'application/json' } },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const documented = {
  web: [
    { event_match_quality: { composite_score: 6.2 }, event_name: 'CompleteRegistration' },
    { event_match_quality: { composite_score: 7.2 }, event_coverage: { percentage: 84.5 }, event_name: 'Purchase' },
  ],
}

test('Meta is asked for the rating of each event name, and once in six hours', async () => {
  const { read, sent, later } = open(() => answered(200, documented))
  assert.deepEqual(await read(false), { name: 'event_match_quality', of: 10 })
  assert.equal(sent.length, 0)
  const [rating] = await Promise.all([read(true), read(true)])
  assert.deepEqual(rating?.events, [
    { eventName: 'CompleteRegistration', score: 6.2 },
    { eventName: 'Purchase', score: 7.2, coverage: 0.845 },
  ])
  later(6 * hour - 1)
  assert.deepEqual(await read(true), rating)
  assert.deepEqual(await read(false), rating)
  assert.equal(sent.length, 1)
  later(1)
  await read(true)
  assert.equal(sent.length, 2)
  assert.match(sent[0]!.url, /^https:\/\/graph\.facebook\.com\/v\d+\.0\/dataset_quality\?/)
})

test('what has no figure says why, and is asked again after a minute', async () => {
  const error = (status: number, code: number) => answered(status, { error: { code, message: 'no' } })
  const failures: [SendResult, string][] = [
    [error(400, 190), 'TOKEN_REFUSED'],
    [error(403, 200), 'TOKEN_REFUSED'],
    [error(400, 100), 'TOKEN_REFUSED'],
    [error(400, 4), 'VENDOR_DOWN'],
    [answered(503, 'down'), 'VENDOR_DOWN'],
    [{ durationMs: 1, failed: 'timeout', message: 'late' }, 'VENDOR_DOWN'],
    [answered(200, '<html>'), 'ANSWER_UNKNOWN'],
    [answered(200, { data: [] }), 'ANSWER_UNKNOWN'],
  ]
  for (const [result, why] of failures) {
    const { read, sent, later } = open(() => result)
    assert.equal((await read(true))?.error, why)
    await read(true)
    assert.equal(sent.length, 1, why)
    later(60_000)
    await read(true)
    assert.equal(sent.length, 2, why)
  }
})

const anyNumber = fc.oneof(fc.double(), fc.integer(), fc.string(), fc.constant(null))
const anyQuality = fc.record({
  web: fc.array(
    fc.record({
      event_name: fc.oneof(fc.string({ maxLength: 400 }), fc.jsonValue()),
      event_match_quality: fc.oneof(fc.record({ composite_score: anyNumber }), fc.constant(null)),
      event_coverage: fc.oneof(fc.record({ percentage: anyNumber }), fc.constant(null)),
    }),
    { maxLength: 150 },
  ),
})

test('whatever a vendor answers, a rating has scores from 0 to 10, shares from 0 to 1, and few short names', () =>
  fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.jsonValue(), fc.record({ web: fc.array(fc.jsonValue(), { maxLength: 200 }) }), anyQuality),
      async (body) => {
        const rating = await open(() => answered(200, body as object)).read(true)
        for (const { eventName, score = 0, coverage = 0 } of rating?.events ?? []) {
          assert.ok(eventName.length <= 200)
          assert.ok(score >= 0 && score <= 10 && coverage >= 0 && coverage <= 1)
        }
        assert.ok((rating?.events ?? []).length <= 100)
      },
    ),
    { numRuns: cases(1_000), endOnFailure: true },
  ))
