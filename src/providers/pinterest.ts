import type { EventData, EventItem } from '#contract/event.ts'
import { bearerAuth } from '#provider/form/authorization.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import { isOptedOut } from '#provider/form/consentSignals.ts'
import { itemsWithId, mapItems, totalQuantity, wholeQuantity } from '#provider/form/items.ts'
import { currencyAmountText, unlessNegative } from '#provider/form/money.ts'
import { genderLetter, type Normalise } from '#provider/form/normalise.ts'
import { asLists, unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { checkbox, idCheck, identifier, optional, password, tokenCheck } from '#provider/form/variables.ts'
import { metaDigests } from '#provider/vendors/metaDigests.ts'

/** `f`, `m`, or `n` for non-binary. */
const genderCode: Normalise = (raw, person) =>
  genderLetter(raw, person) ?? (/^n(?:on[- ]?binary)?$/i.test(raw.trim()) ? 'n' : undefined)

const gender = hashed('gender', genderCode)

export default provider({
  label: 'Pinterest',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  limitedUse: true,
  docs: 'https://developers.pinterest.com/docs/api/v5/events-create',
  dashboardUrl: 'https://ads.pinterest.com/conversions/',
  links: {
    onboarding: 'https://developers.pinterest.com/docs/track-conversions/pinterest-api-for-conversions/',
    introduction: 'https://help.pinterest.com/en/business/article/the-pinterest-api-for-conversions',
  },
  host: 'fixed',
  hasBrowserModule: true,

  secrets: {
    PINTEREST_AD_ACCOUNT_ID: identifier('Ad account ID', 'Ads Manager, Business Manager, Ad accounts: the number.', {
      placeholder: '549755885175',
      check: idCheck,
    }),
    PINTEREST_ACCESS_TOKEN: password(
      'Conversion access token',
      'Ads Manager, Conversions, Set up API, Generate token.',
      {
        check: tokenCheck,
      },
    ),
    PINTEREST_TAG_ID: identifier(
      'Tag ID',
      'Ads Manager, Conversions, Tag manager. With it the page loads the tag as well.',
      {
        ...optional,
        usedBy: 'browser',
        check: idCheck,
      },
    ),
    PINTEREST_TEST_MODE: checkbox('Test mode', 'Pinterest checks the events and does not store them.', optional),
  },

  // a product view is a page_visit: Pinterest asks for product ids on page_visit, add_to_cart and checkout
  events: {
    PageView: 'page_visit',
    ViewContent: 'page_visit',
    AddToCart: 'add_to_cart',
    InitiateCheckout: 'initiate_checkout',
    AddPaymentInfo: 'add_payment_info',
    Purchase: 'checkout',
    Subscribe: 'subscribe',
    Search: 'search',
    Lead: 'lead',
    AddToWishlist: 'add_to_wishlist',
    CompleteRegistration: 'signup',
    StartTrial: 'start_trial',
    Contact: 'contact',
    Schedule: 'schedule',
    SubmitApplication: 'submit_application',
    FindLocation: 'find_location',
    CustomizeProduct: 'customize_product',
    ViewItemList: 'view_category',
  },
  // Pinterest has no refunds, and the value of a custom event would count as revenue.
  customEventName: (eventName) => (eventName === 'Refund' ? undefined : 'custom'),
  user: {
    ...metaDigests,
    ge: gender,
    client_ip_address: plain('ip'),
    client_user_agent: plain('userAgent'),
  },
  personId: 'anyStableId',
  requires: ['em', ['client_ip_address', 'client_user_agent']],
  captures: [{ query: 'epik', cookie: '_epik' }],
  maxAgeMs: 7 * 86_400_000, // the vendor's schema has no limit; conservative
  matchKeys: {
    strong: ['em', 'ph', 'captured.epik', 'captured._epik'],
    medium: ['external_id'],
    weak: ['fn', 'ln', 'ge', 'db', 'ct', 'st', 'zp', 'country', 'client_ip_address', 'client_user_agent'],
  },
  dedup: 'data[].event_id, together with event_name, for 24 h',

  request({ event, data, items, user, value, captured, consent }, secrets, event_name) {
    const { client_ip_address, client_user_agent, ...digests } = user
    const click_id = (captured.epik ?? captured._epik)?.value
    const row = {
      event_name,
      action_source: 'web',
      event_time: epochSeconds(event.timestamp),
      event_id: event.eventId,
      event_source_url: event.pageUrl,
      opt_out: isOptedOut(consent),
      user_data: { ...asLists(digests), click_id, client_ip_address, client_user_agent },
      custom_data: customData(data, items, value),
    }
    return {
      url: `https://api.pinterest.com/v5/ad_accounts/${encodeURIComponent(secrets.PINTEREST_AD_ACCOUNT_ID)}/events`,
      query: { test: secrets.PINTEREST_TEST_MODE === '1' ? 'true' : undefined },
      headers: { authorization: bearerAuth(secrets.PINTEREST_ACCESS_TOKEN) },
      json: { data: [row] },
    }
  },
  batch: { listPath: 'data', maxEvents: 1_000, maxBytes: 2_000_000, partialFailures: failedEvents },
  toTestMode: (request) => ({ ...request, query: { test: 'true' } }),

  responseRules: [{ status: 200, path: 'num_events_processed', equalsAny: [0], verdict: 'refused' }],
})

/** The `custom_data` of an event. Pinterest accepts amounts as texts. */
function customData(data: EventData, all: readonly EventItem[], value: number | undefined) {
  const { currency } = data
  const items = itemsWithId(all)
  const priceText = (amount: number | undefined) => currencyAmountText(unlessNegative(amount), currency)
  return unlessEmpty({
    currency,
    value: priceText(value),
    content_ids: mapItems(items, ({ id }) => id),
    contents: mapItems(items, (item) => ({
      id: item.id,
      item_price: priceText(item.item_price),
      quantity: wholeQuantity(item),
      item_name: item.title,
      item_brand: item.brand,
      item_category: item.category,
    })),
    num_items: totalQuantity(items),
    order_id: data.orderId,
    search_string: data.search,
  })
}

type Row = { status?: string; error_message?: string }

/** The events that a 200 or a 422 lists as failed. `events` is in the order of the request. */
function failedEvents(answer: unknown): PartialFailure[] {
  const { events } = (answer ?? {}) as { events?: Row[] }
  if (!Array.isArray(events)) return []
  return events.flatMap(({ status, error_message: message }, row) =>
    status === 'failed' ? [{ row, verdict: 'refused' as const, message }] : [],
  )
}
