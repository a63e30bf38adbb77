import { basicAuth, bearerAuth } from '#provider/form/authorization.ts'
import { mappedIdCheck } from '#provider/form/eventMapping.ts'
import { emailAddress } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { plain } from '#provider/form/userRule.ts'
import { baseUrl, eventMapping, identifier, password, text, urlCheck } from '#provider/form/variables.ts'
import { eventProperties } from '#provider/vendors/eventProperties.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'
import { batch, contactFields, contactUpdate, responseRules, traitsCheck } from './schemas/emarsys.ts'

const emailField = '3'

export default provider({
  label: 'SAP Emarsys',
  // the path of the event stands on the vendor's page for v2 only; the base of v3 and its sign-in are from public
  // clients
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

  // every external event has a number of the customer's own
  events: {},
  eventMapping: 'EMARSYS_MAPPED_EVENTS',
  user: { email: plain('email', emailAddress), userId: plain('userId'), ...contactFields },
  requires: ['email', 'userId'],
  acceptsUserEvents: true,
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
