import type { EventData, EventItem } from '#contract/event.ts'
import { bearerAuth } from '#provider/form/authorization.ts'
import { isOptedOut } from '#provider/form/consentSignals.ts'
import { itemsWithId, mapItems, wholeQuantity } from '#provider/form/items.ts'
import { currencyAmountText, unlessNegative } from '#provider/form/money.ts'
import { countryCodeLower, isoBirthDate, type Normalise, phoneDigits } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import {
  checkbox,
  eventMapping,
  idCheck,
  identifier,
  optional,
  password,
  text,
  tokenCheck,
} from '#provider/form/variables.ts'

/** Nextdoor requires at least one key of `customer`. */
const anyCustomerKey = [
  ...(['email', 'phone_number', 'first_name', 'last_name', 'date_of_birth', 'city', 'state'] as const),
  ...(['zip_code', 'country', 'client_ip_address', 'captured.ndclid', 'captured._ndclid'] as const),
]

/** Nextdoor requires the ten digits of a phone number without the country code. */
const tenDigits: Normalise = (raw, person) => /\d{10}$/.exec(phoneDigits(raw, person) ?? '')?.[0]

export default provider({
  label: 'Nextdoor',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://developer.nextdoor.com/reference/conversion-api',
  dashboardUrl: 'https://ads.nextdoor.com/',
  links: { onboarding: 'https://docs.tealium.com/server-side-connectors/nextdoor-connector' },
  host: 'fixed',

  secrets: {
    NEXTDOOR_ACCESS_TOKEN: password('API token', 'Ads Manager, account menu, API Access, Generate API token.', {
      check: tokenCheck,
    }),
    NEXTDOOR_PIXEL_ID: identifier('Pixel ID', 'Ads Manager, Assets, Pixels: the data source id.', { check: idCheck }),
    NEXTDOOR_ADVERTISER_ID: identifier(
      'Advertiser ID',
      'Ads Manager, the id in the address of your account.',
      optional,
    ),
    NEXTDOOR_PARTNER_ID: text('Partner ID', 'Only where Nextdoor gave you one.', optional),
    NEXTDOOR_MAPPED_EVENTS: eventMapping(
      'the event of Nextdoor, also custom_conversion_1 to custom_conversion_10. Events without a pair keep their name',
      'custom_conversion_1',
      optional,
    ),
    NEXTDOOR_TEST_MODE: checkbox('Test mode', 'Events are marked as tests and are not counted.', optional),
  },

  events: {
    PageView: 'page_view',
    ViewContent: 'view_content',
    AddToCart: 'add_to_cart',
    InitiateCheckout: 'initiate_checkout',
    Purchase: 'purchase',
    Subscribe: 'subscribe',
    Search: 'search',
    Lead: 'lead',
    AddToWishlist: 'add_to_wishlist',
    CompleteRegistration: 'sign_up',
  },
  eventMapping: 'NEXTDOOR_MAPPED_EVENTS',
  user: {
    email: hashed('email'),
    phone_number: hashed('phone', tenDigits),
    first_name: hashed('firstName'),
    last_name: hashed('lastName'),
    date_of_birth: hashed('dateOfBirth', isoBirthDate),
    city: hashed('city'),
    state: hashed('state'),
    zip_code: hashed('zip'),
    country: hashed('country', countryCodeLower),
    client_ip_address: plain('ip'),
  },
  personId: 'none',
  requires: anyCustomerKey,
  captures: [{ query: 'ndclid', cookie: '_ndclid' }],
  matchKeys: {
    strong: ['email', 'phone_number', 'captured.ndclid', 'captured._ndclid'],
    weak: ['first_name', 'last_name', 'date_of_birth', 'city', 'state', 'zip_code', 'country', 'client_ip_address'],
  },
  dedup: 'event_id, for each data source',

  request({ event, data, items, user, value, captured, consent }, secrets, event_name) {
    return {
      url: 'https://ads.nextdoor.com/v2/api/conversions/track',
      headers: { accept: 'application/json', authorization: bearerAuth(secrets.NEXTDOOR_ACCESS_TOKEN) },
      json: {
        event_name,
        event_id: event.eventId,
        event_time_epoch: epochSeconds(event.timestamp),
        action_source: 'website',
        action_source_url: event.pageUrl,
        client_id: secrets.NEXTDOOR_ADVERTISER_ID,
        data_source_id: secrets.NEXTDOOR_PIXEL_ID,
        delivery_optimization: !isOptedOut(consent),
        partner_id: secrets.NEXTDOOR_PARTNER_ID,
        test_event: secrets.NEXTDOOR_TEST_MODE === '1' ? 'true' : 'false',
        customer: { ...user, click_id: (captured.ndclid ?? captured._ndclid)?.value },
        custom: customData(data, items, value),
      },
    }
  },
  toTestMode: (request) => ({ ...request, json: { ...(request.json as object), test_event: 'true' } }),
})

/** Currency and amount in one text: `EUR59.98`. Undefined if either is not known. */
function orderValue(value: number | undefined, currency: string | undefined): string | undefined {
  const amount = currencyAmountText(unlessNegative(value), currency)
  return amount && currency ? currency + amount : undefined
}

/** The `custom` of an event. */
const customData = (data: EventData, items: readonly EventItem[], value: number | undefined) =>
  unlessEmpty({
    order_value: orderValue(value, data.currency),
    order_id: data.orderId,
    product_context: mapItems(itemsWithId(items), (item) => ({
      id: item.id,
      quantity: wholeQuantity(item),
      item_price: unlessNegative(item.item_price),
    })),
  })
