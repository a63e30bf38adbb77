import { itemsWithId, wholeQuantity } from '#provider/form/items.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import type { RequestContext, Skip } from '#provider/form/request.ts'
import type { ResponseRule } from '#provider/form/responseRule.ts'
import type { RequestSteps, StepSpec } from '#provider/form/steps.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { boundedProperties } from '#provider/vendors/boundedProperties.ts'
import { flatProperties } from '#provider/vendors/eventProperties.ts'
import { listVariable } from '#provider/vendors/subscription.ts'

export const eventNames = {
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
}

/** 2 to 30 letters, digits, `_`, `-` and spaces; undefined for a name that cannot be made into one. */
export function customName(name: string): string | undefined {
  const made = name
    .replace(/[^\w -]/g, '_')
    .slice(0, 30)
    .trim()
  return made.length >= 2 ? made : undefined
}

/** The values of properties are text. */
export const eventProperties = (context: RequestContext): Record<string, string> =>
  Object.fromEntries(
    Object.entries(boundedProperties(flatProperties(context), { maxBytes: 30_000 })).map(([name, value]) => [
      name,
      String(value),
    ]),
  )

/** The person of an order: `member` is the MD5 of the e-mail. */
type Buyer = { member: never; email_address: never; id: never; first_name: never; last_name: never }

/** An order; undefined without a total, a currency or a line, which Mailchimp requires. */
export function orderOf({ event, data, items, orderId, user, value, captured }: RequestContext<Buyer>) {
  const bought = itemsWithId(items)
  if (value === undefined || data.currency === undefined || bought.length === 0) return undefined
  const { member, id, ...buyer } = user
  return {
    id: truncate(orderId, 50),
    customer: {
      id: id && id.length <= 50 ? id : member,
      ...buyer,
      // a new member of the audience is transactional by this; a member who subscribed stays subscribed
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
 * Updates the merge fields that every audience has at first. It makes no member and changes no subscription: a person
 * who is not in the audience has no profile.
 */
export function profileUpdate(
  { first_name: FNAME, last_name: LNAME }: { first_name?: string; last_name?: string },
  member: StepSpec,
): RequestSteps | Skip {
  const merge_fields = unlessEmpty({ FNAME, LNAME })
  if (!merge_fields) return { skipped: 'filtered' }
  const update: StepSpec = {
    ...member,
    method: 'PATCH',
    json: { merge_fields },
    // a number in a problem, else the subscription of the member
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

export const listStatus = listVariable(
  'Status of new members',
  'subscribed, or pending where Mailchimp asks for a confirmation by e-mail. Members of the audience keep theirs.',
  'pending',
  (status) => (/^(subscribed|pending)$/.test(status) ? undefined : 'Write subscribed or pending.'),
)

/** A new member of the audience, before the event: Mailchimp refuses events of others. */
export const memberOf = (email_address: string | undefined, status_if_new: string, member: StepSpec): StepSpec => ({
  ...member,
  method: 'PUT',
  json: { email_address, status_if_new },
})

export const responseRules: readonly ResponseRule[] = [
  { status: 403, path: 'title', matches: /^wrong ?data ?center$/i, verdict: 'keyRejected' },
  { status: 403, path: 'title', verdict: 'refused' },
  // above the limit of connections the answer is a page
  { status: 403, verdict: 'throttled' },
]
