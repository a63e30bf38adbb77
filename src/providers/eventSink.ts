import { headersCheck, parseHeaders } from '#provider/form/customHeaders.ts'
import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { pageQuery } from '#provider/form/url.ts'
import { plainFields } from '#provider/form/userRule.ts'
import { commaList, password, signingSecretCheck, text, urlCheck } from '#provider/form/variables.ts'
import { examples } from './examples/eventSink.ts'

export default provider({
  label: 'Event sink',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional', 'necessary'],
  docs: 'https://www.standardwebhooks.com',
  host: 'customer',

  secrets: {
    EVENT_SINK_URL: text(
      'Address',
      'Where your own system takes events: each is sent as a JSON POST. A 2xx answer means it has it.',
      { placeholder: 'https://events.example.com/aglet', check: urlCheck },
    ),
    EVENT_SINK_EVENTS: text(
      'Events',
      'Names of the events that are sent, divided by commas; `user` is what becomes known of a person. Empty: all.',
      { optional: true, placeholder: 'Purchase, Lead' },
    ),
    EVENT_SINK_HEADERS: text('Headers', 'Headers that go along, as a JSON object.', {
      optional: true,
      sensitive: true,
      placeholder: '{"authorization": "Bearer …"}',
      check: headersCheck,
    }),
    EVENT_SINK_SECRET: password(
      'Signing secret',
      'With it each request is signed as Standard Webhooks describes, so that you can tell it is ours.',
      {
        optional: true,
        placeholder: 'whsec_…',
        helpLink: 'https://www.standardwebhooks.com',
        check: signingSecretCheck,
      },
    ),
  },

  events: standardEventNames,
  customEventName: (eventName) => eventName,
  // it is the customer's own system: their users go there as they are known
  user: plainFields,
  acceptsUserEvents: true,
  dedup: 'payload.eventId, and the header webhook-id where the request is signed',

  request({ kind, event, payload, user, custom }, secrets) {
    const events = commaList(secrets.EVENT_SINK_EVENTS)
    if (events.length > 0 && !events.includes(event.eventName)) return { skipped: 'filtered' }
    const secret = secrets.EVENT_SINK_SECRET
    return {
      url: secrets.EVENT_SINK_URL,
      headers: parseHeaders(secrets.EVENT_SINK_HEADERS) ?? {},
      json: { action: kind, payload, user, query: pageQuery(event), customData: custom },
      sign: secret ? { standardWebhooks: secret, id: event.eventId } : undefined,
    }
  },

  examples,
})
