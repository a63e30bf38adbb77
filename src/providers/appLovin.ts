import { itemsWithId, mapItems } from '#provider/form/items.ts'
import { countryCode, type Normalise, phoneDigits, zipCode } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { identifier, password } from '#provider/form/variables.ts'

/** Axon accepts only US postal codes. */
const usZip: Normalise = (raw, person) =>
  person.country && countryCode(person.country, person) === 'US' ? zipCode(raw, person) : undefined

/** An event without any of these is rejected, and so is an event without the IP address and the user agent. */
const identities = (
  [
    'user_id',
    'email',
    'phone',
    'captured.aleid',
    'captured._axeid',
    'captured.axeid',
    'captured.alart',
    'captured._axart',
    'captured._axwrt',
  ] as const
).map((id) => [id, 'client_ip_address', 'client_user_agent'] as const)

export default provider({
  label: 'AppLovin (Axon)',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://support.axon.ai/en/growth/promoting-your-websites/api/axon-conversion-api',
  dashboardUrl: 'https://ads.axon.ai/',
  links: {
    onboarding: 'https://support.axon.ai/en/growth/promoting-your-websites/api/axon-conversion-api',
    introduction: 'https://support.axon.ai/en/growth/promoting-your-websites/axon-pixel-integration/events-and-objects',
  },
  host: 'fixed',

  secrets: {
    APPLOVIN_PIXEL_ID: identifier('Axon event key', 'Axon Ads Manager, Account, Keys: Axon Event Key (pixel id).', {
      placeholder: '12345678-90ab-cdef-1234-567890abcdef',
      check: (id: string) =>
        /^[\w-]{8,64}$/.test(id) ? undefined : 'Write the key alone: letters, digits and dashes.',
    }),
    APPLOVIN_API_KEY: password('Conversion API key', 'Axon Ads Manager, Account, Keys: Conversion API Key.'),
  },

  events: {
    PageView: 'page_view',
    ViewContent: 'view_item',
    AddToCart: 'add_to_cart',
    RemoveFromCart: 'remove_from_cart',
    InitiateCheckout: 'begin_checkout',
    AddPaymentInfo: 'add_payment_info',
    Purchase: 'purchase',
    Subscribe: 'subscribe',
    Search: 'search',
    Lead: 'generate_lead',
    CompleteRegistration: 'sign_up',
    Login: 'login',
  },
  user: {
    user_id: plain('customerId'),
    email: hashed('email'),
    phone: hashed('phone', phoneDigits),
    client_ip_address: plain('ip'),
    client_user_agent: plain('userAgent'),
    country_code: plain('country', countryCode),
    zip: plain('zip', usZip),
  },
  personId: 'customerId',
  requires: identities,
  captures: [
    { query: 'aleid', cookie: '_axeid' },
    { cookie: 'axeid' },
    { query: 'alart', cookie: '_axart' },
    { cookie: '_axwrt' },
  ],
  matchKeys: {
    strong: [
      'email',
      'phone',
      'captured.aleid',
      'captured._axeid',
      'captured.alart',
      'captured._axart',
      'user_id',
      'captured.axeid',
    ],
    medium: ['captured._axwrt'],
    weak: ['country_code', 'zip', 'client_ip_address', 'client_user_agent'],
  },
  dedup: 'events[].dedupe_id, shared with the pixel',

  request(context, secrets, name) {
    const { event, user, captured } = context
    const axwrt = captured._axwrt?.value
    const row = {
      name,
      event_time: event.timestamp,
      event_source_url: event.pageUrl,
      dedupe_id: event.eventId,
      data: dataOf(name, context),
      user_data: {
        aleid: (captured.aleid ?? captured._axeid ?? captured.axeid)?.value,
        alart: (captured.alart ?? captured._axart)?.value,
        axwrt,
        client_id: axwrt,
        ...user,
        esi: 'web',
      },
    }
    return {
      url: 'https://b.applovin.com/v1/event',
      query: { pixel_id: secrets.APPLOVIN_PIXEL_ID },
      headers: { authorization: secrets.APPLOVIN_API_KEY },
      json: { events: [row] },
    }
  },
  // One invalid event fails the whole batch.
  batch: { listPath: 'events', maxEvents: 100 },
})

/** The `data` of an event. Null if nothing is known, because the member is required. */
function dataOf(name: string, { data, items, value }: Pick<RequestContext, 'data' | 'items' | 'value'>) {
  const list = mapItems(itemsWithId(items), ({ id, title, variantId, category, image, item_price, quantity = 1 }) => ({
    item_id: id,
    item_name: title,
    item_variant_id: variantId,
    // A number of Google's product taxonomy.
    item_category_id: /^\d{1,9}$/.test(category ?? '') ? Number(category) : undefined,
    image_url: image,
    price: item_price,
    quantity,
  }))
  const members = {
    currency: data.currency,
    value,
    transaction_id: data.orderId,
    shipping: data.shipping,
    tax: data.tax,
    search_term: data.search,
    [name === 'search' ? 'results' : 'items']: list,
  }
  return unlessEmpty(members) ?? null
}
