import { createHash, createHmac } from 'node:crypto'
import { Type } from '#contract/schema.ts'
import { type Got, insist, keyProblem, type MockVendor, text, unless } from './vendor.ts'

/** By access key id: whose signatures are recomputed here. Of other keys only the form is looked at. */
const known: Record<string, string> = { AKIDEXAMPLE: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }

const sha256 = (value: string) => createHash('sha256').update(value).digest('hex')
const hmac = (key: string | Buffer, value: string) => createHmac('sha256', key).update(value).digest()

type Signed = { id: string; scope: string; names: string; signature: string }
const signedBy = ({ headers }: Got): Signed | undefined => {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[\w-]+\/kinesis\/aws4_request), ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/
  const [, id, scope, names, signature] = form.exec(headers.authorization ?? '') ?? []
  return id && scope && names && signature ? { id, scope, names, signature } : undefined
}

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, for a path of `/` without a query. */
function signatureOf({ method, host, headers, body }: Got, { scope, names }: Signed, secret: string): string {
  const lines = names.split(';').map((name) => `${name}:${(name === 'host' ? host : headers[name])?.trim()}\n`)
  const canonical = [method, '/', '', lines.join(''), names, sha256(body)].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`)
  return createHmac('sha256', key).update(toSign).digest('hex')
}

/** `20231114T221320Z` → epoch ms */
const timeOf = (date = '') =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

function keyProblems(got: Got, now: number): string[] {
  const signed = signedBy(got)
  if (!signed) return ['The request is not signed.']
  const secret = known[signed.id]
  const names = signed.names.split(';')
  return [
    ...keyProblem(signed.id),
    ...unless(Math.abs(timeOf(got.headers['x-amz-date']) - now) <= 300_000, 'Signature expired.'),
    ...unless(signed.scope.split('/')[1] === got.host.split('.')[1], 'Credential should be scoped to this region.'),
    ...unless(
      ['host', 'x-amz-date'].every((name) => names.includes(name)),
      'host and x-amz-date must be signed.',
    ),
    ...unless(!secret || signatureOf(got, signed, secret) === signed.signature, 'The signature does not match.'),
  ]
}

const record = {
  PartitionKey: Type.String({ minLength: 1, maxLength: 256 }),
  Data: Type.String({ pattern: '^[A-Za-z0-9+/]+=*$' }),
}
const insistOf: Record<string, (json: unknown) => string[]> = {
  'Kinesis_20131202.PutRecord': insist(Type.Object({ StreamName: text, ...record })),
  'Kinesis_20131202.PutRecords': insist(
    Type.Object({ StreamName: text, Records: Type.Array(Type.Object(record), { minItems: 1, maxItems: 500 }) }),
  ),
}
const error = (type: string, message: string) => ({ status: 400, json: { __type: type, message } })
const placed = {
  ShardId: 'shardId-000000000000',
  SequenceNumber: '49590338271490256608559692538361571095921575989136588898',
}

/** Of many records the first is left out, and the rest placed; a record alone is refused by the status. */
const leavesOut = (type: string, status: number) => (says: string, got: Got) => {
  const [, ...others] = (got.json as { Records?: [] }).Records ?? []
  const Records = [{ ErrorCode: type, ErrorMessage: says }, ...others.map(() => placed)]
  return others.length > 0 ? { status: 200, json: { FailedRecordCount: 1, Records } } : { ...error(type, says), status }
}

/** https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecord.html */
export const amazonKinesis: MockVendor = {
  hosts: /^kinesis\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/,
  check: (got, now) => ({
    key: keyProblems(got, now),
    payload: [
      ...unless(got.headers['content-type'] === 'application/x-amz-json-1.1', 'SerializationException'),
      ...(insistOf[got.headers['x-amz-target'] ?? '']?.(got.json) ?? ['UnknownOperationException']),
    ],
  }),
  good: ({ json }) => {
    const { Records } = json as { Records?: [] }
    return { status: 200, json: Records ? { FailedRecordCount: 0, Records: Records.map(() => placed) } : placed }
  },
  failures: {
    badKey: { reply: (says) => error('UnrecognizedClientException', says), means: 'keyRejected' },
    badPayload: { reply: (says) => error('InvalidArgumentException', says), means: 'payloadRefused' },
    noStream: { reply: (says) => error('ResourceNotFoundException', says), means: 'payloadRefused' },
    fullShard: { reply: leavesOut('ProvisionedThroughputExceededException', 400), means: 'throttled' },
    internal: { reply: leavesOut('InternalFailure', 500), means: 'vendorDown' },
    throttled: { reply: (says) => error('ProvisionedThroughputExceededException', says), means: 'throttled' },
    expired: { reply: (says) => error('ExpiredTokenException', says), means: 'keyRejected' },
  },
}
