import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart, eventOfEach } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const secrets = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  AWS_REGION: 'eu-central-1',
}
const example = exampleLike({ secrets })

/** The expected request; the arguments differ between the examples. */
function sent(
  event: { eventName: string; [field: string]: unknown },
  entry: object = {},
  region = 'eu-central-1',
  china = '',
) {
  const payload = { eventId: 'evt-1', timestamp: 1_700_000_000_000, ...event }
  const signed = `content-type;host;x-amz-date;${china && 'x-amz-security-token;'}x-amz-target`
  const credential = `Credential=AKIDEXAMPLE/20231114/${region}/events/aws4_request`
  return [
    {
      url: `https://events.${region}.amazonaws.com${china}/`,
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'AWSEvents.PutEvents',
        'x-amz-date': '20231114T221321Z',
        ...(china && { 'x-amz-security-token': 'session' }),
        authorization: new RegExp(
          `^AWS4-HMAC-SHA256 ${RegExp.escape(credential)}, SignedHeaders=${RegExp.escape(signed)}, Signature=[0-9a-f]{64}$`,
        ),
      },
      body: {
        Entries: [
          {
            Source: 'aglet',
            DetailType: event.eventName,
            Detail: JSON.stringify(payload),
            EventBusName: 'default',
            Time: 1_700_000_000,
            Resources: [],
            ...entry,
          },
        ],
      },
    },
  ]
}

const onPage = { eventName: 'PageView', pageUrl: 'https://shop.example/shoes?size=42' }
const onAwsPage = { eventName: 'PageView', pageUrl: 'https://aws.shop.example/' }
const custom = { eventName: 'Quiz finished', userEmail: ada.email, data: cart }
const inYen = { eventName: 'Purchase', data: { value: 1250, currency: 'JPY', orderId: 'A-1', contents: cart.contents } }

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://events.eu-central-1.amazonaws.com/',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AWSEvents.PutEvents',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20231114/eu-central-1/events/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=f85c9762cf9885d0d9b090a53edc56b6cd0ca125a402b0ef34a4ba46150e0ea2',
      'x-amz-date': '20231114T221321Z',
    },
    body: {
      Entries: [
        {
          Source: 'aglet',
          DetailType: 'Lead',
          Detail: '{"eventId":"evt-1","timestamp":1700000000000,"eventName":"Lead"}',
          EventBusName: 'default',
          Time: 1700000000,
          Resources: [],
        },
      ],
    },
  },
]

export const examples: readonly ProviderExample[] = [
  ...eventOfEach(standardEventNames).map((event) =>
    example(`${event.eventName} unchanged`, { event, sends: sent(event) }),
  ),
  example('a custom event with a person’s keys, in China, with temporary keys', {
    event: custom,
    user: { email: ada.email },
    secrets: { AWS_REGION: 'cn-north-1', AWS_SESSION_TOKEN: 'session' },
    sends: sent(custom, {}, 'cn-north-1', '.cn'),
  }),
  example('a purchase in yen, unchanged whatever the value mode, to a bus and from a source that the customer named', {
    event: inYen,
    purchaseValueMode: 'net',
    secrets: { EVENTBRIDGE_BUS_NAME: 'shop', EVENTBRIDGE_SOURCE: 'shop.web' },
    sends: sent(inYen, { Source: 'shop.web', EventBusName: 'shop' }),
  }),
  example('without a source of the customer’s the site is the source', {
    event: onPage,
    sends: sent(onPage, { Source: 'shop.example' }),
  }),
  example('a source never begins with aws', {
    event: onAwsPage,
    sends: sent(onAwsPage, { Source: 'site.aws.shop.example' }),
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]
