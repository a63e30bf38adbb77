import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Verdict } from '#provider/form/responseRule.ts'
import { judge } from './judgement.ts'
import { mirror, now } from './mirror.fixture.ts'
import { mostMessage } from './redaction.ts'
import type { SendResult } from './send.ts'

const usual = {}
const answer = (status: number, body: unknown = '', headers: Record<string, string> = {}): SendResult => ({
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  durationMs: 1,
})

test('the usual table: what each status means where a provider says nothing of it', () => {
  const table: [Verdict, string | undefined, number[]][] = [
    ['delivered', undefined, [200, 201, 202, 204, 299]],
    ['retry', 'vendorDown', [408, 425, 500, 502, 503, 504, 599]],
    ['retry', 'throttled', [429]],
    ['keyRejected', 'keyRejected', [401]],
    ['refused', 'payloadRefused', [301, 302, 304, 308, 400, 403, 404, 405, 410, 413, 415, 422, 451]],
  ]
  for (const [verdict, reason, statuses] of table)
    for (const status of statuses) {
      const judged = judge(usual, answer(status), now)
      assert.deepEqual([judged.verdict, judged.reason], [verdict, reason], String(status))
    }
})

test('a 403 is refused and said to be one: five in a row are the business of the channel', () => {
  assert.equal(judge(usual, answer(403), now).forbidden, true)
  assert.equal(judge(usual, answer(400), now).forbidden, undefined)
})

test('a request that got no answer is made again; one that the guard denied is not', () => {
  for (const failed of ['resolve', 'connect', 'timeout', 'broken'] as const)
    assert.deepEqual(judge(usual, { failed, message: 'm', durationMs: 1 }, now), {
      verdict: 'retry',
      reason: 'vendorDown',
      message: 'm',
    })
  const killed = { failed: 'killed', message: 'The code took more than 5 seconds.', durationMs: 1 } as const
  assert.deepEqual(judge(usual, killed, now), { verdict: 'retry', reason: 'poison', message: killed.message })
  const denied = { failed: 'denied', message: 'This address is not allowed.', durationMs: 1 } as const
  const { message } = denied
  assert.deepEqual(judge(usual, denied, now), { verdict: 'refused', reason: 'addressNotAllowed', message })
  const tooLarge = { ...denied, failed: 'tooLarge' } as const
  assert.equal(judge(usual, tooLarge, now).reason, 'payloadRefused')
})

test('a 403 of which a row speaks is refused for what was sent, not for the key', () => {
  const responseRules = [{ status: 403, verdict: 'refused' }] as const
  const judged = judge({ responseRules }, { status: 403, headers: {}, body: '', durationMs: 1 }, 0)
  assert.deepEqual([judged.verdict, judged.forbidden], ['refused', undefined])
})

test("a provider's own rows go first, the first that fits decides", () => {
  const verdictOf = (status: number, body: unknown) => {
    const { verdict, reason } = judge(mirror, answer(status, body), now)
    return [verdict, reason]
  }
  assert.deepEqual(verdictOf(400, { error: { code: 190 } }), ['keyRejected', 'keyRejected'])
  assert.deepEqual(verdictOf(400, { error: { code: 4 } }), ['retry', 'throttled'])
  assert.deepEqual(verdictOf(403, { error: { code: 4 } }), ['refused', 'payloadRefused'])
  assert.deepEqual(verdictOf(400, { errors: [{ retry: true }] }), ['retry', 'vendorDown'])
  assert.deepEqual(verdictOf(200, { failure: 'none taken' }), ['refused', 'payloadRefused'])
  assert.deepEqual(verdictOf(200, { failure: null }), ['delivered', undefined])
  assert.deepEqual(verdictOf(409, 'exists'), ['delivered', undefined])
  assert.deepEqual(verdictOf(400, { error: { code: '190' } }), ['refused', 'payloadRefused'])
})

test('a rule can judge a response by one of its headers', () => {
  const rules = { responseRules: [{ status: 202, header: 'x-dropped', equalsAny: ['1'], verdict: 'refused' }] } as const
  const verdictOf = (headers: Record<string, string>) => judge(rules, answer(202, 'ok', headers), now).verdict
  assert.equal(verdictOf({ 'x-dropped': '1' }), 'refused')
  assert.equal(verdictOf({ 'x-dropped': '0' }), 'delivered')
  assert.equal(verdictOf({}), 'delivered')
})

test('Retry-After is read in seconds or as a date, and held between a second and six hours', () => {
  const after = (value: string, date?: string, status = 503) =>
    judge(usual, answer(status, '', { 'retry-after': value, ...(date && { date }) }), now).retryAfterMs
  const at = (ms: number) => new Date(ms).toUTCString()
  assert.equal(after('30'), 30_000)
  assert.equal(after('0'), 1_000)
  assert.equal(after('999999999'), 6 * 3_600_000)
  assert.equal(after(at(now + 60_000)), 60_000)
  assert.equal(after(at(now - 60_000)), 1_000)
  assert.equal(after(at(now + 3_600_000 + 60_000), at(now + 3_600_000)), 60_000, 'a clock that is an hour ahead')
  for (const odd of ['soon', '-5', '', '1.5']) assert.equal(after(odd), undefined, odd)
  assert.equal(after('30', undefined, 429), 30_000)
  assert.equal(after('30', undefined, 400), undefined, 'what is not made again waits for nothing')
})

test("the message is one short line of the vendor's own words; pages are not repeated", () => {
  const messageOf = (body: unknown, type = '') => judge(usual, answer(400, body, { 'content-type': type }), now).message
  assert.equal(messageOf({ error: { message: 'Invalid\n parameter' } }), 'HTTP 400: Invalid parameter')
  assert.equal(messageOf({ errors: [{ message: 'no id' }] }), 'HTTP 400: no id')
  assert.equal(messageOf({ error: 'bad' }), 'HTTP 400: bad')
  assert.equal(messageOf({ unknown: 'secret stuff' }), 'HTTP 400')
  assert.equal(messageOf('quota is used up'), 'HTTP 400: quota is used up')
  assert.equal(messageOf('<html>oops</html>'), 'HTTP 400')
  assert.equal(messageOf('oops', 'text/html'), 'HTTP 400')
  assert.equal(messageOf({ status: 'error', reason: 'no device' }), 'HTTP 400: no device')
  assert.equal(
    messageOf('<?xml version="1.0"?><status>FAILURE</status><reason>NO account</reason>'),
    'HTTP 400: NO account',
  )
  assert.equal(messageOf('x'.repeat(5_000))!.length, mostMessage)
})

test('any answer is judged, and only what was not delivered has a reason', () => {
  const status = fc.integer({ min: 100, max: 599 })
  const headers = fc.dictionary(fc.constantFrom('retry-after', 'date', 'content-type'), fc.string())
  fc.assert(
    fc.property(status, fc.oneof(fc.string(), fc.json()), headers, (code, body, given) => {
      const { verdict, reason, retryAfterMs = 1_000 } = judge(mirror, answer(code, body, given), now)
      assert.equal(verdict === 'delivered', reason === undefined)
      assert.ok(retryAfterMs >= 1_000 && retryAfterMs <= 6 * 3_600_000)
    }),
  )
})

test('a row may name a range of numbers, a pattern of a text, or a pattern of the whole body', () => {
  const responseRules = [
    { path: 'code', between: [50_000, 51_999], verdict: 'retry' },
    { path: '__type', matches: /Throttl/, verdict: 'throttled' },
    { matches: /^success=false/, verdict: 'refused' },
  ] as const
  const verdictOf = (body: unknown) => judge({ responseRules }, answer(200, body), now).reason
  for (const code of [50_000, 51_000, 51_999]) assert.equal(verdictOf({ code }), 'vendorDown')
  for (const code of [49_999, 52_000, '50000', null]) assert.equal(verdictOf({ code }), undefined)
  assert.equal(verdictOf({ __type: 'com.example#ThrottlingException' }), 'throttled')
  assert.equal(verdictOf({ __type: { Throttl: 1 } }), undefined)
  assert.equal(verdictOf('success=false;id=1'), 'payloadRefused')
  assert.equal(verdictOf('success=true'), undefined)
})

test('where it was too much and no Retry-After is there, the end of the window counts, as a time or as seconds', () => {
  const waitOf = (status: number, headers: Record<string, string>) =>
    judge(usual, answer(status, '', headers), now).retryAfterMs
  assert.equal(waitOf(429, { 'x-ratelimit-reset': String(now / 1000 + 90) }), 90_000)
  assert.equal(waitOf(429, { 'x-rate-limit-reset': '7' }), 7_000)
  assert.equal(waitOf(429, { 'x-ratelimit-reset': String(now / 1000 - 90) }), 1_000)
  assert.equal(waitOf(429, { 'x-ratelimit-reset': '7', 'retry-after': '2' }), 2_000)
  assert.equal(waitOf(429, { 'x-ratelimit-reset': 'soon' }), undefined)
  assert.equal(waitOf(503, { 'x-ratelimit-reset': '7' }), undefined)
})

test('the sentence of a vendor that lists each event with its error is the message', () => {
  const messageOf = (body: object) => judge(usual, answer(400, body), now).message
  assert.equal(messageOf({ status: 'INVALID', reason: 'no such pixel' }), 'HTTP 400: no such pixel')
  assert.equal(messageOf({ events: [{ error_message: 'bad em' }] }), 'HTTP 400: bad em')
  assert.equal(messageOf({ invalid_events: [{ error_message: 'bad uuid' }] }), 'HTTP 400: bad uuid')
})
