import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from '#provider/engine/judgement.ts'
import { awsRequest, awsResponseRules, awsSecrets } from './aws.ts'

const secrets = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 's3cret', AWS_REGION: 'eu-central-1' }

test('a call goes to the service in its region, by the action that is named', () => {
  const send = awsRequest(secrets, { host: 'events', action: 'AWSEvents.PutEvents' }, { Entries: [] })
  assert.equal(send.url, 'https://events.eu-central-1.amazonaws.com/')
  assert.deepEqual(send.headers, {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': 'AWSEvents.PutEvents',
  })
  assert.deepEqual(send.sign, {
    aws4: { service: 'events', region: 'eu-central-1', accessKeyId: 'AKID', secretAccessKey: 's3cret' },
  })
})

test('in China the host ends in .cn, and temporary keys bring their token', () => {
  const temporary = { ...secrets, AWS_REGION: 'cn-north-1', AWS_SESSION_TOKEN: 'session' }
  const { url, sign } = awsRequest(temporary, { host: 'kinesis', action: 'a' }, {})
  assert.equal(url, 'https://kinesis.cn-north-1.amazonaws.com.cn/')
  assert.equal((sign as { aws4: { sessionToken?: string } }).aws4.sessionToken, 'session')
})

test('the region fills a label of the host; only the session token may be left out', () => {
  const specs = awsSecrets('kinesis:PutRecord')
  assert.equal(specs.AWS_REGION.isHostLabel, true)
  assert.match(specs.AWS_ACCESS_KEY_ID.description, /kinesis:PutRecord/)
  assert.deepEqual(
    Object.entries(specs).flatMap(([name, spec]) => ('optional' in spec ? [name] : [])),
    ['AWS_SESSION_TOKEN'],
  )
})

test('a type tells throttling and a bad key apart from a bad request, all of them 400', () => {
  const reasonOf = (__type: string) =>
    judge(
      { responseRules: awsResponseRules },
      { status: 400, headers: {}, body: JSON.stringify({ __type }), durationMs: 1 },
      0,
    ).reason
  assert.equal(reasonOf('com.amazonaws.events#ThrottlingException'), 'throttled')
  assert.equal(reasonOf('ExpiredTokenException'), 'keyRejected')
  assert.equal(reasonOf('ValidationException'), 'payloadRefused')
})
