import type { EventItem } from '#contract/event.ts'
import { bearerAuth } from '#provider/form/authorization.ts'
import { isOptedOut } from '#provider/form/consentSignals.ts'
import { itemsWithId, mapItems, totalQuantity, wholeQuantity } from '#provider/form/items.ts'
import { unlessNegative } from '#provider/form/money.ts'
import { canonicalMailbox } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestSpec } from '#provider/form/request.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { browserPixel, idCheck, identifier, optional, password, text, tokenCheck } from '#provider/form/variables.ts'

/** Events of these types have no value. The vendor's older page lists the types that do. */
const withoutValue = ['PAGE_VISIT', 'SEARCH']

/** The events are a list in `data`. An event for the test view is a separate request. */
const joinEvents = {
  countEvents: (request: RequestSpec) => (bodyOf(request).data.test_id ? 1_000 : 1),
  join(requests: readonly RequestSpec[]): RequestSpec {
    const first = requests[0]!
    const events = requests.flatMap((request) => bodyOf(request).data.events)
    return { ...first, json: { data: { ...bodyOf(first).data, events } } }
  },
}

export default provider({
  label: 'Reddit',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  limitedUse: true,
  docs: 'https://ads-api.reddit.com/docs/v3/',
  dashboardUrl: 'https://ads.reddit.com/events-manager',
  links: { onboarding: 'https://business.reddithelp.com/s/article/Conversions-API' },
  host: 'fixed',
  hasBrowserModule: true,

  secrets: {
    REDDIT_PIXEL_ID: identifier('Pixel ID', 'Ads Manager, Events Manager, your pixel: it begins with a2_ or t2_.', {
      placeholder: 'a2_abcdefgh',
      check: idCheck,
    }),
    REDDIT_CONVERSION_TOKEN: password(
      'Conversion access token',
      'Events Manager, Conversions API, Generate access token. It does not expire.',
      { check: tokenCheck },
    ),
    REDDIT_BROWSER_PIXEL: browserPixel,
    REDDIT_TEST_ID: text('Test ID', 'Events Manager, Event testing. Clear it when you are done.', optional),
  },

  events: {
    PageView: 'PAGE_VISIT',
    ViewContent: 'VIEW_CONTENT',
    AddToCart: 'ADD_TO_CART',
    RemoveFromCart: 'RemoveFromCart',
    InitiateCheckout: 'InitiateCheckout',
    AddShippingInfo: 'AddShippingInfo',
    AddPaymentInfo: 'AddPaymentInfo',
    Purchase: 'PURCHASE',
    Subscribe: 'Subscribe',
    Search: 'SEARCH',
    Lead: 'LEAD',
    AddToWishlist: 'ADD_TO_WISHLIST',
    CompleteRegistration: 'SIGN_UP',
  },
  // Reddit has no refunds, and the value of a custom event would count as revenue.
  customEventName: (eventName) => (eventName === 'Refund' ? undefined : eventName),
  user: {
    email: hashed('email', canonicalMailbox),
    phone_number: hashed('phone'),
    external_id: hashed('anyStableId'),
    ip_address: plain('ip'),
    user_agent: plain('userAgent'),
  },
  personId: 'anyStableId',
  // An IP address counts only together with the user agent and the screen size, which is not known here.
  requires: ['captured.rdt_cid', 'captured._rdt_cid', 'captured._rdt_uuid', 'email', 'external_id'],
  captures: [{ query: 'rdt_cid', cookie: '_rdt_cid' }, { cookie: '_rdt_uuid' }],
  maxAgeMs: 7 * 86_400_000,
  matchKeys: {
    strong: ['captured.rdt_cid', 'captured._rdt_cid', 'email', 'phone_number'],
    medium: ['external_id', 'captured._rdt_uuid'],
    weak: ['ip_address', 'user_agent'],
  },
  dedup: 'data.events[].metadata.conversion_id, together with tracking_type',

  request({ event, data, items, user, value, captured, consent }, secrets, name) {
    const type = trackingTypeOf(name)
    const hasValue = !withoutValue.includes(type.tracking_type)
    const row = {
      event_at: event.timestamp,
      action_source: 'WEBSITE',
      event_source_url: event.pageUrl,
      click_id: (captured.rdt_cid ?? captured._rdt_cid)?.value,
      type,
      user: {
        ...user,
        uuid: uuidIn(captured._rdt_uuid?.value),
        data_processing_options: isOptedOut(consent) ? limitedDataUse : undefined,
      },
      metadata: {
        conversion_id: event.eventId,
        currency: hasValue ? data.currency : undefined,
        value: hasValue ? unlessNegative(value) : undefined,
        ...itemFields(items),
      },
    }
    return {
      url: `https://ads-api.reddit.com/api/v3/pixels/${encodeURIComponent(secrets.REDDIT_PIXEL_ID)}/conversion_events`,
      headers: { authorization: bearerAuth(secrets.REDDIT_CONVERSION_TOKEN) },
      json: { data: { test_id: secrets.REDDIT_TEST_ID, events: [row] } },
    }
  },
  batch: { maxEvents: 1_000, ...joinEvents },
  toTestMode: (request, secrets) => (secrets.REDDIT_TEST_ID ? request : undefined),

  // The response does not identify the invalid events. Aglet then sends smaller batches, and Reddit removes duplicates.
  responseRules: [{ status: 200, path: 'invalid_events.0', verdict: 'refused' }],
})

const trackingTypes = ['PAGE_VISIT', 'VIEW_CONTENT', 'SEARCH', 'ADD_TO_CART', 'ADD_TO_WISHLIST', 'PURCHASE'].concat([
  'LEAD',
  'SIGN_UP',
])

/** The `type` of an event: one of Reddit's tracking types, otherwise CUSTOM with the name. */
const trackingTypeOf = (name: string) =>
  trackingTypes.includes(name) ? { tracking_type: name } : { tracking_type: 'CUSTOM', custom_event_name: name }

/** Limited Data Use. */
const limitedDataUse = { modes: ['LDU'] }

/** The cookie `_rdt_uuid` is `<ms>.<uuid>`. */
const uuidIn = (cookie: string | undefined) => cookie?.replace(/^\d+\./, '')

/** The members of `metadata` that describe the items. */
function itemFields(all: readonly EventItem[]) {
  const items = itemsWithId(all)
  const products = mapItems(items, (item) => ({
    id: item.id,
    name: item.title,
    category: item.category,
    item_price: unlessNegative(item.item_price),
    quantity: wholeQuantity(item),
  }))
  return { item_count: totalQuantity(items), products }
}

type Body = { data: { test_id?: string; events: object[] } }

const bodyOf = ({ json }: RequestSpec) => json as Body
