import { ada, cart, oneOfEach } from '#provider/examples.ts'
import { type Example, ownNames } from '#provider/provider.ts'

const secrets = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  AWS_REGION: 'eu-central-1',
  KINESIS_STREAM_NAME: 'events',
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
        authorization: new RegExp(
          `^AWS4-HMAC-SHA256 ${RegExp.escape(credential)}, SignedHeaders=${RegExp.escape(signed)}, Signature=[0-9a-f]{64}$`,
        ),
      },
      body: { StreamName: 'events', PartitionKey, Data: Buffer.from(JSON.stringify(payload)).toString('base64') },
    },
  ]
}

export const examples: readonly Example[] = [
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
]
