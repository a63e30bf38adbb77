import type { ProviderExample } from '#provider/form/example.ts'
import { ada, cart, eventOfEach } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { exampleServiceAccount } from '#provider/vendors/exampleServiceAccount.ts'

const secrets = {
  DESTINATION: 'self',
  SELF_SERVE_TOPIC: 'projects/shop/topics/events',
  SELF_SERVE_SERVICE_ACCOUNT_JSON: exampleServiceAccount,
}
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

export const examples: readonly ProviderExample[] = [
  ...eventOfEach(standardEventNames).map((event) => ({
    title: `${event.eventName} unchanged`,
    event,
    secrets,
    replies,
    sends: sent(event),
  })),
  {
    title: 'a custom event with a person’s keys, to a topic of the project of the service account',
    event: custom,
    user: { email: ada.email },
    secrets: { ...secrets, SELF_SERVE_TOPIC: 'events', SELF_SERVE_SERVICE_ACCOUNT_JSON: inProject },
    replies,
    sends: sent(custom, 'projects/other-shop/topics/events'),
  },
  {
    title: 'a purchase in yen, unchanged whatever the value mode',
    event: inYen,
    purchaseValueMode: 'net',
    secrets,
    replies,
    sends: sent(inYen),
  },
  {
    title: 'a topic whose project nobody names',
    event: custom,
    secrets: { ...secrets, SELF_SERVE_TOPIC: 'events' },
    replies,
    sends: { skipped: 'keyRejected' },
  },
]
