import { ada, cart, oneOfEach } from '#provider/examples.ts'
import { plain } from '#provider/identity.ts'
import { ownNames, provider, type Send } from '#provider/provider.ts'
import { identifier, optional, password, text } from '#provider/variables.ts'

const keys = ['userId', 'eventId', 'eventName']
const action = (name: string) => ({ 'x-amz-target': `Kinesis_20131202.${name}` })

/** The least and the most characters that a partition key has: 1 and 256. */
const partitionKey = (wanted: string | undefined, eventId: string) => [...(wanted || eventId)].slice(0, 256).join('')

const secrets = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  AWS_REGION: 'eu-central-1',
  KINESIS_STREAM_NAME: 'events',
}

export default provider({
  label: 'Amazon Kinesis Data Streams',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional', 'necessary'],
  docs: 'https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecord.html',
  dashboardUrl: 'https://console.aws.amazon.com/kinesis',
  host: 'label',

  secrets: {
    AWS_ACCESS_KEY_ID: identifier(
      'Access key ID',
      'IAM, a user that may kinesis:PutRecord and PutRecords, Access keys.',
    ),
    AWS_SECRET_ACCESS_KEY: password('Secret access key', 'Shown once, when the access key is made.'),
    AWS_SESSION_TOKEN: password(
      'Session token',
      'Only with temporary keys; they end, and must then be set anew.',
      optional,
    ),
    AWS_REGION: text('Region', 'Where the stream is: the code beside its name in the console.', {
      isHostLabel: true,
      placeholder: 'eu-central-1',
    }),
    KINESIS_STREAM_NAME: text('Stream', 'Kinesis, Data streams: its name.'),
    KINESIS_PARTITION_KEY: text('Partition key', `What chooses the shard: ${keys.join(', ')}.`, {
      optional: true,
      default: 'userId',
      check: (key: string) => (keys.includes(key) ? undefined : `Write one of ${keys.join(', ')}.`),
    }),
  },

  events: ownNames,
  custom: (eventName) => eventName,
  // it is the customer's own stream: the event goes as it came, with what it says of the person
  user: { userId: plain('userId'), email: plain('email'), phone: plain('phone') },
  dedup: 'none in the stream; consumers read eventId in the record',

  request({ event, payload, user }, secrets) {
    const { AWS_REGION: region, AWS_SESSION_TOKEN: sessionToken } = secrets
    const { eventId, eventName } = event
    const wanted = { userId: user.userId, eventId, eventName }[secrets.KINESIS_PARTITION_KEY]
    return {
      url: `https://kinesis.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`,
      headers: { 'content-type': 'application/x-amz-json-1.1', ...action('PutRecord') },
      json: {
        StreamName: secrets.KINESIS_STREAM_NAME,
        PartitionKey: partitionKey(wanted, eventId),
        Data: Buffer.from(JSON.stringify(payload)).toString('base64'),
      },
      sign: {
        aws4: {
          service: 'kinesis',
          region,
          accessKeyId: secrets.AWS_ACCESS_KEY_ID,
          secretAccessKey: secrets.AWS_SECRET_ACCESS_KEY,
          ...(sessionToken && { sessionToken }),
        },
      },
    }
  },
  many: {
    most: 500,
    maxBytes: 5_000_000,
    join: (sends) => ({
      ...sends[0]!,
      headers: { ...sends[0]!.headers, ...action('PutRecords') },
      json: {
        StreamName: recordOf(sends[0]!).StreamName,
        Records: sends.map(recordOf).map(({ StreamName: _, ...record }) => record),
      },
    }),
    failed: (answer) =>
      (answer as { Records?: { ErrorCode?: string }[] }).Records?.flatMap(({ ErrorCode }, at) =>
        ErrorCode ? [at] : [],
      ) ?? [],
  },

  // throttling comes as a 400: the type decides, `ProvisionedThroughputExceededException` or with a namespace and # before it
  answers: [
    { at: '__type', like: /(Throughput|Limit)Exceeded|Throttling/, is: 'throttled' },
    {
      at: '__type',
      like: /ExpiredToken|UnrecognizedClient|InvalidSignature|IncompleteSignature|AccessDenied/,
      is: 'keyRejected',
    },
  ],

  examples: [
    ...oneOfEach(ownNames).map((event) => ({
      title: `${event.eventName} as it came`,
      event,
      user: { userId: 'usr_1' },
      secrets,
      sends: sent('usr_1', event),
    })),
    {
      title: 'a custom event of a person who is not known, in China, by temporary keys',
      event: { eventName: 'Quiz finished', userEmail: ada.email, data: cart },
      user: { email: ada.email },
      secrets: { ...secrets, AWS_REGION: 'cn-north-1', AWS_SESSION_TOKEN: 'session' },
      sends: sent('evt-1', { eventName: 'Quiz finished', userEmail: ada.email, data: cart }, 'cn-north-1', '.cn'),
    },
    {
      title: 'the partition key is what the customer wants',
      event: { eventName: 'PageView' },
      user: { userId: 'usr_1' },
      secrets: { ...secrets, KINESIS_PARTITION_KEY: 'eventName' },
      sends: sent('PageView', { eventName: 'PageView' }),
    },
  ],
})

type Row = { StreamName: string; PartitionKey: string; Data: string }
function recordOf({ json }: Send): Row {
  return json as Row
}

/** What goes to Kinesis of one event: the examples say only what they add. */
function sent(PartitionKey: string, event: object, region = 'eu-central-1', china = '') {
  const payload = { eventId: 'evt-1', timestamp: 1_700_000_000_000, ...event }
  const token = china ? { 'x-amz-security-token': 'session' } : {}
  const signed = `content-type;host;x-amz-date;${china && 'x-amz-security-token;'}x-amz-target`
  const credential = `Credential=AKIDEXAMPLE/20231114/${region}/kinesis/aws4_request`
  return [
    {
      url: `https://kinesis.${region}.amazonaws.com${china}/`,
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'Kinesis_20131202.PutRecord',
        'x-amz-date': '20231114T221321Z',
        ...token,
        authorization: new RegExp(`^AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${signed}, Signature=[0-9a-f]{64}$`),
      },
      body: { StreamName: 'events', PartitionKey, Data: Buffer.from(JSON.stringify(payload)).toString('base64') },
    },
  ]
}
