import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildBatches } from '#provider/engine/buildBatches.ts'
import type { BuildInput } from '#provider/engine/buildRequests.ts'
import { bodyValue, exampleInput, exampleNow } from '#provider/engine/exampleRequests.ts'
import { judge } from '#provider/engine/judgement.ts'
import { judgePartialFailures } from '#provider/engine/partialFailures.ts'
import type { Provider } from '#provider/form/provider.ts'
import bing from './bing.ts'
import { examplesOf } from './examples/all.ts'
import linkedIn from './linkedIn.ts'
import pinterest from './pinterest.ts'
import quora from './quora.ts'
import reddit from './reddit.ts'
import rokt from './rokt.ts'

/** Three events of the first example, with different ids. */
const three = (id: string): BuildInput[] => {
  const [first] = examplesOf(id)
  return ['a', 'b', 'c'].map((eventId) => exampleInput({ ...first!, event: { ...first!.event, eventId } }))
}

const batchOf = (id: string, provider: Provider) => {
  const { batches } = buildBatches(id, provider, three(id))
  assert.equal(batches.length, 1)
  return batches[0]!
}

/** The reason and the message for each event that a response to a batch of three rejects. */
function failuresOf(id: string, provider: Provider, status: number, json: object) {
  const response = { status, headers: {}, body: JSON.stringify(json), durationMs: 1 }
  const whole = judge(provider, response, exampleNow)
  const failed = judgePartialFailures(provider, batchOf(id, provider), response, whole)
  return [...failed].map(([event, { reason, message }]) => [event, reason, message])
}

test('Pinterest: the failed events of a 200 and of a 422 are refused, each with its own message', () => {
  const events = [{ status: 'processed' }, { status: 'failed', error_message: 'bad em' }, { status: 'processed' }]
  for (const status of [200, 422])
    assert.deepEqual(failuresOf('pinterest', pinterest, status, { num_events_processed: 2, events }), [
      [1, 'payloadRefused', `HTTP ${status}: bad em`],
    ])
  assert.deepEqual(failuresOf('pinterest', pinterest, 400, { code: 4196, message: 'invalid' }), [])
})

test('LinkedIn: a batch is marked by a header, and its elements fail each by its own status', () => {
  const { request } = batchOf('linkedIn', linkedIn)
  assert.equal(request.headers['x-restli-method'], 'BATCH_CREATE')
  assert.equal((bodyValue(request) as { elements: object[] }).elements.length, 3)
  const elements = [{ status: 201 }, { status: 422, error: { message: 'no rule' } }, { status: 500 }]
  assert.deepEqual(failuresOf('linkedIn', linkedIn, 200, { elements }), [
    [1, 'payloadRefused', 'HTTP 200: no rule'],
    [2, 'vendorDown', undefined],
  ])
})

test('Microsoft Ads: the invalid events of a 200 are refused by their index', () => {
  const error = { code: 'ValidationError', details: [{ index: 2, errorMessage: 'bad eventTime' }] }
  assert.deepEqual(failuresOf('bing', bing, 200, { eventsReceived: 2, error }), [
    [2, 'payloadRefused', 'HTTP 200: bad eventTime'],
  ])
  assert.deepEqual(failuresOf('bing', bing, 200, { eventsReceived: 3 }), [])
})

test('Quora: a batch goes to another path, and its events fail by their status', () => {
  const { request } = batchOf('quora', quora)
  assert.equal(new URL(request.url).pathname, '/ads/v0/conversions')
  const { account_id, data } = bodyValue(request) as { account_id: number; data: object[] }
  assert.equal(account_id, 1_234_567_890)
  assert.deepEqual(
    data.map((row) => Object.keys(row)),
    [0, 1, 2].map(() => ['user', 'conversion']),
  )
  const events = [
    { index: 0, status: 'OK' },
    { index: 1, status: 'ERROR', error_code: 'E1' },
    { index: 2, status: 'OK' },
  ]
  assert.deepEqual(failuresOf('quora', quora, 200, { events_errored: 1, events }), [
    [1, 'payloadRefused', 'HTTP 200: E1'],
  ])
})

test('Reddit: events are joined below data, and those for the test view are not joined', () => {
  const body = bodyValue(batchOf('reddit', reddit).request) as { data: { events: object[] } }
  assert.equal(body.data.events.length, 3)
  const tested = three('reddit').map((input) => ({ ...input, secrets: { ...input.secrets, REDDIT_TEST_ID: 't' } }))
  assert.equal(buildBatches('reddit', reddit, tested).batches.length, 3)
})

test('Rokt: a batch is a list, sent to another path', () => {
  const { request } = batchOf('rokt', rokt)
  assert.equal(request.url, 'https://inbound.mparticle.com/s2s/v2/bulkevents')
  assert.equal((bodyValue(request) as object[]).length, 3)
})
