import { bearerAuth } from '#provider/form/authorization.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import type { Skip } from '#provider/form/request.ts'
import type { RequestSteps } from '#provider/form/steps.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { password } from '#provider/form/variables.ts'
import { boundedProperties, propertiesWithFirstItem } from '#provider/vendors/boundedProperties.ts'
import type { FlatValue } from '#provider/vendors/eventFields.ts'
import { mappedTraits, traitFields, traitMapping } from '#provider/vendors/personTraits.ts'

const privateKeyCheck = (key: string) =>
  key.startsWith('pk_') ? 'Write the private key: it begins with sk_. The public key does not work.' : noSpaces(key)

export default provider({
  label: 'Postscript',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://developers.postscript.io/reference/create-custom-event',
  dashboardUrl: 'https://app.postscript.io/account/api',
  links: {
    onboarding: 'https://app.postscript.io/account/api',
    faq: 'https://developers.postscript.io/docs/rate-limits',
  },
  host: 'fixed',

  secrets: {
    POSTSCRIPT_API_KEY: password('API key', 'Your shop, API: the private key (sk_…), or your key as a partner.', {
      check: privateKeyCheck,
    }),
    POSTSCRIPT_SHOP_TOKEN: password('Shop token', 'Only with the key of a partner: the token of the shop.', {
      optional: true,
      check: noSpaces,
    }),
    POSTSCRIPT_TRAITS: traitMapping('a property of your subscribers', ['tier', 'tier']),
  },

  // Postscript has no standard names. Its dashboard shows `<shop name> - <type>`.
  events: {
    PageView: 'page_viewed',
    ViewContent: 'product_viewed',
    AddToCart: 'added_to_cart',
    RemoveFromCart: 'removed_from_cart',
    InitiateCheckout: 'checkout_started',
    AddShippingInfo: 'shipping_info_added',
    AddPaymentInfo: 'payment_info_added',
    Purchase: 'order_placed',
    Subscribe: 'subscribed',
    Search: 'searched',
    Lead: 'lead',
  },
  customEventName: (eventName) => eventName.replace(/\W/g, '_'),
  user: { email: plain('email', emailAddress), phone: plain('phone', phoneE164), ...traitFields },
  personId: 'none',
  // An order with only an e-mail: an event finds the subscriber with this e-mail.
  requires: ['email', 'phone'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['email', 'phone'],
  },
  dedup: 'external_id; the page does not state what it does',

  // Postscript rejects events of people who are not subscribers. POST /api/v2/subscribers, which subscribes people, is
  // never called.
  request(context, secrets, type) {
    const { event } = context
    const { email, phone } = context.user
    const headers = {
      authorization: bearerAuth(secrets.POSTSCRIPT_API_KEY),
      'x-postscript-shop-token': secrets.POSTSCRIPT_SHOP_TOKEN,
    }
    if (context.kind === 'user')
      return subscriberUpdate(
        { email, phone },
        { headers, properties: mappedTraits(context, secrets.POSTSCRIPT_TRAITS) },
      )
    return {
      url: `${api}/events`,
      headers,
      json: {
        type,
        email,
        phone,
        occurred_at: isoTime(event.timestamp).replace('T', ' ').replace('Z', '000'),
        external_id: event.eventId,
        properties: boundedProperties(propertiesWithFirstItem(context), { nested: 'text' }),
      },
    }
  },
})

const api = 'https://api.postscript.io/api/v2'

type Contact = { email?: string | undefined; phone?: string | undefined }

type Properties = Readonly<Record<string, FlatValue>>

type Update = { headers: Readonly<Record<string, string | undefined>>; properties: Properties | undefined }

/** A subscriber has at most 50 properties. Values are texts, integers and booleans. */
const storable = (properties: Properties) =>
  Object.fromEntries(
    Object.entries(properties)
      .slice(0, 50)
      .map(([name, value]) => [name, typeof value === 'number' && !Number.isInteger(value) ? String(value) : value]),
  )

/**
 * Finds the subscriber, then changes the properties:
 * https://developers.postscript.io/reference/update-subscriber-by-id. Creates no subscriber.
 */
function subscriberUpdate({ email, phone }: Contact, { headers, properties }: Update): RequestSteps | Skip {
  if (!properties) return { skipped: 'filtered' }
  const query = phone ? { phone_number__eq: phone } : { email__eq: email }
  return {
    next(results) {
      if (results.length === 0) return { url: `${api}/subscribers`, query, headers, resultPath: 'subscribers.0.id' }
      if (results.length > 1) return undefined
      const [id] = results
      if (id === undefined) return { skipped: 'identityMissing' }
      return {
        method: 'PATCH',
        url: `${api}/subscribers/${encodeURIComponent(id)}`,
        headers,
        json: { properties: storable(properties) },
      }
    },
  }
}
