import { basicAuth, bearerAuth } from '#provider/form/authorization.ts'
import type { BatchSpec } from '#provider/form/batch.ts'
import { mappedIdCheck } from '#provider/form/eventMapping.ts'
import { emailAddress, isoBirthDate } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestSpec, Skip } from '#provider/form/request.ts'
import type { ResponseRule } from '#provider/form/responseRule.ts'
import { plain } from '#provider/form/userRule.ts'
import { baseUrl, eventMapping, identifier, password, text, urlCheck } from '#provider/form/variables.ts'
import type { FlatValue } from '#provider/vendors/eventFields.ts'
import { eventProperties } from '#provider/vendors/eventProperties.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'

const emailField = '3'

/** Field 3 is the e-mail, 31 the opt-in: neither is a trait. */
const traitsCheck = mappedIdCheck(/^(?!(?:3|31)$)\d{1,12}$/, 'Write the number of each field; 3 and 31 are not taken.')

type Update = { key_id: string; external_id: string; traits: Readonly<Record<string, FlatValue>> | undefined }

/** The fields of a contact by their numbers: first name, last name, date of birth, city, state, ZIP. */
const contactFields = {
  '1': plain('firstName'),
  '2': plain('lastName'),
  '4': plain('dateOfBirth', isoBirthDate),
  '11': plain('city'),
  '12': plain('state'),
  '13': plain('zip'),
}

const responseRules: readonly ResponseRule[] = [
  // An unknown contact is reported in the errors of a 200.
  { status: 200, matches: /"errors"\s{0,9}:\s{0,9}\{\s{0,9}"/, verdict: 'refused' },
  { status: 200, path: 'replyCode', equalsAny: [0], verdict: 'delivered' },
  { status: 200, path: 'replyCode', verdict: 'refused' },
]

/** A request triggers one external event for many contacts. */
const batch: BatchSpec = {
  maxEvents: 1_000,
  join: (requests) => ({ ...requests[0]!, json: contactsOf(requests.map(({ json }) => json as ContactEvent)) }),
  joinKey: ({ url }) => (url.endsWith('/trigger') ? url : undefined),
  partialFailures: failedRows,
}

export default provider({
  label: 'SAP Emarsys',
  // The vendor's page documents the path of the event only for v2. The base URL and sign-in of v3 are from public
  // clients.
  stage: 'draft',
  consent: ['advertising', 'functional'],
  docs: 'https://dev.emarsys.com/docs/core-api-reference/fl0xx6rwfbwqb-trigger-an-external-event',
  dashboardUrl: 'https://login.emarsys.net',
  links: {
    onboarding: 'https://dev.emarsys.com/docs/emarsys-core-api-guides/b3c3a1eba8515-authentication',
    introduction: 'https://help.sap.com/docs/SAP_EMARSYS',
    faq: 'https://dev.emarsys.com/docs/core-api-reference',
  },
  host: 'tenant',

  secrets: {
    EMARSYS_CLIENT_ID: identifier(
      'Client ID',
      'Management, Security Settings, API Credentials: of an OpenID Connect credential with the endpoints externalevent.trigger and contact.update switched on.',
    ),
    EMARSYS_CLIENT_SECRET: password('Client secret', 'It is shown once, when the credential is made.'),
    EMARSYS_MAPPED_EVENTS: eventMapping('the number of the external event: Automation, External Events', '1234', {
      check: mappedIdCheck(/^\d{1,12}$/, 'Write the number of each external event.'),
    }),
    EMARSYS_KEY_FIELD_ID: text(
      'Key field ID',
      'The field that names a contact: Management, Field Editor. 3 is the e-mail; any other field gets the user id.',
      {
        optional: true,
        default: emailField,
        check: (id: string) => (/^\w{1,20}$/.test(id) ? undefined : 'Write the id of the field, such as 3.'),
      },
    ),
    EMARSYS_TRAITS: traitMapping('the ID of a field: Management, Field Editor', ['tier', '1234'], {
      keys: 'custom',
      check: traitsCheck,
    }),
    EMARSYS_API_BASE_URL: text('API base URL', 'Change it only where Emarsys names another one for your account.', {
      optional: true,
      default: 'https://api.emarsys.net/api/v3',
      check: urlCheck,
    }),
  },

  // Every external event has a number that the customer assigns.
  events: {},
  eventMapping: 'EMARSYS_MAPPED_EVENTS',
  user: { email: plain('email', emailAddress), userId: plain('customerId'), ...contactFields },
  personId: 'customerId',
  // An order with only an e-mail reaches the contact if the key field is the e-mail. An event never creates a contact.
  requires: ['email', 'userId'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['email', 'userId'],
  },
  dedup: 'none: a repeat triggers the event again; data.event_id shows it',

  tokenRequest: {
    request: ({ EMARSYS_CLIENT_ID: id, EMARSYS_CLIENT_SECRET: secret }) => ({
      url: 'https://auth.emarsys.net/oauth2/token',
      headers: { authorization: basicAuth(id, secret) },
      form: { grant_type: 'client_credentials' },
    }),
  },
  request(context, secrets, eventId) {
    const { user, token } = context
    const { EMARSYS_KEY_FIELD_ID: key_id } = secrets
    const external_id = key_id === emailField ? user.email : user.userId
    if (!external_id) return { skipped: 'identityMissing' }
    const api = baseUrl(secrets.EMARSYS_API_BASE_URL)
    const headers = { authorization: bearerAuth(token), accept: 'application/json' }
    if (context.kind === 'user') {
      const traits = mappedTraits(context, secrets.EMARSYS_TRAITS)
      return contactUpdate(user, { method: 'PUT', url: `${api}/contact`, headers }, { key_id, external_id, traits })
    }
    return {
      url: `${api}/event/${encodeURIComponent(eventId)}/trigger`,
      headers,
      json: { key_id, external_id, data: eventProperties(context, 50_000) },
    }
  },
  batch,

  responseRules,
})

type Contact = { external_id: string; data: unknown }

/** The body for one contact. */
type ContactEvent = Contact & { key_id: string }

/** The body for several contacts with the same key field. */
const contactsOf = (events: readonly ContactEvent[]) => ({
  key_id: events[0]!.key_id,
  contacts: events.map(({ external_id, data }) => ({ external_id, data })),
})

type BatchResponse = { data?: { errors?: Readonly<Record<string, Readonly<Record<string, string>>>> } }

/** The errors of a batch are keyed by contact. All events of such a contact fail. */
function failedRows({ data }: BatchResponse, sent: unknown) {
  const errors = new Map(Object.entries(data?.errors ?? {}))
  const { contacts } = sent as { contacts: readonly Contact[] }
  return contacts.flatMap(({ external_id }, row) => {
    const codes = errors.get(external_id)
    return codes ? [{ row, message: Object.entries(codes)[0]?.join(' ') }] : []
  })
}

/**
 * Updates an existing contact (https://dev.emarsys.com/docs/core-api-reference/, Update Contacts). Without
 * `create_if_not_exists`, no contact is created.
 */
function contactUpdate(
  { email: _, userId: __, ...fields }: Readonly<Record<string, string | undefined>>,
  request: RequestSpec,
  { key_id, external_id, traits }: Update,
): RequestSpec | Skip {
  const known = unlessEmpty({ ...fields, ...traits })
  if (!known) return { skipped: 'filtered' }
  return { ...request, json: { key_id, contacts: [{ [key_id]: external_id, ...known }] } }
}
