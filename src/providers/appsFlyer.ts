import { appFacts } from '#provider/form/appFacts.ts'
import { appIds } from '#provider/form/appIds.ts'
import { nonEmailId, phoneE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext, RequestSpec } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { idCheck, identifier, optional, password, text } from '#provider/form/variables.ts'
import { flatProperties, revenueOf, unlessRefund } from '#provider/vendors/attribution.ts'

export default provider({
  label: 'AppsFlyer',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://dev.appsflyer.com/hc/reference/web-s2s-api-event-post',
  dashboardUrl: 'https://hq1.appsflyer.com',
  links: {
    onboarding: 'https://support.appsflyer.com/hc/en-us/articles/207034486',
    introduction: 'https://dev.appsflyer.com/hc/reference/s2s-events-api3-overview',
  },
  isApp: true,
  appPlatforms: ['android', 'ios'],
  host: 'fixed',

  secrets: {
    APPSFLYER_BUNDLE_ID: identifier('Brand bundle ID', 'My Apps, the brand bundle of your website: its id.', {
      check: idCheck,
    }),
    APPSFLYER_WEB_DEV_KEY: password('Web dev key', 'My Apps, the brand bundle, Settings, Web dev key.'),
    APPSFLYER_APP_ID: text('App ID', 'My Apps: for events of your app. On iOS it begins with id.', {
      ...optional,
      placeholder: 'id123456789',
      // Without the prefix, the vendor responds with 200 and records nothing.
      check: (id: string) =>
        /^(?!\d+$)[\w.-]{1,200}$/.test(id) ? undefined : 'Write id before the number of an iOS app.',
    }),
    APPSFLYER_S2S_KEY: password('S2S key', 'Account menu, API tokens, S2S: for events of your app.', optional),
  },

  // The vendor's own page script counts visits, so PageView is not sent.
  events: {
    ViewContent: 'af_content_view',
    AddToCart: 'af_add_to_cart',
    RemoveFromCart: 'remove_from_cart',
    InitiateCheckout: 'af_initiated_checkout',
    AddShippingInfo: 'add_shipping_info',
    AddPaymentInfo: 'af_add_payment_info',
    Purchase: 'af_purchase',
    Subscribe: 'af_subscribe',
    Search: 'af_search',
    Lead: 'lead',
    AddToWishlist: 'af_add_to_wishlist',
    CompleteRegistration: 'af_complete_registration',
    StartTrial: 'af_start_trial',
    Login: 'af_login',
    Share: 'af_share',
    Invite: 'af_invite',
    Rate: 'af_rate',
    SpendCredits: 'af_spent_credits',
    AchieveLevel: 'af_level_achieved',
    UnlockAchievement: 'af_achievement_unlocked',
    CompleteTutorial: 'af_tutorial_completion',
    ViewItemList: 'af_list_view',
  },
  customEventName: unlessRefund,
  user: {
    customerUserId: plain('customerId', nonEmailId),
    ip: plain('ip'),
    UserAgent: plain('userAgent'),
    email_hashed: hashed('email'),
    phone_number_e164_hashed: hashed('phone', phoneE164),
  },
  personId: 'customerId',
  requires: ['customerUserId', 'app.afUserId', 'app.appsflyer_id'],
  captures: [{ cookie: 'afUserId' }],
  matchKeys: {
    strong: [
      'email_hashed',
      'phone_number_e164_hashed',
      'captured.afUserId',
      'customerUserId',
      'app.afUserId',
      'app.appsflyer_id',
    ],
    weak: ['ip', 'UserAgent'],
  },
  dedup: 'none; consumers of the raw data read eventValue.event_id',

  request(context, { APPSFLYER_APP_ID: app, APPSFLYER_S2S_KEY: s2sKey, ...web }, eventName) {
    const { event, user } = context
    const { customerUserId, ip, UserAgent, ...hashes } = user
    const forApp = { customer_user_id: customerUserId, ip, ...hashes, eventName }
    const inApp = app && s2sKey && appRequest(context, { app, s2sKey, ...forApp })
    if (inApp) return inApp
    const { afUserId } = appIds(context, ['afUserId'])
    if (!customerUserId && !afUserId) return { skipped: 'identityMissing' }
    const { revenue: eventRevenue, currency: eventRevenueCurrency } = revenueOf(context)
    return {
      url: `https://webs2s.appsflyer.com/v1/${encodeURIComponent(web.APPSFLYER_BUNDLE_ID)}/event`,
      json: {
        customerUserId,
        afUserId,
        webDevKey: web.APPSFLYER_WEB_DEV_KEY,
        eventType: 'EVENT',
        eventName,
        timestamp: Math.round(event.timestamp),
        eventRevenue,
        eventRevenueCurrency,
        eventValue: eventValueOf(context),
        referrer: event.referrer,
        UserAgent,
        ip,
      },
    }
  },
})

const mobileIds = ['appsflyer_id', 'advertising_id', 'idfa', 'idfv', 'oaid', 'amazon_aid'] as const

type Context = Omit<RequestContext, 'user'>

/** The rich parameters of an event. `isShort`: omits the lists and the customer's own values. */
function eventValueOf({ event, data, items, coupon }: Context, isShort = false) {
  const ids = items.flatMap(({ id, sku }) => id ?? sku ?? [])
  const isListed = items.length > 0 && ids.length === items.length && !isShort
  const isPriced = isListed && items.every(({ item_price }) => item_price !== undefined)
  return {
    ...(!isShort && flatProperties(data)),
    af_order_id: data.orderId,
    ...(isListed && { af_content_id: ids, af_quantity: items.map(({ quantity = 1 }) => quantity) }),
    ...(isPriced && { af_price: items.map(({ item_price }) => item_price) }),
    af_search_string: data.search,
    af_coupon_code: coupon,
    event_id: event.eventId,
  }
}

/** The request for an app event. Undefined if AppsFlyer's installation id is not known. */
function appRequest(
  context: Context,
  { app, s2sKey, ...known }: { app: string; s2sKey: string; eventName: string; [field: string]: string | undefined },
): RequestSpec | undefined {
  const ids = appIds(context, mobileIds)
  if (!ids.appsflyer_id) return undefined
  const { revenue, currency: eventCurrency } = revenueOf(context)
  const { id: bundleIdentifier, version: app_version_name, osVersion: os } = appFacts(context.event) ?? {}
  const facts = { bundleIdentifier, app_version_name, os }
  const eventTime = isoTime(context.event.timestamp).replace('T', ' ').slice(0, -1)
  const short = eventValueOf(context, true)
  const { af_order_id, event_id } = short
  const bodies = [eventValueOf(context), short, { af_order_id, event_id }, { event_id }].map((parameters) => {
    const eventValue = JSON.stringify({ ...parameters, af_revenue: revenue })
    return { ...ids, ...facts, ...known, eventTime, eventCurrency, eventValue }
  })
  return {
    url: `https://api3.appsflyer.com/inappevent/${encodeURIComponent(app)}`,
    headers: { authentication: s2sKey },
    // A body is limited to 1 KB.
    json: bodies.find((body) => Buffer.byteLength(JSON.stringify(body)) <= 1_000) ?? bodies.at(-1),
  }
}
