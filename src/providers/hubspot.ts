import { bearerAuth } from '#provider/form/authorization.ts'
import { mappedIdCheck } from '#provider/form/eventMapping.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestSpec, Skip } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { eventMapping, password } from '#provider/form/variables.ts'
import { type FlatValue, fieldMapping, mappedFields } from '#provider/vendors/eventFields.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'

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

  // Every event has a name that the customer chooses, which contains the account's id.
  events: {},
  eventMapping: 'HUBSPOT_MAPPED_EVENTS',
  user: {
    email: plain('email', emailAddress),
    firstname: plain('firstName'),
    lastname: plain('lastName'),
    phone: plain('phone', phoneE164),
    city: plain('city'),
    state: plain('state'),
    zip: plain('zip'),
    country: plain('country'),
  },
  personId: 'none',
  // An order with only an e-mail: HubSpot finds the contact with this e-mail. The shop's own id identifies no contact.
  requires: ['email', 'captured.hubspotutk'],
  acceptsUserEvents: true,
  captures: [{ cookie: 'hubspotutk' }],
  matchKeys: {
    strong: ['email', 'phone'],
    medium: ['captured.hubspotutk'],
  },
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
  // The maximum size of a batch is not on a public page.
  batch: {
    maxEvents: 500,
    joinKey: ({ url }) => (url === api ? url : undefined),
    join: (requests) => ({ ...requests[0]!, url: `${api}/batch`, json: { inputs: requests.map(({ json }) => json) } }),
  },

  // A contact that was not written is reported in the errors of a 207.
  responseRules: [{ status: 207, path: 'errors.0', verdict: 'refused' }],
})

type Contact = Readonly<Record<string, string | undefined>>

type Upsert = { headers: Readonly<Record<string, string>>; traits: object | undefined }

/**
 * Creates or updates a contact by its e-mail:
 * https://developers.hubspot.com/docs/api-reference/crm-contacts-v3/batch/upsert
 */
function contactUpsert({ email: id, ...fields }: Contact, { headers, traits }: Upsert): RequestSpec | Skip {
  const properties = unlessEmpty({ ...fields, ...traits })
  if (!id) return { skipped: 'identityMissing' }
  if (!properties) return { skipped: 'filtered' }
  const url = 'https://api.hubapi.com/crm/v3/objects/contacts/batch/upsert'
  return { url, headers, json: { inputs: [{ idProperty: 'email', id, properties }] } }
}

/** The maximum length of a property: https://developers.hubspot.com/docs/api-reference/legacy/events/send-event-data/guide */
const propertyText = (name: string, value: string) => truncate(value, /url|referrer/i.test(name) ? 1_024 : 256)

/** The properties of an event. All values are texts. */
const propertiesOf = (fields: Readonly<Record<string, FlatValue>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, propertyText(name, String(value))]))
