import type { EventItem } from '#contract/event.ts'
import { bearerAuth } from '#provider/form/authorization.ts'
import { mapItems } from '#provider/form/items.ts'
import { emailAddress, genderLetter, type Normalise, phoneE164 } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { identifier, password } from '#provider/form/variables.ts'
import { boundedProperties, firstWithin, withCustomData } from '#provider/vendors/boundedProperties.ts'

const hosts = { us: 'api.webengage.com', in: 'api.in.webengage.com', ksa: 'api.ksa.webengage.com' }

const gender: Normalise = (raw, person) => genders.get(genderLetter(raw, person) ?? '')

/** A longer id is dropped: its first 100 characters can be another person's id. */
const shortId: Normalise = (raw) => (raw.trim().length <= 100 ? raw.trim() || undefined : undefined)

export default provider({
  label: 'WebEngage',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://docs.webengage.com/docs/rest-api-tracking-events',
  dashboardUrl: 'https://dashboard.webengage.com',
  links: { onboarding: 'https://docs.webengage.com/docs/rest-api-getting-started' },
  host: 'fixed',

  secrets: {
    WEBENGAGE_LICENSE_CODE: identifier('License code', 'Data platform, Integrations, REST API: the license code.', {
      check: noSpaces,
    }),
    WEBENGAGE_API_KEY: password('API key', 'Data platform, Integrations, REST API: the API key.', { check: noSpaces }),
    WEBENGAGE_DATA_CENTER: region(
      hosts,
      'in or ksa where the address of your dashboard has it. Another one rejects the key.',
    ),
  },

  events: {
    ViewContent: 'Product Viewed',
    AddToCart: 'Added To Cart',
    RemoveFromCart: 'Removed From Cart',
    InitiateCheckout: 'Checkout Started',
    AddShippingInfo: 'Shipping Info Added',
    AddPaymentInfo: 'Payment Info Added',
    Purchase: 'Checkout Completed',
    Subscribe: 'Subscribed',
    Search: 'Searched',
    Lead: 'Lead',
  },
  customEventName: (eventName) => (reserved.test(eventName) ? undefined : eventName.slice(0, 50)),
  user: {
    userId: plain('customerId', shortId),
    anonymousId: plain('anonymousId', shortId),
    email: plain('email', emailAddress),
    phone: plain('phone', phoneE164),
    firstName: plain('firstName'),
    lastName: plain('lastName'),
    gender: plain('gender', gender),
    city: plain('city'),
    region: plain('state'),
    country: plain('country'),
    postalCode: plain('zip'),
  },
  personId: 'customerId',
  // An e-mail is an attribute and identifies nobody: as a userId, it would create a second user for a known customer.
  requires: ['userId', 'anonymousId'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['userId', 'email', 'phone'],
    medium: ['anonymousId'],
  },
  dedup: 'none: a repeat is counted twice',

  // emailOptIn, smsOptIn and similar attributes are never sent.
  request(context, secrets, eventName) {
    const { userId, anonymousId, ...profile } = context.user
    const host = regionHost(hosts, secrets.WEBENGAGE_DATA_CENTER)
    const account = `https://${host}/v1/accounts/${encodeURIComponent(secrets.WEBENGAGE_LICENSE_CODE)}`
    const headers = { authorization: bearerAuth(secrets.WEBENGAGE_API_KEY) }
    if (context.kind === 'user') {
      if (!userId) return { skipped: 'identityMissing' }
      return unlessEmpty(profile)
        ? { url: `${account}/users`, headers, json: { userId, ...profile } }
        : { skipped: 'filtered' }
    }
    const person = userId ? { userId } : { anonymousId }
    const eventTime = `${isoTime(context.event.timestamp).slice(0, 19)}+0000`
    return {
      url: `${account}/events`,
      headers,
      json: { ...person, eventName, eventTime, eventData: eventData(context) },
    }
  },
  // The vendor's own tool sends 25: https://pypi.org/project/webengage-migration/
  batch: {
    maxEvents: 25,
    joinKey: ({ url }) => (url.endsWith('/events') ? url : undefined),
    join: (requests) => ({
      ...requests[0]!,
      url: requests[0]!.url.replace(/events$/, 'bulk-events'),
      json: { events: requests.map(({ json }) => json) },
    }),
  },
})

const genders = new Map([
  ['f', 'female'],
  ['m', 'male'],
])

const productOf = ({ id, title, category, variantId, brand, item_price, quantity, url, image }: EventItem) => ({
  'Product Id': id,
  'Product Name': truncate(title, 1_000),
  Category: category,
  Variant: variantId,
  Brand: brand,
  Price: item_price,
  Quantity: quantity,
  URL: url,
  Image: image,
})

/** Names that begin with `we_` are reserved, and ignored. */
const reserved = /^we_/i

/** The attributes of an event: at most 25 of each type. */
function eventData(context: RequestContext): object {
  const { event, data, items, coupon, value } = context
  const fields = {
    'Order Id': data.orderId,
    Total: value,
    Currency: data.currency,
    Tax: data.tax,
    Shipping: data.shipping,
    Discount: data.discount,
    Coupon: coupon,
    'Search Term': data.search,
    Products: mapItems(firstWithin(items, 50_000), productOf),
    'Page URL': event.pageUrl,
    'Page Title': event.pageTitle,
    Referrer: event.referrer,
  }
  return boundedProperties(withCustomData(fields, context), {
    maxKeyLength: 50,
    maxTextLength: 1_000,
    maxCountOfType: 25,
    reserved,
  })
}
