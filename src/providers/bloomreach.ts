import { basicAuth } from '#provider/form/authorization.ts'
import { emailAddress, validE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { inSteps } from '#provider/form/steps.ts'
import { truncate } from '#provider/form/text.ts'
import { plain } from '#provider/form/userRule.ts'
import { baseUrl, identifier, password, text, urlCheck } from '#provider/form/variables.ts'
import { batchOf, customerIds, eventNames, failedRows, itemProperties, propertiesOf } from './schemas/bloomreach.ts'

const maxCommands = 50
const idName = (name: string) => (/^[\w-]{1,64}$/.test(name) ? undefined : 'Write the name of the id: registered.')

export default provider({
  label: 'Bloomreach Engagement',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://documentation.bloomreach.com/engagement/docs/add-event',
  dashboardUrl: 'https://app.exponea.com',
  links: {
    onboarding: 'https://documentation.bloomreach.com/engagement/docs/tracking-api-overview-2',
    introduction: 'https://documentation.bloomreach.com/engagement/docs/custom-events',
    faq: 'https://documentation.bloomreach.com/engagement/reference/tracking-api-error-messages',
  },
  host: 'tenant',

  secrets: {
    BLOOMREACH_API_BASE_URL: text('API base URL', 'Project settings, Access management, API: of your instance.', {
      placeholder: 'https://api.exponea.com',
      check: urlCheck,
    }),
    BLOOMREACH_PROJECT_TOKEN: identifier('Project token', 'Project settings, General: a UUID.'),
    BLOOMREACH_API_KEY_ID: identifier(
      'API key ID',
      'Project settings, Access management, API: of a private group that may set customer properties and events.',
    ),
    BLOOMREACH_API_SECRET: password('API secret', 'It is shown once, when the private group is made.'),
    BLOOMREACH_HARD_ID: text(
      'Hard ID',
      'Its name: Project settings, Customer IDs. registered gets the e-mail, else the user id; a name with mail the e-mail only; any other the user id only.',
      { optional: true, default: 'registered', check: idName },
    ),
    BLOOMREACH_SOFT_ID: text('Soft ID', 'Its name: Project settings, Customer IDs. It gets the id of the cookie.', {
      optional: true,
      default: 'cookie',
      check: idName,
    }),
  },

  events: eventNames,
  // the event `consent` gives a consent: no event of a shop does
  customEventName: (eventName) => (/^\s*consent\s*$/i.test(eventName) ? undefined : truncate(eventName, 255)),
  user: {
    email: plain('email', emailAddress),
    userId: plain('userId'),
    phone: plain('phone', validE164),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    gender: plain('gender'),
    birth_date: plain('dateOfBirth'),
    city: plain('city'),
    state: plain('state'),
    zip: plain('zip'),
    country: plain('country'),
  },
  requires: ['email', 'userId', 'captured.__exponea_etc__'],
  captures: [{ query: 'xnpe_cmp', cookie: '__exponea_etc__' }],
  acceptsUserEvents: true,
  dedup: 'none: the same event is stored twice; properties.event_id shows it',

  request(context, secrets, event_type) {
    const { kind, event, captured } = context
    const { userId, ...traits } = context.user
    const cookie = captured.__exponea_etc__?.value
    const customer_ids = customerIds(secrets, { email: traits.email, userId, cookie })
    if (!customer_ids) return { skipped: 'identityMissing' }
    const project = `${baseUrl(secrets.BLOOMREACH_API_BASE_URL)}/track/v2/projects/${encodeURIComponent(secrets.BLOOMREACH_PROJECT_TOKEN)}`
    const authorization = basicAuth(secrets.BLOOMREACH_API_KEY_ID, secrets.BLOOMREACH_API_SECRET)
    const headers = { authorization, accept: 'application/json' }
    const timestamp = event.timestamp / 1000 // Bloomreach takes decimals
    const send = (path: string, json: object) => ({ url: `${project}/${path}`, headers, json })
    if (kind === 'user') return send('customers', { customer_ids, properties: traits, update_timestamp: timestamp })
    const sendEvent = (type: string, properties: object) =>
      send('customers/events', { customer_ids, event_type: type, timestamp, properties })
    const bought = event.eventName === 'Purchase' ? itemProperties(context).slice(0, 10 * maxCommands) : []
    const pieces = Array.from({ length: Math.ceil(bought.length / maxCommands) }, (_, n) =>
      bought.slice(n * maxCommands, (n + 1) * maxCommands).map((properties) => sendEvent('purchase_item', properties)),
    )
    const click = captured.xnpe_cmp && { xnpe_cmp: captured.xnpe_cmp.value }
    const eventRequest = sendEvent(event_type, { ...propertiesOf(context), ...click })
    return pieces.length > 0 ? inSteps([eventRequest, ...pieces.map(batchOf)]) : eventRequest
  },
  batch: { maxEvents: maxCommands, join: batchOf, partialFailures: failedRows },

  // a refusal comes with 200 as well; that of a command stands in the results
  responseRules: [{ status: 200, matches: /"success"\s{0,9}:\s{0,9}false/, verdict: 'refused' }],
})
