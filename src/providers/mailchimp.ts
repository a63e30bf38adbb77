import { basicAuth } from '#provider/form/authorization.ts'
import { itemsWithId, wholeQuantity } from '#provider/form/items.ts'
import { emailAddress } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext, Skip } from '#provider/form/request.ts'
import type { ResponseRule } from '#provider/form/responseRule.ts'
import { isHostLabel } from '#provider/form/secret.ts'
import type { RequestSteps, StepSpec } from '#provider/form/steps.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { identifier, optional, password, text } from '#provider/form/variables.ts'
import { boundedProperties } from '#provider/vendors/boundedProperties.ts'
import { flatProperties } from '#provider/vendors/eventProperties.ts'
import { listVariable, withSubscription } from '#provider/vendors/subscription.ts'

/** The data centre of the account, the suffix of its API key: `…-us21`. */
const dataCenterIn = (key: string) => key.slice(key.lastIndexOf('-') + 1)

const listStatus = listVariable(
  'Status of new members',
  'subscribed, or pending where Mailchimp asks for a confirmation by e-mail. Members of the audience keep theirs.',
  'pending',
  (status) => (/^(subscribed|pending)$/.test(status) ? undefined : 'Write subscribed or pending.'),
)

const responseRules: readonly ResponseRule[] = [
  { status: 403, path: 'title', matches: /^wrong ?data ?center$/i, verdict: 'keyRejected' },
  { status: 403, path: 'title', verdict: 'refused' },
  // Above the limit of connections, Mailchimp responds with an HTML page.
  { status: 403, verdict: 'throttled' },
]

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

  events: {
    ViewContent: 'viewed_product',
    AddToCart: 'added_to_cart',
    RemoveFromCart: 'removed_from_cart',
    InitiateCheckout: 'started_checkout',
    AddShippingInfo: 'added_shipping_info',
    AddPaymentInfo: 'added_payment_info',
    Purchase: 'purchased',
    Subscribe: 'subscribed',
    Search: 'searched',
    Lead: 'lead',
  },
  customEventName: customName,
  user: {
    member: hashed('email', emailAddress, 'md5'),
    email_address: plain('email', emailAddress),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
  },
  personId: 'none',
  // An order with only an e-mail: the member is the MD5 of the e-mail.
  requires: ['member'],
  acceptsUserEvents: true,
  captures: [{ query: 'mc_cid', cookie: 'mc_cid' }],
  matchKeys: {
    strong: ['member', 'email_address'],
  },
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
    // The order precedes the event: Mailchimp rejects events of buyers who are not in the audience.
    const path = `ecommerce/stores/${encodeURIComponent(store)}/orders/${encodeURIComponent(order.id)}`
    return [{ method: 'PUT', url: `${api}/${path}`, headers, json: order }, eventRequest]
  },
  // No batch: the results of Mailchimp's batches arrive later, so members who are not in the audience would go
  // unnoticed.

  responseRules,
})

/** 2 to 30 letters, digits, `_`, `-` and spaces. Undefined if the name cannot be converted. */
function customName(name: string): string | undefined {
  const made = name
    .replace(/[^\w -]/g, '_')
    .slice(0, 30)
    .trim()
  return made.length >= 2 ? made : undefined
}

/** The properties of an event. All values are texts. */
const eventProperties = (context: RequestContext): Record<string, string> =>
  Object.fromEntries(
    Object.entries(boundedProperties(flatProperties(context), { maxBytes: 30_000 })).map(([name, value]) => [
      name,
      String(value),
    ]),
  )

/** The person of an order: `member` is the MD5 of the e-mail. */
type Buyer = { member: never; email_address: never; first_name: never; last_name: never }

/** An order. Undefined without a total, a currency or a line, which Mailchimp requires. */
function orderOf({ event, data, items, orderId, user, value, captured }: RequestContext<Buyer>) {
  const bought = itemsWithId(items)
  if (value === undefined || data.currency === undefined || bought.length === 0) return undefined
  const { member, ...buyer } = user
  return {
    id: truncate(orderId, 50),
    customer: {
      // The same for all orders with this e-mail: a store has one customer per e-mail.
      id: member,
      ...buyer,
      // Makes a new member of the audience transactional. A subscribed member stays subscribed.
      opt_in_status: false,
    },
    currency_code: data.currency,
    order_total: value,
    tax_total: data.tax,
    shipping_total: data.shipping,
    processed_at_foreign: isoTime(event.timestamp),
    campaign_id: /^[0-9a-f]{10}$/.exec(captured.mc_cid?.value ?? '')?.[0],
    lines: bought.map((item, line) => ({
      id: String(line + 1),
      product_id: item.id,
      product_variant_id: item.variantId ?? item.id,
      quantity: wholeQuantity(item),
      price: item.item_price ?? 0,
    })),
  }
}

/**
 * Updates the merge fields that every new audience has. Creates no member and changes no subscription: a person who is
 * not in the audience has no profile.
 */
function profileUpdate(
  { first_name: FNAME, last_name: LNAME }: { first_name?: string; last_name?: string },
  member: StepSpec,
): RequestSteps | Skip {
  const merge_fields = unlessEmpty({ FNAME, LNAME })
  if (!merge_fields) return { skipped: 'filtered' }
  const update: StepSpec = {
    ...member,
    method: 'PATCH',
    json: { merge_fields },
    // In an error, a number; otherwise, the member's subscription.
    resultPath: 'status',
    responseRules: [{ status: 404, path: 'status', verdict: 'delivered' }],
  }
  return {
    next: ({ length, 0: status }) => {
      if (length === 0) return update
      return status === '404' ? { skipped: 'identityMissing' } : undefined
    },
  }
}

/** Adds a new member to the audience before the event: Mailchimp rejects events of people who are not members. */
const memberOf = (email_address: string | undefined, status_if_new: string, member: StepSpec): StepSpec => ({
  ...member,
  method: 'PUT',
  json: { email_address, status_if_new },
})
