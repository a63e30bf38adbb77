import { bearerAuth } from '#provider/form/authorization.ts'
import { mappedIdCheck } from '#provider/form/eventMapping.ts'
import { emailAddress, validE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { plain } from '#provider/form/userRule.ts'
import { eventMapping, identifier, optional, password } from '#provider/form/variables.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'
import { crossChannel, customerOf, eventOf, failedRows, joinBodies, orderOf } from './schemas/listrak.ts'

const api = 'https://api.listrak.com'

/** A longer value is left out: cut, it would name another person. */
const atMost = (maxLength: number, text: string | undefined) => (text && text.length <= maxLength ? text : undefined)

export default provider({
  label: 'Listrak',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://api.listrak.com/data',
  dashboardUrl: 'https://admin.listrak.com',
  links: {
    onboarding: 'https://api.listrak.com/data#section/Authentication',
    introduction: 'https://api.listrak.com/crosschannel/v1/docs',
  },
  host: 'fixed',

  secrets: {
    LISTRAK_CLIENT_ID: identifier(
      'Client ID',
      'Integrations Management, an integration of the type Data: its client id.',
    ),
    LISTRAK_CLIENT_SECRET: password('Client secret', 'It is shown once, when the Data integration is made.'),
    LISTRAK_MAPPED_EVENTS: eventMapping(
      'the eventUID of a custom event: Cross Channel, Event Manager. For a script with the Cross Channel credentials',
      '0a1b2c3d-0000-4000-8000-000000000001',
      { ...optional, check: mappedIdCheck(/^[\w-]{1,64}$/, 'Write the eventUID of each custom event.') },
    ),
    LISTRAK_CC_CLIENT_ID: identifier(
      'Cross Channel client ID',
      'Of an integration of the type Cross Channel. A script with it sends the mapped events and no orders: make a second script for orders.',
      optional,
    ),
    LISTRAK_TRAITS: traitMapping('one of the fields meta1 to meta5 of a customer', ['tier', 'meta1'], {
      keys: 'custom',
      check: mappedIdCheck(/^meta[1-5]$/, 'Write meta1, meta2, meta3, meta4 or meta5.'),
    }),
    LISTRAK_CC_CLIENT_SECRET: password('Cross Channel client secret', 'Of the Cross Channel integration.', optional),
  },

  events: { Purchase: '' },
  eventMapping: 'LISTRAK_MAPPED_EVENTS',
  user: {
    email: plain('email', (raw, person) => atMost(100, emailAddress(raw, person))),
    phone: plain('phone', validE164),
    customerNumber: plain('userId', (raw) => atMost(20, raw.trim() || undefined)),
    firstName: plain('firstName', (raw) => atMost(50, raw)),
    lastName: plain('lastName', (raw) => atMost(50, raw)),
    zipCode: plain('zip', (raw) => atMost(20, raw)),
  },
  requires: ['email', 'phone'],
  acceptsUserEvents: true,
  dedup: 'orderNumber: an order is replaced; events have none',

  tokenRequest: {
    request: (secrets) => ({
      url: 'https://auth.listrak.com/OAuth2/Token',
      form: {
        grant_type: 'client_credentials',
        ...(crossChannel(secrets) ?? {
          client_id: secrets.LISTRAK_CLIENT_ID,
          client_secret: secrets.LISTRAK_CLIENT_SECRET,
        }),
      },
    }),
  },
  request(context, secrets, eventUID) {
    const { event, user, token } = context
    const headers = { authorization: bearerAuth(token) }
    if (crossChannel(secrets)) {
      if (!eventUID || context.kind === 'user') return { skipped: 'filtered' }
      const url = `${api}/crosschannel/v1/eventConfigurations/${encodeURIComponent(eventUID)}/events`
      return { url, headers, json: { events: [eventOf(context)] } }
    }
    if (context.kind === 'tag' && event.eventName !== 'Purchase') return { skipped: 'filtered' }
    // an order or a customer without an e-mail is only for accounts of another kind
    if (!user.email) return { skipped: 'identityMissing' }
    if (context.kind === 'user') {
      const customer = customerOf(user, mappedTraits(context, secrets.LISTRAK_TRAITS))
      return customer ? { url: `${api}/data/v1/Customer`, headers, json: [customer] } : { skipped: 'filtered' }
    }
    return { url: `${api}/data/v1/Order`, headers, json: [orderOf(context, user.email, user.customerNumber)] }
  },
  batch: { maxEvents: 100, join: joinBodies, joinKey: ({ url }) => url, partialFailures: failedRows },

  // a recipient of an event that Listrak refuses stands inside a 200
  errorMessage: 'data.0.errors.0',
  responseRules: [
    { status: 200, path: 'data.0.statusCode', between: [500, 599], verdict: 'retry' },
    { status: 200, path: 'data.0.statusCode', between: [400, 499], verdict: 'refused' },
  ],
})
