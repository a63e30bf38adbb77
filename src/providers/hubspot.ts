import { bearerAuth } from '#provider/form/authorization.ts'
import { mappedIdCheck } from '#provider/form/eventMapping.ts'
import { emailAddress } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { eventMapping, password } from '#provider/form/variables.ts'
import { fieldMapping, mappedFields } from '#provider/vendors/eventFields.ts'

/** Characters of a property: https://developers.hubspot.com/docs/api-reference/legacy/events/send-event-data/guide */
const propertyText = (name: string, value: string) => truncate(value, /url|referrer/i.test(name) ? 1_024 : 256)

const api = 'https://api.hubapi.com/events/2026-03/send'

export default provider({
  label: 'HubSpot',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://developers.hubspot.com/docs/api-reference/latest/events/send-event-data/send-event-occurrence',
  dashboardUrl: 'https://app.hubspot.com/l/private-apps',
  links: {
    onboarding: 'https://developers.hubspot.com/docs/api-reference/legacy/events/send-event-data/guide',
    introduction: 'https://knowledge.hubspot.com/reports/create-custom-behavioral-events-with-the-code-wizard',
    faq: 'https://developers.hubspot.com/docs/api-reference/latest/events/send-event-data/batch-send-occurrences',
  },
  host: 'fixed',

  secrets: {
    HUBSPOT_ACCESS_TOKEN: password(
      'Access token',
      'Settings, Integrations, Private Apps, your app, Auth: with the scope analytics.behavioral_events.send. pat-…',
    ),
    HUBSPOT_MAPPED_EVENTS: eventMapping(
      'the internal name of the custom event: Data Management, Custom Events, its details',
      'pe1234567_purchase',
      { check: mappedIdCheck(/^pe\d+_\S{1,200}$/, 'Write the full name of each event: pe, the Hub ID, _ and a name.') },
    ),
    HUBSPOT_PROPERTIES: fieldMapping(
      'Event properties',
      'the internal name of a property of the custom events. HubSpot refuses properties that an event does not define.',
      [
        ['value', 'value'],
        ['currency', 'currency'],
        ['orderId', 'order_id'],
      ],
    ),
  },

  // every event has a name of the customer's own, with the id of the account in it
  events: {},
  eventMapping: 'HUBSPOT_MAPPED_EVENTS',
  user: { email: plain('email', emailAddress) },
  requires: ['email', 'captured.hubspotutk'],
  captures: [{ cookie: 'hubspotutk' }],
  dedup: 'uuid, the eventId: one occurrence for each',

  request(context, secrets, eventName) {
    const { event, user, captured } = context
    const utk = /^[0-9a-f]{32}$/.exec(captured.hubspotutk?.value ?? '')?.[0]
    if (!user.email && !utk) return { skipped: 'identityMissing' }
    const fields = Object.entries(mappedFields(context, secrets.HUBSPOT_PROPERTIES))
    return {
      url: api,
      headers: { authorization: bearerAuth(secrets.HUBSPOT_ACCESS_TOKEN) },
      json: {
        eventName,
        email: user.email,
        utk,
        occurredAt: isoTime(event.timestamp),
        uuid: event.eventId,
        properties: Object.fromEntries(fields.map(([name, value]) => [name, propertyText(name, String(value))])),
      },
    }
  },
  // the number of a batch stands on no page that could be read
  batch: {
    maxEvents: 500,
    join: (requests) => ({ ...requests[0]!, url: `${api}/batch`, json: { inputs: requests.map(({ json }) => json) } }),
  },
})
