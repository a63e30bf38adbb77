import { bearerAuth } from '#provider/form/authorization.ts'
import { mappedIdCheck } from '#provider/form/eventMapping.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext, RequestSpec, Skip } from '#provider/form/request.ts'
import { plain } from '#provider/form/userRule.ts'
import { choice, eventMapping, identifier, optional, password, text } from '#provider/form/variables.ts'
import { fieldMapping, mappedFields } from '#provider/vendors/eventFields.ts'
import { mappedTraits, traitFields, traitMapping } from '#provider/vendors/personTraits.ts'

const hostOf = (subdomain: string, api: 'auth' | 'rest') => `https://${subdomain}.${api}.marketingcloudapis.com`

/** The variables for updates of a person's known values. */
const profileVariables = {
  SFMC_PROFILE_DATA_EXTENSION: text(
    'Data extension of profiles',
    'The external key of the data extension that holds what is known of people: Contact Builder, Data Extensions. Without it updates are not sent.',
    {
      ...optional,
      check: (key: string) => (/^[^\s/]{1,200}$/.test(key) ? undefined : 'Write the external key alone.'),
    },
  ),
  SFMC_PROFILE_KEY_COLUMN: text(
    'Key column of profiles',
    'The primary key of that data extension. It gets the contact key.',
    { ...optional, default: 'SubscriberKey' },
  ),
  SFMC_TRAITS: traitMapping('a column of that data extension', ['tier', 'Tier']),
}

export default provider({
  label: 'Salesforce Marketing Cloud Engagement',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://developer.salesforce.com/docs/marketing/marketing-cloud/guide/how-to-fire-an-event.html',
  dashboardUrl: 'https://mc.exacttarget.com',
  links: {
    onboarding: 'https://developer.salesforce.com/docs/marketing/marketing-cloud/guide/access-token-s2s.html',
    introduction: 'https://developer.salesforce.com/docs/atlas.en-us.noversion.mc-apis.meta/mc-apis/postEvent.htm',
    faq: 'https://developer.salesforce.com/docs/marketing/marketing-cloud/guide/apis-overview.html',
  },
  host: 'label',

  secrets: {
    SFMC_SUBDOMAIN: identifier(
      'Subdomain',
      'Setup, Apps, Installed Packages, your package: the part of the REST base URI before .rest.marketingcloudapis.com.',
      { isHostLabel: true, placeholder: 'mc563885gzs27c5t9-63k636ttgm' },
    ),
    SFMC_CLIENT_ID: identifier(
      'Client ID',
      'The package, Components: of a server-to-server integration that may read and write list and subscribers, and journeys.',
    ),
    SFMC_CLIENT_SECRET: password('Client secret', 'Below the client id.'),
    SFMC_ACCOUNT_ID: identifier('Account ID', 'The MID of the business unit, where it is not that of the package.', {
      ...optional,
      check: (mid: string) => (/^\d{1,15}$/.test(mid) ? undefined : 'Write only the number, in digits.'),
    }),
    SFMC_MAPPED_EVENTS: eventMapping(
      'the event definition key of its entry source: Journey Builder, Entry Sources',
      'APIEvent-0a1b2c3d',
      { check: mappedIdCheck(/^[^.\s]{1,200}$/, 'Write the event definition keys, which have no period.') },
    ),
    SFMC_COLUMNS: fieldMapping(
      'Columns',
      'a column of the data extension of its entry source, which must have every column and needs a value for each that is not nullable. email, phone and userId are fields as well.',
      [
        ['email', 'EmailAddress'],
        ['orderId', 'OrderId'],
        ['value', 'Value'],
        ['currency', 'Currency'],
      ],
    ),
    SFMC_CONTACT_KEY: choice(
      'Contact key',
      'What identifies the contacts of your account. Another one makes a second contact, so the other is never used.',
      ['customerId', 'email'],
    ),
    ...profileVariables,
  },

  // Every entry source has its own key, which the customer chooses.
  events: {},
  eventMapping: 'SFMC_MAPPED_EVENTS',
  user: {
    userId: plain('customerId'),
    email: plain('email', emailAddress),
    phone: plain('phone', phoneE164),
    ...traitFields,
  },
  personId: 'customerId',
  // An order with only an e-mail reaches the contact if the contact key is the e-mail.
  requires: ['userId', 'email'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['userId', 'email', 'phone'],
  },
  dedup: 'none: a repeat enters the journey again, as its entry settings allow; eventId can be mapped to a column',

  tokenRequest: {
    request: (secrets) => ({
      url: `${hostOf(secrets.SFMC_SUBDOMAIN, 'auth')}/v2/token`,
      json: {
        grant_type: 'client_credentials',
        client_id: secrets.SFMC_CLIENT_ID,
        client_secret: secrets.SFMC_CLIENT_SECRET,
        account_id: secrets.SFMC_ACCOUNT_ID,
      },
    }),
    defaultLifetimeMs: 18 * 60_000,
  },
  request(context, secrets, EventDefinitionKey) {
    const rest = hostOf(secrets.SFMC_SUBDOMAIN, 'rest')
    const headers = { authorization: bearerAuth(context.token), 'content-type': 'application/json; charset=UTF-8' }
    const { userId, email } = context.user
    const ContactKey = secrets.SFMC_CONTACT_KEY === 'email' ? email : userId
    if (!ContactKey) return { skipped: 'identityMissing' }
    if (context.kind === 'user') return rowUpsert(context, secrets, { rest, headers, ContactKey })
    const Data = mappedFields(context, secrets.SFMC_COLUMNS)
    return { url: `${rest}/interaction/v1/events`, headers, json: { ContactKey, EventDefinitionKey, Data } }
  },
})

type ProfileSecrets = { SFMC_PROFILE_DATA_EXTENSION?: string; SFMC_PROFILE_KEY_COLUMN: string; SFMC_TRAITS?: string }

type Call = { rest: string; headers: Readonly<Record<string, string>>; ContactKey: string | undefined }

/**
 * The row of a person:
 * https://developer.salesforce.com/docs/marketing/marketing-cloud/references/mc_rest_data_extensions/postDataExtensionRowsetByKey.html
 */
function rowUpsert(
  context: RequestContext,
  { SFMC_PROFILE_DATA_EXTENSION: extension, SFMC_PROFILE_KEY_COLUMN: column, SFMC_TRAITS: mapping }: ProfileSecrets,
  { rest, headers, ContactKey }: Call,
): RequestSpec | Skip {
  const values = mappedTraits(context, mapping)
  if (!extension || !values) return { skipped: 'filtered' }
  const url = `${rest}/hub/v1/dataevents/key:${encodeURIComponent(extension)}/rowset`
  return { url, headers, json: [{ keys: { [column]: ContactKey }, values }] }
}
