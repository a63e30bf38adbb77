import { plain } from '#provider/identity.ts'
import { ownNames, provider } from '#provider/provider.ts'
import { pageQuery } from '#provider/read.ts'
import { addressCheck, listed } from '#provider/variables.ts'

/** Headers that carry the message itself, or that Aglet sets. */
const ownHeaders =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|keep-alive|expect|proxy-.*|webhook-.*|x-aglet-.*)$/i

/** The customer's headers; undefined where the text is not a JSON object of texts that can stand in a request. */
function headersOf(text: string): Record<string, string> | undefined {
  try {
    const headers = JSON.parse(text) as unknown
    if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return undefined
    const good = Object.entries(headers).every(
      ([name, value]) =>
        /^[\w!#$%&'*+.^`|~-]+$/.test(name) &&
        !ownHeaders.test(name) &&
        typeof value === 'string' &&
        /^[\t\x20-\x7e]*$/.test(value),
    )
    return good ? (headers as Record<string, string>) : undefined
  } catch {
    return undefined
  }
}

export default provider({
  label: 'Event sink',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional', 'necessary'],
  docs: 'https://www.standardwebhooks.com',
  host: 'customer',

  secrets: {
    EVENT_SINK_URL: {
      label: 'Address',
      type: 'TEXT',
      description: 'Where your own system takes events: each is sent as a JSON POST. A 2xx answer means it has it.',
      placeholder: 'https://events.example.com/aglet',
      check: addressCheck,
    },
    EVENT_SINK_EVENTS: {
      label: 'Events',
      type: 'TEXT',
      optional: true,
      description:
        'Names of the events that are sent, divided by commas; `user` is what becomes known of a person. Empty: all.',
      placeholder: 'Purchase, Lead',
    },
    EVENT_SINK_HEADERS: {
      label: 'Headers',
      type: 'TEXT',
      optional: true,
      sensitive: true,
      description: 'Headers that go along, as a JSON object.',
      placeholder: '{"authorization": "Bearer …"}',
      check: (text) =>
        headersOf(text)
          ? undefined
          : 'Write a JSON object of header names and texts, without host, content-length and the like.',
    },
    EVENT_SINK_SECRET: {
      label: 'Signing secret',
      type: 'PASSWORD',
      optional: true,
      description: 'With it each request is signed as Standard Webhooks describes, so that you can tell it is ours.',
      placeholder: 'whsec_…',
      helpLink: 'https://www.standardwebhooks.com',
      check: (text) =>
        /^whsec_(?!(?:[A-Za-z0-9+/]{4})+$|(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$)/.test(text)
          ? 'After whsec_ write the key in base64; or any text without whsec_.'
          : undefined,
    },
  },

  events: ownNames,
  custom: (eventName) => eventName,
  // it is the customer's own system: their users go there as they are known
  user: {
    userId: plain('userId'),
    email: plain('email'),
    phone: plain('phone'),
    firstName: plain('firstName'),
    lastName: plain('lastName'),
    gender: plain('gender'),
    dateOfBirth: plain('dateOfBirth'),
    city: plain('city'),
    state: plain('state'),
    zip: plain('zip'),
    country: plain('country'),
  },
  takesUsers: true,
  dedup: 'payload.eventId, and the header webhook-id where the request is signed',

  request({ kind, event, payload, user, custom }, secrets) {
    const events = listed(secrets.EVENT_SINK_EVENTS)
    if (events.length > 0 && !events.includes(event.eventName)) return { skipped: 'filtered' }
    const secret = secrets.EVENT_SINK_SECRET
    return {
      url: secrets.EVENT_SINK_URL,
      headers: headersOf(secrets.EVENT_SINK_HEADERS ?? '{}') ?? {},
      json: { action: kind, payload, user, query: pageQuery(event), customData: custom },
      sign: secret ? { standardWebhooks: secret, id: event.eventId } : undefined,
    }
  },

  examples: [
    ...Object.keys(ownNames).map((eventName) => ({
      title: `${eventName} as it came`,
      event: { eventName, data: { value: '12.50', anything: [1] } },
      secrets: { EVENT_SINK_URL: 'https://events.example/in' },
      sends: [
        {
          url: 'https://events.example/in',
          headers: { 'content-type': 'application/json' },
          body: {
            action: 'tag',
            payload: {
              eventId: 'evt-1',
              timestamp: 1_700_000_000_000,
              eventName,
              data: { value: '12.50', anything: [1] },
            },
            user: {},
            query: {},
            customData: {},
          },
        },
      ],
    })),
    {
      title: 'a custom event that is asked for, with headers, signed',
      event: {
        eventName: 'Quiz finished',
        pageUrl: 'https://shop.example/quiz?utm_source=mail&x=1#end',
        storage: { kv: { email: 'Ada@Example.com' }, service: { consent: { all: true } } },
      },
      user: { userId: 'usr_1', email: 'Ada@Example.com', ip: '81.2.69.142' },
      custom: { tier: 'gold' },
      secrets: {
        EVENT_SINK_URL: 'https://events.example/in?key=1',
        EVENT_SINK_EVENTS: 'Purchase, Quiz finished',
        EVENT_SINK_HEADERS: '{"Authorization": "Bearer sink-token"}',
        EVENT_SINK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      },
      sends: [
        {
          url: 'https://events.example/in?key=1',
          headers: {
            'content-type': 'application/json',
            authorization: 'Bearer sink-token',
            'webhook-id': 'evt-1',
            'webhook-timestamp': '1700000001',
            'webhook-signature': 'v1,95Nu+dJUVbU7jOZhlGPmNrkh04PKJwY77lMGOGRb5UQ=',
          },
          body: {
            action: 'tag',
            payload: {
              eventId: 'evt-1',
              timestamp: 1_700_000_000_000,
              eventName: 'Quiz finished',
              pageUrl: 'https://shop.example/quiz?utm_source=mail&x=1#end',
              storage: { service: { consent: { all: true } } },
            },
            user: { userId: 'usr_1', email: 'Ada@Example.com' },
            query: { utm_source: 'mail', x: '1' },
            customData: { tier: 'gold' },
          },
        },
      ],
    },
    {
      title: 'an event that is not on the list',
      event: { eventName: 'PageView' },
      secrets: { EVENT_SINK_URL: 'https://events.example/in', EVENT_SINK_EVENTS: 'Purchase' },
      sends: { skipped: 'filtered' },
    },
  ],
})
