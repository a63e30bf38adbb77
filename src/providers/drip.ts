import { basicAuth } from '#provider/form/authorization.ts'
import { emailAddress } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces, shape } from '#provider/form/valueChecks.ts'
import { identifier, password, text } from '#provider/form/variables.ts'
import { examples } from './examples/drip.ts'
import { activityOf, batchRoute, commonActivity, eventOf, joined, providerName, siteOf } from './schemas/drip.ts'

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
    DRIP_PROVIDER: text(
      'Provider',
      'The name of the shop with its orders: lower-case letters, digits and _. Default: its domain.',
      {
        optional: true,
        placeholder: 'my_store',
        check: noSpaces,
      },
    ),
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
  user: { email: plain('email', emailAddress) },
  requires: ['email'],
  dedup: 'order_id with provider; none for events',

  // A refund of an order requires its first grand_total, which the event does not have: it is an event without a value.
  request(context, secrets, name) {
    const site = siteOf(context.event.pageUrl)
    const headers = {
      authorization: basicAuth(secrets.DRIP_API_TOKEN),
      'user-agent': site ? `Aglet (${site})` : 'Aglet',
    }
    const account = secrets.DRIP_ACCOUNT_ID
    const asEvent = { url: `${api}/v2/${account}/events`, headers, json: { events: [eventOf(context, name)] } }
    const activity = activityOf(context)
    if (!activity) return asEvent
    const { route, body } = activity
    const json = { ...commonActivity(context, providerName(secrets.DRIP_PROVIDER ?? site)), ...body }
    const asActivity = { url: `${api}/v3/${account}/shopper_activity/${route}`, headers, json }
    if (route !== 'checkout') return asActivity
    // only the vendor's client knows the route, and its page does not: where it is not found the event is sent
    const responseRules = [{ status: 404, verdict: 'delivered' }] as const
    return {
      next([...results]) {
        if (results.length === 0) return { ...asActivity, resultPath: 'request_id', responseRules }
        return results.length === 1 && results[0] === undefined ? asEvent : undefined
      },
    }
  },
  batch: { maxEvents: 1_000, join: joined, joinKey: batchRoute },

  examples,
})
