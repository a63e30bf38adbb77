import { Type } from '#contract/schema.ts'
import { awsKeyProblems, awsError as error } from './awsSignature.ts'
import { type Got, insist, type MockVendor, text, unless } from './vendor.ts'

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
const placed = {
  ShardId: 'shardId-000000000000',
  SequenceNumber: '49590338271490256608559692538361571095921575989136588898',
}

/** Of several records, refuses the first and accepts the rest; refuses a single record by the status. */
const leavesOut = (type: string, status: number) => (says: string, got: Got) => {
  const [, ...others] = (got.json as { Records?: [] }).Records ?? []
  const Records = [{ ErrorCode: type, ErrorMessage: says }, ...others.map(() => placed)]
  return others.length > 0 ? { status: 200, json: { FailedRecordCount: 1, Records } } : { ...error(type, says), status }
}

/** https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecord.html */
export const amazonKinesis: MockVendor = {
  hosts: /^kinesis\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/,
  check: (got, now) => ({
    key: awsKeyProblems(got, now, 'kinesis'),
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
