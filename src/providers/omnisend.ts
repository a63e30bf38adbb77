import type { EventItem } from '#contract/event.ts'
import { toUuid } from '#provider/form/ids.ts'
import { wholeQuantity } from '#provider/form/items.ts'
import { countryCode, emailAddress, genderLetter, isoBirthDate, phoneE164 } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext, RequestSpec, Skip } from '#provider/form/request.ts'
import { inSteps } from '#provider/form/steps.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { checkbox, optional, password } from '#provider/form/variables.ts'
import { boundedProperties, snakeCaseProperties } from '#provider/vendors/boundedProperties.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'
import { withSubscription } from '#provider/vendors/subscription.ts'

/** Omnisend has no lists: a subscriber receives all e-mail campaigns. */
const optInVariable = checkbox(
  'Subscribe by e-mail',
  'Subscribe makes the contact a subscriber by e-mail, unless the person refused advertising. No other event does.',
  optional,
)

export default provider({
  label: 'Omnisend',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://api-docs.omnisend.com/reference/post_events',
  dashboardUrl: 'https://app.omnisend.com/integrations/api-keys',
  links: {
    onboarding: 'https://api-docs.omnisend.com/reference/authentication',
    introduction: 'https://api-docs.omnisend.com/docs/how-to-send-events-rest-api',
    faq: 'https://api-docs.omnisend.com/reference-link/events',
  },
  host: 'fixed',

  secrets: {
    OMNISEND_API_KEY: password(
      'API key',
      'Store settings, API keys, Create API key: with events.write, and contacts.write for updates.',
      {
        check: noSpaces,
      },
    ),
    OMNISEND_OPT_IN: optInVariable,
    OMNISEND_TRAITS: traitMapping('a custom property of your contacts', ['tier', 'tier'], { keys: 'custom' }),
  },

  events: {
    PageView: 'viewed page',
    ViewContent: 'viewed product',
    AddToCart: 'added product to cart',
    RemoveFromCart: 'removed product from cart',
    InitiateCheckout: 'started checkout',
    AddShippingInfo: 'added shipping info',
    AddPaymentInfo: 'added payment info',
    Purchase: 'placed order',
    Subscribe: 'subscribed',
    Search: 'searched',
    Lead: 'lead',
  },
  customEventName: (eventName) => eventName,
  user: {
    email: plain('email', emailAddress),
    phone: plain('phone', phoneE164),
    firstName: plain('firstName'),
    lastName: plain('lastName'),
    gender: plain('gender', genderLetter),
    birthdate: plain('dateOfBirth', isoBirthDate),
    city: plain('city'),
    state: plain('state'),
    postalCode: plain('zip'),
    country: plain('country'),
    countryCode: plain('country', countryCode),
  },
  personId: 'none',
  // An order with only an e-mail: an event finds the contact with this e-mail. The shop's own id identifies no contact.
  requires: ['email', 'phone', 'captured.omnisendContactID'],
  acceptsUserEvents: true,
  captures: [{ query: 'omnisendContactID', cookie: 'omnisendContactID' }],
  matchKeys: {
    strong: ['email', 'phone', 'captured.omnisendContactID'],
  },
  dedup: 'eventID with eventTime; for historical events only',

  // An event creates its contact without a subscription: https://api-docs.omnisend.com/reference-link/events
  request(context, secrets, name) {
    const { event, user, captured } = context
    const id = /^[0-9a-f]{24}$/i.exec(captured.omnisendContactID?.value ?? '')?.[0]
    if (!id && !user.email && !user.phone) return { skipped: 'identityMissing' }
    const headers = { authorization: `Omnisend-API-Key ${secrets.OMNISEND_API_KEY}`, 'omnisend-version': '2026-03-15' }
    if (context.kind === 'user')
      return contactUpdate(user, { headers, customProperties: mappedTraits(context, secrets.OMNISEND_TRAITS) })
    const sends = propertiesOf(name, context).map((properties, i) => ({
      url: 'https://api.omnisend.com/api/events',
      headers,
      json: {
        eventName: name,
        eventID: toUuid(i === 0 ? event.eventId : `${event.eventId}:${i + 1}`),
        eventTime: isoTime(event.timestamp),
        eventVersion: eventVersions[name],
        origin: 'api',
        contact: { id, ...user },
        properties,
      },
    }))
    const add = () => subscriptionOf(context, headers)
    return sends.length > 1
      ? inSteps(sends)
      : withSubscription(context, secrets.OMNISEND_OPT_IN === '1' ? 'all' : undefined, add, ...sends)
  },
})

/** The versions of the recommended events. Automations ignore any other version. */
const eventVersions: Readonly<Record<string, string>> = {
  'viewed product': 'v4', // https://api-docs.omnisend.com/docs/how-to-enable-product-abandonment
  'added product to cart': '',
  'started checkout': '', // https://api-docs.omnisend.com/docs/started-checkout; public implementations send v2
  'placed order': 'v2', // https://api-docs.omnisend.com/docs/how-to-enable-order-confirmation-flow shows v2 for a paid order
}

const lineItem = ({ id, variantId = id, sku, title, quantity = 1, item_price, url, image }: EventItem) => ({
  productID: id,
  productVariantID: variantId,
  productSKU: sku,
  productTitle: title,
  productQuantity: wholeQuantity({ quantity }),
  productPrice: item_price,
  productURL: url,
  productImageURL: image,
})

/** An event names one added product. Beyond this number of products in one event, the others are omitted. */
const maxAddedItems = 20

function cartOf({ data, event, items, value }: RequestContext) {
  const cartID = typeof data.cartId === 'string' && data.cartId ? data.cartId : event.eventId
  return {
    cartID,
    abandonedCheckoutURL: data.checkoutUrl,
    currency: data.currency,
    value,
    lineItems: items.map(lineItem),
  }
}

function viewedProduct({ data, event, items: [item] }: RequestContext) {
  if (!item) return undefined
  const { id, title, item_price: price, url = event.pageUrl, image: imageUrl } = item
  return { id, title, price, currency: data.currency, url, imageUrl, status: 'inStock' }
}

const orderOf = ({ data, event, items, orderId, value }: RequestContext) => ({
  orderID: orderId,
  orderNumber: orderId,
  createdAt: isoTime(event.timestamp),
  currency: data.currency,
  totalPrice: value,
  paymentStatus: 'paid',
  fulfillmentStatus: 'unfulfilled',
  lineItems: items.map(lineItem),
})

/** The properties of each Omnisend event for one event. Custom events have flat properties. */
function propertiesOf(name: string, context: RequestContext): object[] {
  if (name === 'placed order') return [orderOf(context)]
  if (name === 'viewed product') return [{ product: viewedProduct(context) }]
  if (name === 'started checkout') return [cartOf(context)]
  const added = context.items.slice(0, maxAddedItems).map(lineItem)
  if (name === 'added product to cart')
    return (added.length > 0 ? added : [undefined]).map((addedItem) => ({ ...cartOf(context), addedItem }))
  const flat = boundedProperties(snakeCaseProperties(context), { nested: 'omit' })
  return [{ ...flat, ...added[0] }]
}

/**
 * Updates a contact, which Omnisend finds by its e-mail: https://api-docs.omnisend.com/reference/patch_contacts.
 * Without `identifiers`, the update changes no subscription. It creates no contact.
 */
function contactUpdate(
  { email, phone: _, ...fields }: Readonly<Record<string, string | undefined>>,
  { headers, customProperties }: { headers: Readonly<Record<string, string>>; customProperties: object | undefined },
): RequestSpec | Skip {
  const json = unlessEmpty({ ...fields, customProperties })
  if (!email) return { skipped: 'identityMissing' }
  if (!json) return { skipped: 'filtered' }
  return { method: 'PATCH', url: 'https://api.omnisend.com/api/contacts', query: { email }, headers, json }
}

/**
 * Subscribes a contact: https://api-docs.omnisend.com/reference/post_contacts. `statusDate` in the older guide is
 * `statusChangedAt` in the version used here.
 */
function subscriptionOf(
  { event, user }: RequestContext,
  headers: Readonly<Record<string, string>>,
): RequestSpec | undefined {
  const { email } = user
  const status = { status: 'subscribed', statusChangedAt: isoTime(event.timestamp) }
  const identifiers = [{ type: 'email', id: email, channels: { email: status } }]
  return email ? { url: 'https://api.omnisend.com/api/contacts', headers, json: { identifiers } } : undefined
}
