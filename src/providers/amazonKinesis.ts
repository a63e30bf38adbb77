import { asKnown } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestSpec } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { plain } from '#provider/form/userRule.ts'
import { choice, text } from '#provider/form/variables.ts'
import { awsRequest, awsResponseRules, awsSecrets, awsThrottlingPattern } from '#provider/vendors/aws.ts'

const keys = ['userId', 'eventId', 'eventName']
const action = (name: string) => `Kinesis_20131202.${name}`

type PutRecord = { StreamName: string; PartitionKey: string; Data: string }
const recordOf = ({ json }: RequestSpec) => json as PutRecord

export default provider({
  label: 'Amazon Kinesis Data Streams',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional', 'necessary'],
  docs: 'https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecord.html',
  dashboardUrl: 'https://console.aws.amazon.com/kinesis',
  links: {
    onboarding: 'https://docs.aws.amazon.com/streams/latest/dev/controlling-access.html',
    introduction: 'https://docs.aws.amazon.com/streams/latest/dev/introduction.html',
    faq: 'https://aws.amazon.com/kinesis/data-streams/faqs/',
  },
  host: 'label',

  secrets: {
    ...awsSecrets('kinesis:PutRecord and PutRecords'),
    KINESIS_STREAM_NAME: text('Stream', 'Kinesis, Data streams: its name.'),
    KINESIS_PARTITION_KEY: choice('Partition key', 'The value that determines the shard.', keys),
  },

  events: standardEventNames,
  customEventName: (eventName) => eventName,
  // The customer's own stream receives the event unchanged, with unhashed personal values.
  user: { userId: plain('anonymousId'), email: plain('email', asKnown), phone: plain('phone', asKnown) },
  personId: 'anonymousId',
  dedup: 'none in the stream; consumers read eventId in the record',

  request({ event: { eventId, eventName }, payload, user }, secrets) {
    const partitionKey = { userId: user.userId, eventId, eventName }[secrets.KINESIS_PARTITION_KEY]
    return awsRequest(
      secrets,
      { host: 'kinesis', action: action('PutRecord') },
      {
        StreamName: secrets.KINESIS_STREAM_NAME,
        // 1 to 256 characters
        PartitionKey: [...(partitionKey || eventId)].slice(0, 256).join(''),
        Data: Buffer.from(JSON.stringify(payload)).toString('base64'),
      },
    )
  },
  batch: {
    maxEvents: 500,
    maxBytes: 5_000_000,
    join: (requests) => ({
      ...requests[0]!,
      headers: { ...requests[0]!.headers, 'x-amz-target': action('PutRecords') },
      json: {
        StreamName: recordOf(requests[0]!).StreamName,
        Records: requests.map(recordOf).map(({ StreamName: _, ...record }) => record),
      },
    }),
    // A 200 can contain failed records, after throttling of a shard or an internal error.
    partialFailures: ({ Records = [] }: { Records?: { ErrorCode?: string; ErrorMessage?: string }[] }) =>
      Records.flatMap(({ ErrorCode, ErrorMessage: message = ErrorCode }, row) =>
        ErrorCode ? [{ row, verdict: awsThrottlingPattern.test(ErrorCode) ? 'throttled' : 'retry', message }] : [],
      ),
  },
  responseRules: awsResponseRules,
})
