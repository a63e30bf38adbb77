import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildBatches } from '#provider/engine/buildBatches.ts'
import { bodyValue, exampleInput, exampleNow } from '#provider/engine/exampleRequests.ts'
import { judge } from '#provider/engine/judgement.ts'
import { judgePartialFailures } from '#provider/engine/partialFailures.ts'
import { toUuid } from '#provider/form/ids.ts'
import type { Provider } from '#provider/form/provider.ts'
import amazonKinesis from './amazonKinesis.ts'
import bloomreach from './bloomreach.ts'
import braze from './braze.ts'
import customerIo from './customerIo.ts'
import emarsys from './emarsys.ts'
import { examplesOf } from './examples/all.ts'
import googleAdsClicks from './googleAdsClicks.ts'
import listrak from './listrak.ts'
import oneSignal from './oneSignal.ts'
import sailthru from './sailthru.ts'
import snowplow from './snowplow.ts'
import twitter from './twitter.ts'

const response = { status: 200, headers: {}, durationMs: 1 }
const reasonOf = (provider: Parameters<typeof judge>[0], status: number, json: unknown, headers = {}) =>
  judge(provider, { status, headers, body: JSON.stringify(json), durationMs: 1 }, exampleNow).reason ?? 'delivered'

test('Kinesis: the error type of a 400 means throttling or rejected credentials', () => {
  const of = (__type: string) => reasonOf(amazonKinesis, 400, { __type })
  for (const type of [
    'ProvisionedThroughputExceededException',
    'LimitExceededException',
    'com.amazonaws.kinesis#KMSThrottlingException',
  ])
    assert.equal(of(type), 'throttled')
  for (const type of ['ExpiredTokenException', 'UnrecognizedClientException', 'AccessDeniedException'])
    assert.equal(of(type), 'keyRejected')
  for (const type of ['ResourceNotFoundException', 'InvalidArgumentException']) assert.equal(of(type), 'payloadRefused')
  assert.equal(reasonOf(amazonKinesis, 200, { ShardId: 's', SequenceNumber: '1' }), 'delivered')
})

test('Kinesis: a batch names its failed records', () => {
  const inputs = examplesOf('amazonKinesis').slice(0, 3).map(exampleInput)
  const { batches } = buildBatches('amazonKinesis', amazonKinesis, inputs)
  const [{ request, eventIndexes }] = batches as [(typeof batches)[0]]
  const body = bodyValue(request) as { StreamName: string; Records: object[] }
  assert.deepEqual([eventIndexes, request.headers['x-amz-target']], [[0, 1, 2], 'Kinesis_20131202.PutRecords'])
  assert.deepEqual(
    [body.StreamName, ...body.Records.map((record) => Object.keys(record))],
    ['events', ...inputs.map(() => ['PartitionKey', 'Data'])],
  )
  const answer: { FailedRecordCount: number; Records: Record<string, string>[] } = {
    FailedRecordCount: 1,
    Records: [{ SequenceNumber: '1' }, { ErrorCode: 'InternalFailure' }, { SequenceNumber: '2' }],
  }
  const left = (json: object) => [
    ...judgePartialFailures(
      amazonKinesis,
      batches[0]!,
      { ...response, body: JSON.stringify(json) },
      { verdict: 'delivered' },
    ),
  ]
  assert.deepEqual(left(answer), [
    [1, { verdict: 'retry', reason: 'vendorDown', message: 'HTTP 200: InternalFailure' }],
  ])
  answer.Records[1] = { ErrorCode: 'ProvisionedThroughputExceededException', ErrorMessage: 'Rate exceeded for shard' }
  const throttled = { verdict: 'retry', reason: 'throttled', message: 'HTTP 200: Rate exceeded for shard' }
  assert.deepEqual(left(answer), [[1, throttled]])
  assert.deepEqual(left({}), [])
})

test('Sailthru: the error code in the body decides, whatever the status', () => {
  const of = (error: number, status = 200) => reasonOf(sailthru, status, { error, errormsg: 'm' })
  assert.deepEqual(
    [43, 9, 3, 5, 11].map((error) => of(error)),
    ['throttled', 'vendorDown', 'keyRejected', 'keyRejected', 'payloadRefused'],
  )
  assert.equal(of(9, 400), 'vendorDown')
  assert.equal(reasonOf(sailthru, 200, { ok: true }), 'delivered')
})

test('Braze: a 201 with errors is refused; X: a count of 0 is refused', () => {
  assert.equal(reasonOf(braze, 201, { message: 'success' }), 'delivered')
  assert.equal(reasonOf(braze, 201, { message: 'success', errors: [{ type: 'bad' }] }), 'payloadRefused')
  assert.equal(reasonOf(twitter, 200, { data: { conversions_processed: 1 } }), 'delivered')
  assert.equal(reasonOf(twitter, 200, { data: { conversions_processed: 0 } }), 'payloadRefused')
})

test('Braze: a throttled request waits until the rate-limit window ends', () => {
  const headers = { 'x-ratelimit-reset': String(exampleNow / 1000 + 3) }
  const judged = judge(braze, { status: 429, headers, body: '', durationMs: 1 }, exampleNow)
  assert.deepEqual([judged.reason, judged.retryAfterMs], ['throttled', 3_000])
})

test('Google Ads: a batch has conversions of one action only', () => {
  const given = { ...exampleInput(examplesOf('googleAdsClicks')[0]!), token: 't' }
  const again = { ...given, event: { ...given.event, data: { orderId: 'A-2' } } }
  const quiz = { ...given, event: { ...given.event, eventName: 'Quiz finished' } }
  const { batches } = buildBatches('googleAdsClicks', googleAdsClicks, [given, quiz, again])
  assert.deepEqual(
    batches.map(({ eventIndexes }) => eventIndexes),
    [[0, 2], [1]],
  )
})

test('Snowplow: a batch has no headers of a single visitor', () => {
  const inputs = examplesOf('snowplow').slice(0, 2).map(exampleInput)
  const { batches } = buildBatches('snowplow', snowplow, inputs)
  assert.deepEqual(batches[0]!.request.headers, { 'content-type': 'application/json; charset=utf-8' })
  assert.equal((bodyValue(batches[0]!.request) as { data: object[] }).data.length, 2)
})

test('Braze: attributes, events and purchases count together towards maxEvents', () => {
  const example = examplesOf('braze').find(({ title }) => title.startsWith('a purchase by'))!
  const purchase = exampleInput({ ...example, user: { email: 'ada@example.com' } })
  const { batches } = buildBatches(
    'braze',
    braze,
    Array.from({ length: 80 }, () => purchase),
  )
  for (const { request } of batches) {
    const rows = Object.values(bodyValue(request) as Record<string, object[]>).flat()
    assert.ok(rows.length <= 75)
  }
  assert.equal(batches.flatMap(({ eventIndexes }) => eventIndexes).length, 80)
})

const failuresOf = (
  provider: Provider,
  inputs: readonly ReturnType<typeof exampleInput>[],
  json: unknown,
  status = 202,
) => {
  const [batch] = buildBatches('any', provider, inputs).batches
  const answer = { ...response, status, body: JSON.stringify(json) }
  const left = judgePartialFailures(provider, batch!, answer, judge(provider, answer, exampleNow))
  return inputs.map((_, at) => left.get(at)?.reason ?? 'delivered')
}

test('OneSignal: a failure is named by its event, or by a user who is not known', () => {
  const of = (customerId: string, eventId: string) =>
    exampleInput({ ...examplesOf('oneSignal')[0]!, event: { eventName: 'Lead', eventId }, user: { customerId } })
  const inputs = [of('customer-1', 'evt-1'), of('customer-2', 'evt-2'), of('customer-2', 'evt-3')]
  const failed = (errors: object[]) => failuresOf(oneSignal, inputs, { errors })
  assert.deepEqual(failed([{ event_user_id: 'customer-2', event_id: toUuid('evt-3') }]), [
    'delivered',
    'delivered',
    'payloadRefused',
  ])
  assert.deepEqual(failed([{ event_user_id: 'customer-2', event_id: 'of theirs' }]), [
    'delivered',
    'payloadRefused',
    'payloadRefused',
  ])
})

test('Customer.io: a 207 names the refused items of a batch by their place', () => {
  const inputs = examplesOf('customerIo').slice(0, 3).map(exampleInput)
  const errors = [{ reason: 'invalid', field: 'identifiers', message: 'm', batch_index: 2 }]
  assert.deepEqual(failuresOf(customerIo, inputs, { errors }, 207), ['delivered', 'delivered', 'payloadRefused'])
})

test('Bloomreach: the results of a batch are in the order of its commands', () => {
  const inputs = examplesOf('bloomreach').slice(0, 3).map(exampleInput)
  const good = { success: true, errors: [] }
  const results = [good, { success: false, errors: ['At least one id should be specified.'] }, good]
  const left = failuresOf(bloomreach, inputs, { success: true, results }, 200)
  assert.deepEqual(left, ['delivered', 'payloadRefused', 'delivered'])
  assert.equal(reasonOf(bloomreach, 200, { success: false, errors: ['m'] }), 'payloadRefused')
  assert.equal(reasonOf(bloomreach, 200, { success: true, errors: [] }), 'delivered')
})

test('Emarsys: a contact that is not known fails with its events, and a batch holds one external event', () => {
  const of = (email: string, eventName: string) =>
    exampleInput({ ...examplesOf('emarsys')[0]!, event: { eventName }, user: { email } })
  const inputs = [of('ada@example.com', 'Lead'), of('bob@example.com', 'Lead')]
  const errors = { 'bob@example.com': { '2008': 'No contact found.' } }
  const left = failuresOf(emarsys, inputs, { replyCode: 0, replyText: 'OK', data: { ids: ['1'], errors } }, 200)
  assert.deepEqual(left, ['delivered', 'payloadRefused'])
  assert.equal(reasonOf(emarsys, 200, { replyCode: 0, data: { ids: ['1'], errors: {} } }), 'delivered')
  assert.equal(reasonOf(emarsys, 200, { replyCode: 2004, replyText: 'm' }), 'payloadRefused')
  const { batches } = buildBatches('emarsys', emarsys, [...inputs, of('ada@example.com', 'Purchase')])
  assert.deepEqual(
    batches.map(({ eventIndexes }) => eventIndexes),
    [[0, 1], [2]],
  )
})

test('Listrak: a recipient of an event that is refused is known by its row', () => {
  const sent = examplesOf('listrak').filter(({ title }) => title.startsWith('AddToCart'))
  const inputs = [...sent, ...sent, ...sent].map(exampleInput)
  const data = [{ statusCode: 200 }, { statusCode: 400, errors: ['m'] }, { statusCode: 503 }]
  assert.deepEqual(failuresOf(listrak, inputs, { data }, 200), ['delivered', 'payloadRefused', 'vendorDown'])
})
