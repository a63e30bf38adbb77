import { headersCheck, parseHeaders } from '#provider/form/customHeaders.ts'
import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { pageQuery } from '#provider/form/url.ts'
import { plainFields } from '#provider/form/userRule.ts'
import { commaList, password, signingSecretCheck, text, toSigningSecret, urlCheck } from '#provider/form/variables.ts'
import { bodyOf, failedRows, isList, joinLists, limitsOf, listKey, listVariables } from '#provider/vendors/eventList.ts'

export default provider({
  label: 'Event sink',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional', 'necessary'],
  docs: 'https://www.standardwebhooks.com',
  host: 'customer',

  secrets: {
    EVENT_SINK_URL: text(
      'Address',
      'The URL of your own system. Each event is sent as a POST with a JSON body. Respond with 2xx.',
      { placeholder: 'https://events.example.com/aglet', check: urlCheck },
    ),
    EVENT_SINK_EVENTS: text(
      'Events',
      'Names of the events that are sent, separated by commas; `user` stands for updates of what is known of a person. Empty: all.',
      { optional: true, input: 'list', placeholder: 'Purchase, Lead' },
    ),
    EVENT_SINK_HEADERS: text('Headers', 'Additional headers, as a JSON object.', {
      optional: true,
      sensitive: true,
      placeholder: '{"authorization": "Bearer …"}',
      check: headersCheck,
    }),
    EVENT_SINK_SECRET: password(
      'Signing secret',
      'If set, each request is signed according to Standard Webhooks, so that you can verify its origin: whsec_ and 24 to ' +
        '64 bytes in base64. Any other text is stored as whsec_ and its base64; give that to the library that verifies.',
      {
        optional: true,
        placeholder: 'whsec_…',
        helpLink: 'https://www.standardwebhooks.com',
        check: signingSecretCheck,
        toStored: toSigningSecret,
      },
    ),
    ...listVariables,
  },

  events: standardEventNames,
  customEventName: (eventName) => eventName,
  // The customer's own system receives unhashed personal values.
  user: plainFields,
  personId: 'customerId',
  acceptsUserEvents: true,
  dedup: 'payload.eventId, and the header webhook-id where the request is signed',

  request({ kind, event, payload, user, custom }, secrets) {
    const events = commaList(secrets.EVENT_SINK_EVENTS)
    if (events.length > 0 && !events.includes(event.eventName)) return { skipped: 'filtered' }
    const secret = secrets.EVENT_SINK_SECRET
    const message = { action: kind, payload, user, query: pageQuery(event), customData: custom }
    return {
      url: secrets.EVENT_SINK_URL,
      headers: parseHeaders(secrets.EVENT_SINK_HEADERS) ?? {},
      ...bodyOf(message, secrets),
      sign: secret ? { standardWebhooks: secret, id: event.eventId } : undefined,
    }
  },
  batch: { maxEvents: 500, limitsOf, joinKey: listKey, join: joinLists, partialFailures: failedRows, isList },
})
