import { bearerAuth } from '#provider/form/authorization.ts'
import { mappedIdCheck } from '#provider/form/eventMapping.ts'
import { emailAddress, validE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { eventMapping, password } from '#provider/form/variables.ts'
import { fieldMapping, mappedFields } from '#provider/vendors/eventFields.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'
import { contactUpsert, propertiesOf } from './schemas/hubspot.ts'

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
      'Settings, Integrations, Private Apps, your app, Auth: with the scopes analytics.behavioral_events.send and, for updates of contacts, crm.objects.contacts.write. pat-…',
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
    HUBSPOT_TRAITS: traitMapping('the internal name of a property of contacts', ['tier', 'tier'], { keys: 'custom' }),
  },

  // every event has a name of the customer's own, with the id of the account in it
  events: {},
  eventMapping: 'HUBSPOT_MAPPED_EVENTS',
  user: {
    email: plain('email', emailAddress),
    firstname: plain('firstName'),
    lastname: plain('lastName'),
    phone: plain('phone', validE164),
    city: plain('city'),
    state: plain('state'),
    zip: plain('zip'),
    country: plain('country'),
  },
  requires: ['email', 'captured.hubspotutk'],
  acceptsUserEvents: true,
  captures: [{ cookie: 'hubspotutk' }],
  dedup: 'uuid, the eventId: one occurrence for each',

  request(context, secrets, eventName) {
    const { event, user, captured } = context
    const utk = /^[0-9a-f]{32}$/.exec(captured.hubspotutk?.value ?? '')?.[0]
    if (!user.email && !utk) return { skipped: 'identityMissing' }
    const headers = { authorization: bearerAuth(secrets.HUBSPOT_ACCESS_TOKEN) }
    if (context.kind === 'user')
      return contactUpsert(user, { headers, traits: mappedTraits(context, secrets.HUBSPOT_TRAITS) })
    return {
      url: api,
      headers,
      json: {
        eventName,
        email: user.email,
        utk,
        occurredAt: isoTime(event.timestamp),
        uuid: event.eventId,
        properties: propertiesOf(mappedFields(context, secrets.HUBSPOT_PROPERTIES)),
      },
    }
  },
  // the number of a batch stands on no page that could be read
  batch: {
    maxEvents: 500,
    joinKey: ({ url }) => (url === api ? url : undefined),
    join: (requests) => ({ ...requests[0]!, url: `${api}/batch`, json: { inputs: requests.map(({ json }) => json) } }),
  },

  // a contact that was not written stands in the errors of a 207
  responseRules: [{ status: 207, path: 'errors.0', verdict: 'refused' }],
})
