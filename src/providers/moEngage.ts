import { basicAuth } from '#provider/form/authorization.ts'
import { mapItems } from '#provider/form/items.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { identifier, password } from '#provider/form/variables.ts'
import {
  boundedProperties,
  firstWithin,
  snakeCaseItem,
  snakeCaseProperties,
} from '#provider/vendors/boundedProperties.ts'

const dataCenters = ['01', '02', '03', '04', '05', '06', '101']

const hosts = Object.fromEntries(dataCenters.map((number) => [number, `api-${number}.moengage.com`]))

const {
  optional: _,
  default: __,
  ...dataCenter
} = region(hosts, 'The number in the address of your dashboard: 01 for dashboard-01.moengage.com.')

const headersOf = (app: string, key: string) => ({ authorization: basicAuth(app, key), 'moe-appkey': app })

export default provider({
  label: 'MoEngage',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://www.moengage.com/docs/api/event/track-event',
  dashboardUrl: 'https://dashboard-01.moengage.com',
  links: {
    onboarding: 'https://developers.moengage.com/hc/en-us/articles/4404674776724',
    introduction: 'https://developers.moengage.com/hc/en-us/articles/4413167466260',
  },
  host: 'fixed',

  secrets: {
    MOENGAGE_WORKSPACE_ID: identifier('Workspace ID', 'Settings, Account, APIs: the workspace ID, earlier app ID.', {
      check: noSpaces,
    }),
    MOENGAGE_DATA_API_KEY: password('Data API key', 'Settings, Account, APIs: the key of Data.', { check: noSpaces }),
    MOENGAGE_DATA_CENTER: dataCenter,
  },

  events: {
    ...standardEventNames,
    ViewContent: 'ProductViewed',
    AddToCart: 'ProductAdded',
    RemoveFromCart: 'ProductRemoved',
    InitiateCheckout: 'CheckoutStarted',
    AddShippingInfo: 'ShippingInfoAdded',
    AddPaymentInfo: 'PaymentInfoAdded',
  },
  customEventName: (eventName) => (reserved.test(eventName) ? undefined : eventName),
  user: {
    customer_id: plain('customerId'),
    email: plain('email', emailAddress),
    mobile: plain('phone', phoneE164),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    ip: plain('ip'),
  },
  personId: 'customerId',
  // An e-mail as customer_id would create a second user for a known customer. Only workspaces with identity resolution
  // find users by e-mail.
  requires: ['customer_id'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['customer_id', 'email', 'mobile'],
  },
  dedup: 'none: a repeat is counted twice',

  request(context, { MOENGAGE_WORKSPACE_ID: workspace, ...secrets }, action) {
    const { customer_id, ip, ...profile } = context.user
    const host = regionHost(hosts, secrets.MOENGAGE_DATA_CENTER)
    const url = (kind: string) => `https://${host}/v1/${kind}/${encodeURIComponent(workspace)}`
    const headers = { ...headersOf(workspace, secrets.MOENGAGE_DATA_API_KEY), 'x-forwarded-for': ip }
    const attributes = unlessEmpty(profile)
    if (context.kind === 'user')
      return attributes
        ? { url: url('customer'), headers, json: { type: 'customer', customer_id, attributes } }
        : { skipped: 'filtered' }
    return { url: url('event'), headers, json: { type: 'event', customer_id, actions: [actionOf(context, action)] } }
  },
  // The events of one person. The route for several people responds with 200 to every request, so it is not used.
  batch: { listPath: 'actions', maxEvents: 100, maxBytes: 100_000, singleEventHeaders: ['x-forwarded-for'] },

  toTestMode({ headers, url, ...request }, { MOENGAGE_WORKSPACE_ID: workspace, MOENGAGE_DATA_API_KEY: key }) {
    const test = `${workspace}_DEBUG`
    return { ...request, url: `${url}_DEBUG`, headers: { ...headers, ...headersOf(test, key) } }
  },
})

/** Names that begin with `moe_` are reserved. */
const reserved = /^moe_/i

/**
 * A member of `actions`. The vendor's page names ISO 8601; its samples use epoch ms and s. MoEngage rejects a time in
 * the future.
 */
function actionOf(context: RequestContext, action: string) {
  const time = isoTime(Math.min(context.event.timestamp, context.now))
  const properties = boundedProperties(snakeCaseProperties(context), { reserved, maxBytes: 40_000 })
  const products = mapItems(firstWithin(context.items, 50_000), snakeCaseItem)
  return { action, attributes: { ...properties, products }, platform: 'web', user_time: time, current_time: time }
}
