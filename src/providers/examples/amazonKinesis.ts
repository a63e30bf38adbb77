import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart, eventOfEach } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const secrets = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  AWS_REGION: 'eu-central-1',
  KINESIS_STREAM_NAME: 'events',
}
const example = exampleLike({ secrets })

/** The expected requests; the arguments differ between the examples. */
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
        authorization: new RegExp(
          `^AWS4-HMAC-SHA256 ${RegExp.escape(credential)}, SignedHeaders=${RegExp.escape(signed)}, Signature=[0-9a-f]{64}$`,
        ),
      },
      body: { StreamName: 'events', PartitionKey, Data: Buffer.from(JSON.stringify(payload)).toString('base64') },
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://kinesis.eu-central-1.amazonaws.com/',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'Kinesis_20131202.PutRecord',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20231114/eu-central-1/kinesis/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=2010350d777474f5d89732da3cd3778fd8cebda1b03ae6b8f7d9a49fe1709dec',
      'x-amz-date': '20231114T221321Z',
    },
    body: {
      StreamName: 'events',
      PartitionKey: 'usr_1',
      Data: 'eyJldmVudElkIjoiZXZ0LTEiLCJ0aW1lc3RhbXAiOjE3MDAwMDAwMDAwMDAsImV2ZW50TmFtZSI6IkxlYWQifQ==',
    },
  },
]

export const examples: readonly ProviderExample[] = [
  ...eventOfEach(standardEventNames).map((event) =>
    example(`${event.eventName} unchanged`, { event, user: { userId: 'usr_1' }, sends: sent('usr_1', event) }),
  ),
  example('a custom event without user id, in China, with temporary keys', {
    event: { eventName: 'Quiz finished', userEmail: ada.email, data: cart },
    user: { email: ada.email },
    secrets: { AWS_REGION: 'cn-north-1', AWS_SESSION_TOKEN: 'session' },
    sends: sent('evt-1', { eventName: 'Quiz finished', userEmail: ada.email, data: cart }, 'cn-north-1', '.cn'),
  }),
  example('the partition key that the customer chose', {
    event: { eventName: 'PageView' },
    user: { userId: 'usr_1' },
    secrets: { KINESIS_PARTITION_KEY: 'eventName' },
    sends: sent('PageView', { eventName: 'PageView' }),
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]
