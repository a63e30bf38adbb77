import { bearerAuth } from '#provider/form/authorization.ts'
import { countryCode, emailAddress, validE164 } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import {
  baseUrl,
  checkbox,
  commaList,
  identifier,
  optional,
  password,
  text,
  urlCheck,
} from '#provider/form/variables.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'
import { eventNames, failedRows, otherProperties, purchases, shopProperties, updatesProfile } from './schemas/braze.ts'

export default provider({
  label: 'Braze',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://www.braze.com/docs/api/endpoints/user_data/post_user_track',
  dashboardUrl: 'https://dashboard.braze.com/app_settings/developer_console',
  links: { onboarding: 'https://www.braze.com/docs/api/basics' },
  host: 'tenant',

  secrets: {
    BRAZE_API_KEY: password('REST API key', 'Settings, APIs and Identifiers, API Keys: one that may users.track.'),
    BRAZE_REST_ENDPOINT: text(
      'REST endpoint',
      'Of your instance: Settings, APIs and Identifiers, below the API keys.',
      { placeholder: 'https://rest.iad-01.braze.com', check: urlCheck },
    ),
    BRAZE_EVENT_PREFIX: text('Prefix', 'Prefix of the name of each custom event.', optional),
    BRAZE_TRAITS: traitMapping('a custom attribute of your users', ['tier', 'tier'], { keys: 'custom' }),
    BRAZE_EXCLUDED_EVENTS: text('Excluded events', 'Names of events that are not sent, separated by commas.', {
      ...optional,
      input: 'list',
    }),
    BRAZE_APP_ID: identifier('App identifier', 'Settings, App Settings: the API key of the app.', optional),
    BRAZE_USE_PURCHASE_EVENTS: checkbox(
      'Legacy purchases',
      'Purchase goes as purchase objects. New customers of Braze cannot use them.',
      optional,
    ),
  },

  events: eventNames,
  customEventName: (eventName) => eventName,
  user: {
    external_id: plain('userId'),
    email: plain('email', emailAddress),
    phone: plain('phone', validE164),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    country: plain('country', countryCode),
  },
  requires: ['external_id', 'email', 'phone'],
  acceptsUserEvents: true,
  dedup: 'none: a repeat is counted twice; properties.event_id shows it',

  request(context, secrets, name) {
    const { eventName, timestamp, eventId } = context.event
    if (commaList(secrets.BRAZE_EXCLUDED_EVENTS).includes(eventName)) return { skipped: 'filtered' }
    const { external_id, email, phone, ...profile } = context.user
    const ids = { external_id, email, phone: email ? undefined : phone }
    const track = {
      url: `${baseUrl(secrets.BRAZE_REST_ENDPOINT)}/users/track`,
      headers: { authorization: bearerAuth(secrets.BRAZE_API_KEY) },
    }
    if (context.kind === 'user') {
      const known = unlessEmpty({ phone, ...profile, ...mappedTraits(context, secrets.BRAZE_TRAITS) })
      return known ? { ...track, json: { attributes: [{ ...ids, ...known }] } } : { skipped: 'filtered' }
    }
    const person = { ...ids, app_id: secrets.BRAZE_APP_ID }
    const time = isoTime(timestamp)
    const isCustom = !Object.hasOwn(eventNames, eventName)
    const isShop = !isCustom && name.startsWith('ecommerce.')
    const properties = isShop ? shopProperties(name, context, external_id ?? eventId) : otherProperties(context)
    const event = { ...person, name: isCustom ? (secrets.BRAZE_EVENT_PREFIX ?? '') + name : name, time, properties }
    const isLegacy = eventName === 'Purchase' && secrets.BRAZE_USE_PURCHASE_EVENTS === '1'
    return {
      ...track,
      json: {
        attributes: updatesProfile(eventName) && (email || phone) ? [{ ...ids, phone, ...profile }] : undefined,
        events: isLegacy ? undefined : [event],
        purchases: isLegacy ? purchases(context, person, time) : undefined,
      },
    }
  },
  batch: { listPath: ['attributes', 'events', 'purchases'], maxEvents: 75, partialFailures: failedRows },

  // the rows in the errors of a 201 were dropped
  responseRules: [{ status: 201, path: 'errors.0', verdict: 'refused' }],
})
