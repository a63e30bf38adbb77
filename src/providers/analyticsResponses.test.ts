import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildBatches } from '#provider/engine/buildBatches.ts'
import { bodyValue, exampleInput, exampleNow } from '#provider/engine/exampleRequests.ts'
import { judge } from '#provider/engine/judgement.ts'
import { judgePartialFailures } from '#provider/engine/partialFailures.ts'
import type { Provider } from '#provider/form/provider.ts'
import amplitude from './amplitude.ts'
import { examplesOf } from './examples/all.ts'
import fullStory from './fullStory.ts'
import heap from './heap.ts'
import matomo from './matomo.ts'
import mixpanel from './mixpanel.ts'
import piwikPro from './piwikPro.ts'
import plausible from './plausible.ts'
import postHog from './postHog.ts'
import segment from './segment.ts'

const answer = (status: number, json: unknown, headers = {}) => ({
  status,
  headers,
  body: typeof json === 'string' ? json : JSON.stringify(json),
  durationMs: 1,
})
const reasonOf = (provider: Provider, ...given: Parameters<typeof answer>) =>
  judge(provider, answer(...given), exampleNow).reason ?? 'delivered'

/** One request with the first examples of a provider that differ only in the event. */
function batchOf(id: string, provider: Provider, count = 3) {
  const [first] = examplesOf(id)
  const sent = examplesOf(id).filter(({ sends, testMode: isTest }) => !('skipped' in sends) && !isTest)
  const inputs = sent.slice(0, count).map((example) => exampleInput({ ...example, secrets: first!.secrets }))
  const { batches } = buildBatches(id, provider, inputs)
  assert.equal(batches.length, 1)
  const { request } = batches[0]!
  return { batch: batches[0]!, request, body: bodyValue(request) as Record<string, unknown> }
}

/** The outcome of each event of a batch after a reply. */
function leftBy(provider: Provider, batch: ReturnType<typeof batchOf>['batch'], ...given: Parameters<typeof answer>) {
  const whole = judge(provider, answer(...given), exampleNow)
  const left = judgePartialFailures(provider, batch, answer(...given), whole)
  return batch.eventIndexes.map((_, at) => left.get(at)?.reason ?? 'delivered')
}

test('Amplitude: a key that it does not know is rejected by a 400', () => {
  assert.equal(reasonOf(amplitude, 400, { code: 400, error: 'Invalid API key: (REDACTED)' }), 'keyRejected')
  assert.equal(reasonOf(amplitude, 400, { code: 400, error: 'Request missing required field' }), 'payloadRefused')
  assert.equal(reasonOf(amplitude, 429, { code: 429 }), 'throttled')
})

test('Mixpanel: of a batch it keeps the events that it does not list as failed', () => {
  const { batch, body } = batchOf('mixpanel', mixpanel)
  assert.equal((body as unknown as object[]).length, 3)
  const failed = { code: 400, failed_records: [{ index: 1, message: 'bad' }], num_records_imported: 2 }
  assert.deepEqual(leftBy(mixpanel, batch, 400, failed), ['delivered', 'payloadRefused', 'delivered'])
  const none = { ...failed, num_records_imported: 0 }
  const whole = answer(400, none)
  assert.equal(judgePartialFailures(mixpanel, batch, whole, judge(mixpanel, whole, exampleNow)).size, 0)
})

test('Matomo: a batch holds the token beside its hits, and names the hits that were not recorded', () => {
  const { batch, request, body } = batchOf('matomo', matomo)
  assert.equal(request.url, 'https://shop.matomo.cloud/matomo.php')
  assert.equal(body.token_auth, 'token-1')
  const hits = body.requests as string[]
  assert.equal(hits.length, 3)
  for (const hit of hits) assert.match(hit, /^\?idsite=1&rec=1&(?!.*token_auth)/)
  const reply = { status: 'success', tracked: 2, invalid: 1, invalid_indices: [2] }
  assert.deepEqual(leftBy(matomo, batch, 200, reply), ['delivered', 'delivered', 'payloadRefused'])
})

test('Plausible: an event that it accepts and drops is refused', () => {
  assert.equal(reasonOf(plausible, 202, 'ok'), 'delivered')
  assert.equal(reasonOf(plausible, 202, 'ok', { 'x-plausible-dropped': '1' }), 'payloadRefused')
  assert.equal(plausible.batch, undefined)
})

test('Segment: a batch names the type of each call, and events of several products keep their calls', () => {
  const { request, body } = batchOf('segment', segment, 4)
  assert.equal(request.url, 'https://api.segment.io/v1/batch')
  assert.deepEqual(
    (body.batch as { type: string }[]).map(({ type }) => type),
    ['track', 'track', 'track', 'page'],
  )
})

test('PostHog: a batch holds the id of the person among the properties', () => {
  const { request, body } = batchOf('postHog', postHog)
  assert.equal(request.url, 'https://us.i.posthog.com/batch/')
  for (const row of body.batch as Record<string, Record<string, unknown>>[]) {
    assert.equal(row.properties!.distinct_id, 'customer-1')
    assert.ok(!('distinct_id' in row) && !('api_key' in row))
  }
})

test('Heap: a batch names the environment once', () => {
  const { body } = batchOf('heap', heap)
  assert.equal(body.app_id, '1234567890')
  for (const row of body.events as object[]) assert.ok(!('app_id' in row))
})

test('Piwik PRO: a batch has no user agent of a single visitor', () => {
  const { request, body } = batchOf('piwikPro', piwikPro)
  assert.deepEqual(request.headers, { 'content-type': 'application/json' })
  assert.equal((body.requests as string[]).length, 3)
})

test('FullStory: a batch is an import, and the same events have the same idempotency key', () => {
  const { request, body } = batchOf('fullStory', fullStory)
  assert.equal(request.url, 'https://api.fullstory.com/v2/events/batch')
  assert.equal((body.requests as object[]).length, 3)
  assert.equal(batchOf('fullStory', fullStory).request.headers['idempotency-key'], request.headers['idempotency-key'])
  const other = batchOf('fullStory', fullStory, 2).request.headers['idempotency-key']
  assert.notEqual(other, request.headers['idempotency-key'])
})
