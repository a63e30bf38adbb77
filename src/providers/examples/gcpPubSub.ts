import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart, eventOfEach } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { exampleServiceAccount } from '#provider/vendors/exampleServiceAccount.ts'

const secrets = {
  DESTINATION: 'self',
  SELF_SERVE_TOPIC: 'projects/shop/topics/events',
  SELF_SERVE_SERVICE_ACCOUNT_JSON: exampleServiceAccount,
}
const example = exampleLike({ secrets })
const inProject = JSON.stringify({ ...JSON.parse(exampleServiceAccount), project_id: 'other-shop' })
const replies = [{ status: 200, json: { access_token: 'ya29.t', expires_in: 3_599 } }]

/** The expected requests: for the token, and with the message. */
function sent(event: { eventName: string; [field: string]: unknown }, topic = 'projects/shop/topics/events') {
  const payload = { eventId: 'evt-1', timestamp: 1_700_000_000_000, ...event }
  const message = {
    data: Buffer.from(JSON.stringify(payload)).toString('base64'),
    attributes: { eventName: event.eventName, eventId: 'evt-1' },
  }
  return [
    {
      url: 'https://oauth2.googleapis.com/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: {
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: /^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+$/,
      },
    },
    {
      url: `https://pubsub.googleapis.com/v1/${topic}:publish`,
      headers: { 'content-type': 'application/json', authorization: 'Bearer ya29.t' },
      body: { messages: [message] },
    },
  ]
}

const custom = { eventName: 'Quiz finished', userEmail: ada.email, data: cart }
const inYen = { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1' } }

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'https://oauth2.googleapis.com/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion:
        'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJhZ2xldEBwcm9qZWN0LmlhbS5nc2VydmljZWFjY291bnQuY29tIiwic2NvcGUiOiJodHRwczovL3d3dy5nb29nbGVhcGlzLmNvbS9hdXRoL3B1YnN1YiIsImF1ZCI6Imh0dHBzOi8vb2F1dGgyLmdvb2dsZWFwaXMuY29tL3Rva2VuIiwiaWF0IjoxNzAwMDAwMDAxLCJleHAiOjE3MDAwMDM2MDF9.qwvKXzNfHyWEJUTQFkJ-KyeOd8vrmPut0SAQhcKQmk0ixH7FJ6UM7WQz7--9UxKYmRDd0jY6myEAdf2zsKJ4GA',
    },
  },
  {
    url: 'https://pubsub.googleapis.com/v1/projects/shop/topics/events:publish',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ya29.t' },
    body: {
      messages: [
        {
          data: 'eyJldmVudElkIjoiZXZ0LTEiLCJ0aW1lc3RhbXAiOjE3MDAwMDAwMDAwMDAsImV2ZW50TmFtZSI6IkxlYWQifQ==',
          attributes: { eventName: 'Lead', eventId: 'evt-1' },
        },
      ],
    },
  },
]

export const examples: readonly ProviderExample[] = [
  ...eventOfEach(standardEventNames).map((event) =>
    example(`${event.eventName} unchanged`, { event, replies, sends: sent(event) }),
  ),
  example('a custom event with a person’s keys, to a topic of the project of the service account', {
    event: custom,
    user: { email: ada.email },
    secrets: { SELF_SERVE_TOPIC: 'events', SELF_SERVE_SERVICE_ACCOUNT_JSON: inProject },
    replies,
    sends: sent(custom, 'projects/other-shop/topics/events'),
  }),
  example('a purchase in yen, unchanged whatever the value mode', {
    event: inYen,
    purchaseValueMode: 'net',
    replies,
    sends: sent(inYen),
  }),
  example('a topic whose project nobody names', {
    event: custom,
    secrets: { SELF_SERVE_TOPIC: 'events' },
    replies,
    sends: { skipped: 'keyRejected' },
  }),
  ...ofEachPerson(
    {
      event: { eventName: 'Lead' },
      replies: [{ status: 200, json: { access_token: 'ya29.t', expires_in: 3599 } }],
      secrets,
    },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]
