import type { EventData, EventItem } from '#contract/event.ts'
import { isOptedOut } from '#provider/form/consentSignals.ts'
import { itemsWithId, mapItems, totalQuantity, wholeQuantity } from '#provider/form/items.ts'
import { unlessNegative } from '#provider/form/money.ts'
import { countryCodeLower, genderLetter, phoneDigits, stateCode, withoutSpaces } from '#provider/form/normalise.ts'
import { asLists, unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import {
  browserPixel,
  checkbox,
  idCheck,
  identifier,
  optional,
  password,
  tokenCheck,
} from '#provider/form/variables.ts'

/** The hashed fields of `user_data`. */
const digests = {
  em: hashed('email'),
  ph: hashed('phone', phoneDigits),
  external_id: hashed('anyStableId'),
  fn: hashed('firstName', withoutSpaces),
  ln: hashed('lastName', withoutSpaces),
  ge: hashed('gender', genderLetter),
  ct: hashed('city', withoutSpaces),
  st: hashed('state', stateCode),
  zp: hashed('zip', withoutSpaces),
  country: hashed('country', countryCodeLower),
}

export default provider({
  label: 'Snapchat',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  limitedUse: true,
  docs: 'https://developers.snap.com/api/marketing-api/Conversions-API/Parameters',
  dashboardUrl: 'https://ads.snapchat.com/',
  links: {
    onboarding: 'https://developers.snap.com/api/marketing-api/Conversions-API/UsingTheAPI',
    introduction: 'https://developers.snap.com/api/marketing-api/Conversions-API/Introduction',
  },
  host: 'fixed',
  hasBrowserModule: true,

  secrets: {
    SNAPCHAT_PIXEL_ID: identifier('Pixel ID', 'Ads Manager, Events Manager, your pixel: the id below its name.', {
      placeholder: '7a8b9c0d-1234-5678-9abc-def012345678',
      check: idCheck,
    }),
    SNAPCHAT_ACCESS_TOKEN: password('Conversions API token', 'Ads Manager, Business Details, Conversions API Tokens.', {
      check: tokenCheck,
      whyInUrl: 'The Conversions API takes the token as the parameter access_token only.',
    }),
    SNAPCHAT_BROWSER_PIXEL: browserPixel,
    SNAPCHAT_TEST_MODE: checkbox('Test mode', 'Snapchat checks the events and does not count them.', optional),
  },

  events: {
    PageView: 'PAGE_VIEW',
    ViewContent: 'VIEW_CONTENT',
    AddToCart: 'ADD_CART',
    InitiateCheckout: 'START_CHECKOUT',
    AddPaymentInfo: 'ADD_BILLING',
    Purchase: 'PURCHASE',
    Subscribe: 'SUBSCRIBE',
    Search: 'SEARCH',
    Lead: 'SIGN_UP',
    AddToWishlist: 'ADD_TO_WISHLIST',
    CompleteRegistration: 'SIGN_UP',
    StartTrial: 'START_TRIAL',
    ViewItemList: 'LIST_VIEW',
    Login: 'LOGIN',
    Share: 'SHARE',
    Invite: 'INVITE',
    Rate: 'RATE',
    Reserve: 'RESERVE',
    SpendCredits: 'SPENT_CREDITS',
    AchieveLevel: 'LEVEL_COMPLETE',
    UnlockAchievement: 'ACHIEVEMENT_UNLOCKED',
    CompleteTutorial: 'COMPLETE_TUTORIAL',
  },
  // Snapchat has five names for custom events. Events with other names are not sent.
  customEventName: (eventName) => (/^CUSTOM_EVENT_[1-5]$/.test(eventName) ? eventName : undefined),
  user: {
    ...digests,
    client_ip_address: plain('ip'),
    client_user_agent: plain('userAgent'),
  },
  personId: 'anyStableId',
  requires: ['em', 'ph', ['client_ip_address', 'client_user_agent']],
  captures: [{ query: 'ScCid', cookie: '_scclid' }, { cookie: '_scid' }],
  maxAgeMs: 37 * 86_400_000,
  matchKeys: {
    strong: ['em', 'ph', 'captured.ScCid', 'captured._scclid'],
    medium: ['external_id', 'captured._scid'],
    weak: ['fn', 'ln', 'ge', 'ct', 'st', 'zp', 'country', 'client_ip_address', 'client_user_agent'],
  },
  dedup: 'data[].event_id, together with event_name, for 48 h',

  request({ event, data, items, user, value, captured, consent }, secrets, event_name) {
    const { em, ph, external_id, ...others } = user
    const row = {
      event_name,
      action_source: 'WEB',
      event_time: epochSeconds(event.timestamp),
      event_id: event.eventId,
      event_source_url: event.pageUrl,
      data_processing_options: isOptedOut(consent) ? ['LDU'] : undefined,
      user_data: {
        ...asLists({ em, ph, external_id }),
        ...others,
        sc_click_id: (captured.ScCid ?? captured._scclid)?.value,
        sc_cookie1: captured._scid?.value,
      },
      custom_data: customData(data, items, value),
    }
    const events = `https://tr.snapchat.com/v3/${encodeURIComponent(secrets.SNAPCHAT_PIXEL_ID)}/events`
    return {
      url: secrets.SNAPCHAT_TEST_MODE === '1' ? toValidate(events) : events,
      query: { access_token: secrets.SNAPCHAT_ACCESS_TOKEN },
      json: { data: [row] },
    }
  },
  // The limit of 2,000 could not be verified on a public page; this value is conservative.
  batch: { listPath: 'data', maxEvents: 1_000 },
  toTestMode: (request) => ({ ...request, url: toValidate(request.url) }),

  responseRules: [{ status: 200, path: 'status', equalsAny: ['INVALID'], verdict: 'refused' }],
})

/** The URL that validates events without counting them. */
const toValidate = (url: string) => url.replace(/\/events$/, '/events/validate')

/** The `custom_data` of an event. */
function customData(data: EventData, all: readonly EventItem[], value: number | undefined) {
  const items = itemsWithId(all)
  return unlessEmpty({
    currency: data.currency,
    value: unlessNegative(value),
    content_ids: mapItems(items, ({ id }) => id),
    contents: mapItems(items, (item) => ({
      id: item.id,
      quantity: wholeQuantity(item),
      item_price: unlessNegative(item.item_price),
    })),
    num_items: totalQuantity(items),
    order_id: data.orderId,
    search_string: data.search,
  })
}
