import { basicAuth } from '#provider/form/authorization.ts'
import { emailAddress, validE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces, shape } from '#provider/form/valueChecks.ts'
import { identifier, password, text } from '#provider/form/variables.ts'
import { listVariable, withSubscription } from '#provider/vendors/subscription.ts'
import {
  activityOf,
  batchRoute,
  commonActivity,
  elseEvent,
  eventOf,
  joined,
  listedOf,
  providerName,
  siteOf,
  subscribersOf,
} from './schemas/drip.ts'

const api = 'https://api.getdrip.com'
// 3,600 requests in an hour are too few for page views
const { PageView: _, ...names } = standardEventNames

export default provider({
  label: 'Drip',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://developer.drip.com/#shopper-activity',
  dashboardUrl: 'https://www.getdrip.com/user/edit',
  links: {
    onboarding: 'https://developer.drip.com/#authentication',
    introduction: 'https://developer.drip.com/#events',
    faq: 'https://developer.drip.com/#rate-limiting',
  },
  host: 'fixed',

  secrets: {
    DRIP_ACCOUNT_ID: identifier('Account ID', 'Settings, Account, General info: the number of the account.', {
      placeholder: '9999999',
      check: shape(/^[\w-]+$/, 'Write only the number of the account.'),
    }),
    DRIP_API_TOKEN: password('API token', 'User settings, User info: the API token.', { check: noSpaces }),
    DRIP_PROVIDER: text('Provider', 'The name of the shop with its orders, in lower snake case. Default: its domain.', {
      optional: true,
      placeholder: 'my_store',
      check: noSpaces,
    }),
    DRIP_LIST_CAMPAIGN_ID: listVariable('Email series', 'Email Series: the number in the address.', '888888'),
  },

  events: {
    ...names,
    ViewContent: 'Viewed a Product',
    AddToCart: 'Added to cart',
    RemoveFromCart: 'Removed from cart',
    InitiateCheckout: 'Started checkout',
    Purchase: 'Placed an order',
  },
  customEventName: (eventName) => eventName,
  user: {
    email: plain('email', emailAddress),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    phone: plain('phone', validE164),
    city: plain('city'),
    state: plain('state'),
    zip: plain('zip'),
    country: plain('country'),
  },
  requires: ['email'],
  acceptsUserEvents: true,
  dedup: 'order_id with provider; none for events',

  // The page of events does not say with which status an unknown person is created; that of orders and carts does.
  // A refund of an order requires its first grand_total, which the event does not have: it is an event without a value.
  request(context, secrets, name) {
    const site = siteOf(context.event.pageUrl)
    const headers = {
      authorization: basicAuth(secrets.DRIP_API_TOKEN),
      'user-agent': site ? `Aglet (${site})` : 'Aglet',
    }
    const v2 = `${api}/v2/${secrets.DRIP_ACCOUNT_ID}`
    if (context.kind === 'user') {
      const subscribers = subscribersOf(context.user)
      return subscribers ? { url: `${v2}/subscribers`, headers, json: { subscribers } } : { skipped: 'filtered' }
    }
    const asEvent = () => ({ url: `${v2}/events`, headers, json: { events: [eventOf(context, name)] } })
    const activity = activityOf(context)
    const add = (series: string) => ({ url: `${v2}/campaigns/${series}/subscribers`, headers, json: listedOf(context) })
    if (!activity) return withSubscription(context, secrets.DRIP_LIST_CAMPAIGN_ID, add, asEvent())
    const { route, body } = activity
    const json = { ...commonActivity(context, providerName(secrets.DRIP_PROVIDER ?? site)), ...body }
    const asActivity = { url: `${api}/v3/${secrets.DRIP_ACCOUNT_ID}/shopper_activity/${route}`, headers, json }
    return route === 'checkout' ? elseEvent(asActivity, asEvent()) : asActivity
  },
  batch: { maxEvents: 1_000, join: joined, joinKey: batchRoute },
})
