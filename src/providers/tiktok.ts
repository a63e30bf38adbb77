import type { EventItem } from '#contract/event.ts'
import { type AppFacts, appFacts } from '#provider/form/appFacts.ts'
import { appIds } from '#provider/form/appIds.ts'
import { isOptedOut } from '#provider/form/consentSignals.ts'
import { lettersAndDigits, lowerCase, withoutSpaces } from '#provider/form/normalise.ts'
import { asLists, unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { browserPixel, identifier, optional, password, testEventCode } from '#provider/form/variables.ts'

const api = 'https://business-api.tiktok.com/open_api/v1.3/event/track/' // the trailing slash is required

export default provider({
  label: 'TikTok',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  limitedUse: true,
  docs: 'https://business-api.tiktok.com/portal/docs?id=1771100865818625',
  dashboardUrl: 'https://ads.tiktok.com/i18n/events_manager',
  links: {
    onboarding: 'https://ads.tiktok.com/help/article/getting-started-events-api',
    introduction: 'https://ads.tiktok.com/help/article/events-api',
    faq: 'https://ads.tiktok.com/help/article/standard-events-parameters',
  },
  host: 'fixed',
  hasBrowserModule: true,

  secrets: {
    TIKTOK_PIXEL_CODE: identifier('Pixel ID', 'Ads Manager, Tools, Events, Web events: below the name of the pixel.'),
    TIKTOK_ACCESS_TOKEN: password('Access token', 'Events Manager, your pixel, Settings, Events API, Generate.'),
    TIKTOK_TEST_EVENT_CODE: testEventCode('Events Manager, your pixel, Test events.'),
    TIKTOK_BROWSER_PIXEL: browserPixel,
    TIKTOK_APP_ID: identifier('TikTok app ID', 'Events Manager, your app: for events of the app.', optional),
  },

  // Newer pages call these Purchase and Lead. TikTok accepts both, and existing campaigns optimise for the names below.
  events: {
    PageView: 'Pageview',
    ViewContent: 'ViewContent',
    AddToCart: 'AddToCart',
    InitiateCheckout: 'InitiateCheckout',
    AddPaymentInfo: 'AddPaymentInfo',
    Purchase: 'CompletePayment',
    Subscribe: 'Subscribe',
    Search: 'Search',
    Lead: 'SubmitForm',
    AddToWishlist: 'AddToWishlist',
    CompleteRegistration: 'CompleteRegistration',
    StartTrial: 'StartTrial',
    Contact: 'Contact',
    CustomizeProduct: 'CustomizeProduct',
    Download: 'Download',
    FindLocation: 'FindLocation',
    Schedule: 'Schedule',
    SubmitApplication: 'SubmitApplication',
  },
  customEventName: (eventName) => eventName,
  user: {
    email: hashed('email'),
    phone: hashed('phone'),
    external_id: hashed('anyStableId', lowerCase),
    first_name: hashed('firstName', withoutSpaces),
    last_name: hashed('lastName', withoutSpaces),
    city: plain('city', lettersAndDigits),
    state: plain('state', lettersAndDigits),
    country: plain('country', lettersAndDigits),
    zip_code: hashed('zip', withoutSpaces),
    ip: plain('ip'),
    user_agent: plain('userAgent'),
  },
  personId: 'anyStableId',
  requires: [
    ...(['captured.ttclid', 'email', 'phone', 'external_id', 'captured._ttp', 'app.idfa', 'app.gaid'] as const),
    ['ip', 'user_agent'],
  ],
  captures: [{ query: 'ttclid', cookie: 'ttclid' }, { cookie: '_ttp' }],
  // Not documented on a public page; this value is conservative.
  maxAgeMs: 7 * 86_400_000,
  matchKeys: {
    strong: ['email', 'phone', 'captured.ttclid', 'app.idfa', 'app.gaid'],
    medium: ['external_id', 'captured._ttp'],
    weak: ['first_name', 'last_name', 'city', 'state', 'country', 'zip_code', 'ip', 'user_agent'],
  },
  dedup: 'data[].event_id, together with event and pixel, for 48 h',

  request(context, secrets, name) {
    const { event, data, items, value, captured, consent } = context
    const { email, phone, external_id, ...user } = context.user
    const app = secrets.TIKTOK_APP_ID ? appFacts(event) : undefined
    const { ttclid, _ttp } = captured
    const contents = data.contents?.map(contentOf)
    const row = {
      event: name,
      event_time: epochSeconds(event.timestamp),
      event_id: event.eventId,
      user: {
        ...asLists({ email, phone, external_id }),
        ...user,
        ttclid: ttclid?.value,
        ttp: _ttp?.value,
        ...(app && deviceOf(context, app)),
      },
      app: app && { app_id: app.id, app_name: app.name, app_version: app.version },
      page: unlessEmpty({ url: event.pageUrl, referrer: event.referrer }),
      properties: unlessEmpty({
        value,
        currency: data.currency,
        content_type: items.length > 0 ? 'product' : undefined,
        contents,
        order_id: data.orderId,
        query: data.search,
      }),
      limited_data_use: isOptedOut(consent) || undefined,
    }
    const { TIKTOK_PIXEL_CODE, TIKTOK_APP_ID, TIKTOK_TEST_EVENT_CODE: test_event_code } = secrets
    const source = app
      ? { event_source: 'app', event_source_id: TIKTOK_APP_ID }
      : { event_source: 'web', event_source_id: TIKTOK_PIXEL_CODE }
    const json = { ...source, test_event_code, data: [row] }
    return { url: api, headers: { 'access-token': secrets.TIKTOK_ACCESS_TOKEN }, json }
  },
  batch: { listPath: 'data', maxEvents: 1_000 },
  toTestMode: (request, secrets) => (secrets.TIKTOK_TEST_EVENT_CODE ? request : undefined),

  // The code in the body is the result, whatever the status.
  responseRules: [
    { path: 'code', equalsAny: [0], verdict: 'delivered' },
    { path: 'code', equalsAny: [40001, 40104, 40105], verdict: 'keyRejected' },
    { path: 'code', equalsAny: [40100], verdict: 'throttled' },
    { path: 'code', between: [50000, 51999], verdict: 'retry' },
    { status: 200, path: 'code', verdict: 'refused' },
  ],
})

/** The fields by which TikTok recognises a device. `att_status`: the person's answer on iOS. */
function deviceOf(context: Parameters<typeof appIds>[0], { platform, adTracking, locale }: AppFacts) {
  const { idfa, idfv, gaid } = appIds(context, ['idfa', 'idfv', 'gaid'])
  const answer = adTracking === undefined ? 'NOT_DETERMINED' : adTracking ? 'AUTHORIZED' : 'DENIED'
  return { idfa, idfv, gaid, att_status: platform === 'ios' ? answer : 'NOT_APPLICABLE', locale }
}

/** A member of `properties.contents`. */
const contentOf = ({ id, title, category, brand, item_price: price, quantity }: EventItem) => ({
  content_id: id,
  content_name: title,
  content_category: category,
  brand,
  price,
  quantity,
})
