import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ProviderId } from '#contract/providerIds.ts'
import { buildBatches } from '#provider/engine/buildBatches.ts'
import { exampleInput, exampleNow } from '#provider/engine/exampleRequests.ts'
import { judge } from '#provider/engine/judgement.ts'
import { judgePartialFailures } from '#provider/engine/partialFailures.ts'
import { providers } from '#providers/index.ts'
import { openMoto, wantsMoto } from './motoServer.ts'
import { lead, person, purchase } from './oracle.ts'

/** Moto validates requests to AWS and stores their data. It accepts every signature. */
const skip = wantsMoto ? false : 'Moto is not installed: npm run test:oracle installs it.'
const keys = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }
const stream = { ...keys, KINESIS_STREAM_NAME: 'events', KINESIS_PARTITION_KEY: 'eventId' }
const bus = { ...keys, EVENTBRIDGE_BUS_NAME: 'shop', EVENTBRIDGE_SOURCE: 'shop.example' }
const events = [purchase, lead]

let moto: Awaited<ReturnType<typeof openMoto>>
before(async () => {
  if (!skip) moto = await openMoto()
})
after(() => moto?.close())

/** Sends a request for AWS to Moto, which recognises the service by the signature. */
async function sent(headers: Readonly<Record<string, string>>, body: string | undefined) {
  const response = await fetch(moto.url, { method: 'POST', headers, ...(body !== undefined && { body }) })
  return { status: response.status, headers: {}, body: await response.text(), durationMs: 1 }
}

/** The answer of a service to an action. */
async function asked<Answer>(service: string, target: string, input: object): Promise<Answer> {
  const scope = `Credential=AKIDEXAMPLE/20231114/eu-west-1/${service}/aws4_request, SignedHeaders=host, Signature=0`
  const headers = { 'x-amz-target': target, 'content-type': 'application/x-amz-json-1.1' }
  const { status, body } = await sent({ ...headers, authorization: `AWS4-HMAC-SHA256 ${scope}` }, JSON.stringify(input))
  assert.equal(status, 200, body)
  return (body && JSON.parse(body)) as Answer
}
const kinesis = <Answer>(action: string, input: object) => asked<Answer>('kinesis', `Kinesis_20131202.${action}`, input)
const eventBridge = <Answer>(action: string, input: object) => asked<Answer>('events', `AWSEvents.${action}`, input)

/** The outcome of each event of a request: the reason, or `delivered`. */
async function outcomes(id: ProviderId, secrets: Record<string, string>, of: readonly object[] = events) {
  const provider = providers[id]!
  const inputs = of.map((event) => exampleInput({ event: event as typeof lead, user: person, secrets }))
  const { batches } = buildBatches(id, provider, inputs)
  assert.equal(batches.length, 1)
  const [batch] = batches
  const response = await sent(batch!.request.headers, batch!.request.body)
  const whole = judge(provider, response, exampleNow)
  const rows = judgePartialFailures(provider, batch!, response, whole)
  return of.map((_, event) => rows.get(event)?.reason ?? whole.reason ?? whole.verdict)
}

test('Kinesis: Moto gives back each record with its partition key, alone and of a batch', { skip }, async () => {
  await kinesis('CreateStream', { StreamName: 'events', ShardCount: 1 })
  assert.deepEqual(await outcomes('amazonKinesis', stream), ['delivered', 'delivered'])
  assert.deepEqual(await outcomes('amazonKinesis', stream, [lead]), ['delivered'])
  const shard = { StreamName: 'events', ShardId: 'shardId-000000000000', ShardIteratorType: 'TRIM_HORIZON' }
  const { ShardIterator } = await kinesis<{ ShardIterator: string }>('GetShardIterator', shard)
  type Records = { Records: { PartitionKey: string; Data: string }[] }
  const { Records } = await kinesis<Records>('GetRecords', { ShardIterator })
  assert.deepEqual(
    Records.map(({ PartitionKey, Data }) => [PartitionKey, JSON.parse(Buffer.from(Data, 'base64').toString())]),
    [purchase, lead, lead].map((event) => [event.eventId, event]),
  )
})

test('Kinesis: a stream that does not exist is no reason to try again', { skip }, async () => {
  assert.deepEqual(await outcomes('amazonKinesis', { ...stream, KINESIS_STREAM_NAME: 'gone' }), [
    'payloadRefused',
    'payloadRefused',
  ])
})

test('EventBridge: Moto takes each entry, and a rule finds them by source and name', { skip }, async () => {
  await eventBridge('CreateEventBus', { Name: 'shop' })
  const EventSourceArn = 'arn:aws:events:eu-west-1:123456789012:event-bus/shop'
  const EventPattern = JSON.stringify({ source: ['shop.example'], 'detail-type': ['Purchase', 'Lead'] })
  await eventBridge('CreateArchive', { ArchiveName: 'kept', EventSourceArn, EventPattern })
  assert.deepEqual(await outcomes('amazonEventBridge', bus), ['delivered', 'delivered'])
  assert.deepEqual(await outcomes('amazonEventBridge', bus, [lead]), ['delivered'])
  assert.deepEqual(
    (await eventBridge<{ EventCount: number }>('DescribeArchive', { ArchiveName: 'kept' })).EventCount,
    3,
  )
})
