import { Type } from '#contract/schema.ts'
import { awsError, awsKeyProblems } from './awsSignature.ts'
import { type Got, insist, type MockVendor, unless } from './vendor.ts'

const Entry = Type.Object(
  {
    Source: Type.String({ minLength: 1, maxLength: 256, pattern: '^(?!aws)' }),
    DetailType: Type.String({ minLength: 1, maxLength: 128 }),
    Detail: Type.String({ minLength: 2 }),
    EventBusName: Type.String({ minLength: 1, maxLength: 1600 }),
    Time: Type.Integer({ minimum: 1_000_000_000, maximum: 9_999_999_999 }),
    Resources: Type.Array(Type.String()),
  },
  { additionalProperties: false },
)
const insistEntries = insist(Type.Object({ Entries: Type.Array(Entry, { minItems: 1, maxItems: 10 }) }))

const entriesOf = ({ json }: Got) => (json as { Entries?: { Detail: string }[] } | undefined)?.Entries ?? []

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

const accepted = { EventId: '11710aed-b79e-4468-a20b-bb3c0c3b4860' }

/** Refuses the first entry and accepts the others. */
const leavesOut = (ErrorCode: string) => (ErrorMessage: string, got: Got) => {
  const Entries = entriesOf(got).map((_, row) => (row === 0 ? { ErrorCode, ErrorMessage } : accepted))
  return { status: 200, json: { FailedEntryCount: 1, Entries } }
}

/** https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
export const amazonEventBridge: MockVendor = {
  hosts: /^events\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/,
  check: (got, now) => ({
    key: awsKeyProblems(got, now, 'events'),
    payload: [
      ...unless(got.headers['content-type'] === 'application/x-amz-json-1.1', 'SerializationException'),
      ...unless(got.headers['x-amz-target'] === 'AWSEvents.PutEvents', 'UnknownOperationException'),
      ...insistEntries(got.json),
      ...unless(
        entriesOf(got).every(({ Detail }) => isObject(String(Detail))),
        'Detail is malformed.',
      ),
      ...unless(Buffer.byteLength(got.body) <= 262_144, 'Total size of the entries exceeds the limit.'),
    ],
  }),
  good: (got) => ({ status: 200, json: { FailedEntryCount: 0, Entries: entriesOf(got).map(() => accepted) } }),
  failures: {
    badKey: { reply: (says) => awsError('UnrecognizedClientException', says), means: 'keyRejected' },
    badPayload: { reply: (says) => awsError('ValidationException', says), means: 'payloadRefused' },
    throttled: { reply: (says) => awsError('ThrottlingException', says), means: 'throttled' },
    entryThrottled: { reply: leavesOut('ThrottlingException'), means: 'throttled' },
    entryFailed: { reply: leavesOut('InternalFailure'), means: 'vendorDown' },
    entryMalformed: { reply: leavesOut('MalformedDetail'), means: 'payloadRefused' },
    denied: { reply: (says) => awsError('AccessDeniedException', says), means: 'keyRejected' },
  },
}
