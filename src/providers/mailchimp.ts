import { basicAuth } from '#provider/form/authorization.ts'
import { emailAddress } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { isHostLabel } from '#provider/form/secret.ts'
import { isoTime } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { identifier, optional, password, text } from '#provider/form/variables.ts'
import { withSubscription } from '#provider/vendors/subscription.ts'
import {
  customName,
  eventNames,
  eventProperties,
  listStatus,
  memberOf,
  orderOf,
  profileUpdate,
  responseRules,
} from './schemas/mailchimp.ts'

/** An API key ends with the data centre of its account: `…-us21`. */
const dataCenterIn = (key: string) => key.slice(key.lastIndexOf('-') + 1)

export default provider({
  label: 'Mailchimp',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://mailchimp.com/developer/marketing/api/list-member-events/',
  dashboardUrl: 'https://admin.mailchimp.com/account/api/',
  links: {
    onboarding: 'https://mailchimp.com/help/about-api-keys/',
    introduction: 'https://mailchimp.com/developer/marketing/api/list-member-events/',
    faq: 'https://mailchimp.com/developer/marketing/docs/e-commerce/',
  },
  host: 'label',

  secrets: {
    MAILCHIMP_API_KEY: password('API key', 'Account, Extras, API keys: it ends with the data centre, such as -us21.'),
    MAILCHIMP_DATACENTER: text(
      'Data centre',
      'The first part of the address of your account. Without it, it is read from the API key.',
      { ...optional, isHostLabel: true, placeholder: 'us21' },
    ),
    MAILCHIMP_AUDIENCE_ID: identifier('Audience ID', 'Audience, Settings, Audience name and defaults.', {
      check: (id: string) => (/^[\w-]{1,64}$/.test(id) ? undefined : 'Write the id alone: letters and digits.'),
    }),
    MAILCHIMP_STORE_ID: identifier(
      'Store ID',
      'Of a connected store that has all products and variants: Integrations. With it, Purchase is an order of the store as well.',
      {
        ...optional,
        check: (id: string) => (/^[\w-]{1,64}$/.test(id) ? undefined : 'Write the id of the store alone.'),
      },
    ),
    MAILCHIMP_LIST_STATUS: listStatus,
  },

  events: eventNames,
  customEventName: customName,
  user: {
    member: hashed('email', emailAddress, 'md5'),
    email_address: plain('email', emailAddress),
    id: plain('userId'),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
  },
  requires: ['member'],
  acceptsUserEvents: true,
  captures: [{ query: 'mc_cid', cookie: 'mc_cid' }],
  dedup: 'none for events; an order is replaced by its id',

  request(context, secrets, name) {
    const { event, user } = context
    const { MAILCHIMP_API_KEY: key, MAILCHIMP_AUDIENCE_ID: audience, MAILCHIMP_STORE_ID: store } = secrets
    const dataCenter = secrets.MAILCHIMP_DATACENTER ?? dataCenterIn(key)
    if (!isHostLabel(dataCenter)) return { skipped: 'keyRejected' }
    const api = `https://${dataCenter}.api.mailchimp.com/3.0`
    const headers = { authorization: basicAuth('aglet', key) }
    const member = `${api}/lists/${encodeURIComponent(audience)}/members/${user.member}`
    if (context.kind === 'user') return profileUpdate(user, { url: `${member}?skip_merge_validation=true`, headers })
    const eventRequest = {
      url: `${member}/events`,
      headers,
      json: {
        name,
        properties: eventProperties(context),
        occurred_at: isoTime(event.timestamp),
        is_syncing: false,
      },
    }
    const order = event.eventName === 'Purchase' && store ? orderOf(context) : undefined
    const add = (status: string) => memberOf(user.email_address, status, { url: member, headers })
    if (!order || !store) return withSubscription(context, secrets.MAILCHIMP_LIST_STATUS, add, eventRequest)
    // the order goes first: Mailchimp refuses events of buyers who are not in the audience
    const path = `ecommerce/stores/${encodeURIComponent(store)}/orders/${encodeURIComponent(order.id)}`
    return [{ method: 'PUT', url: `${api}/${path}`, headers, json: order }, eventRequest]
  },
  // no batch: the results of Mailchimp's batches come later, and a member who is not in the audience would stay unknown

  responseRules,
})
