import { ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const inBody = (eventName: string) => ({
  action: 'tag',
  payload: { eventId: 'evt-1', timestamp: 1_700_000_000_000, eventName, data: {} },
  user: {},
  query: {},
  customData: {},
})

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  {
    url: 'https://events.example/in',
    headers: { 'content-type': 'application/json' },
    body: {
      action: 'tag',
      payload: { eventId: 'evt-1', timestamp: 1700000000000, eventName: 'Lead' },
      user: { userId: 'usr_1', ...person },
      query: {},
      customData: {},
    },
  },
]

export const examples: readonly ProviderExample[] = [
  {
    title: 'an event as an array, which others may join',
    event: { eventName: 'PageView', data: {} },
    secrets: {
      EVENT_SINK_URL: 'https://events.example/in',
      EVENT_SINK_FORMAT: 'array',
      EVENT_SINK_BATCH_SIZE: '200',
      EVENT_SINK_BATCH_SECONDS: '5',
    },
    sends: [
      {
        url: 'https://events.example/in',
        headers: { 'content-type': 'application/json' },
        body: [inBody('PageView')],
      },
    ],
  },
  {
    title: 'an event as a line, compressed',
    event: { eventName: 'Lead', data: {} },
    secrets: { EVENT_SINK_URL: 'https://events.example/in', EVENT_SINK_FORMAT: 'ndjson', EVENT_SINK_GZIP: '1' },
    sends: [
      {
        url: 'https://events.example/in',
        headers: { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
        body: [inBody('Lead')],
      },
    ],
  },
  ...Object.keys(standardEventNames).map((eventName) => ({
    title: `${eventName} unchanged`,
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
    title: 'a custom event of the list, with headers, signed',
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
    title: 'an event that is not in the list',
    event: { eventName: 'PageView' },
    secrets: { EVENT_SINK_URL: 'https://events.example/in', EVENT_SINK_EVENTS: 'Purchase' },
    sends: { skipped: 'filtered' },
  },
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets: { EVENT_SINK_URL: 'https://events.example/in' } },
    {
      visitor: sentForPerson({}),
      email: sentForPerson({ email: 'ada.lovelace@gmail.com' }),
      customer: sentForPerson({ email: 'ada.lovelace@gmail.com', customerId: 'customer-1' }),
    },
  ),
]
