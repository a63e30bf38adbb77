import { appIds } from '#provider/form/appIds.ts'
import { isOptedOut } from '#provider/form/consentSignals.ts'
import { mapItems } from '#provider/form/items.ts'
import { ipv4Address, nonEmailId } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { choice, idCheck, identifier, password } from '#provider/form/variables.ts'
import { flatProperties, revenueOf, unlessRefund } from '#provider/vendors/attribution.ts'

const platforms = ['Web', 'Android', 'iOS', 'PC', 'Xbox', 'Playstation', 'Nintendo', 'MetaQuest', 'CTV']

const deviceIds = ['idfa', 'idfv', 'aifa', 'asid', 'andi'] as const

const webIds = ['sdid', 'singular_device_id'] as const

export default provider({
  label: 'Singular',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  limitedUse: true,
  docs: 'https://support.singular.net/hc/en-us/articles/31496864868635-Server-to-Server-EVENT-Endpoint-API-Reference',
  dashboardUrl: 'https://app.singular.net',
  links: {
    faq: 'https://support.singular.net/hc/en-us/articles/31542603988379-Server-to-Server-API-Response-Codes-Errors',
  },
  isApp: true,
  appPlatforms: ['android', 'ios'],
  hasActivation: true,
  host: 'fixed',

  secrets: {
    SINGULAR_SDK_KEY: password(
      'SDK key',
      'Developer Tools, SDK Integration, SDK Keys: not the key of the reporting API.',
      {
        whyInUrl: 'The endpoint takes the key as the parameter a of a GET request.',
      },
    ),
    SINGULAR_PRODUCT_ID: identifier('Product ID', 'Settings, Apps: the bundle id or product id of the site or app.', {
      placeholder: 'com.shop.web',
      check: idCheck,
    }),
    SINGULAR_PLATFORM: choice('Platform', 'The platform of the site or app, as Singular writes it.', platforms),
  },

  // The vendor's session script counts page visits, so PageView is not sent.
  events: {
    ViewContent: 'sng_content_view',
    AddToCart: 'sng_add_to_cart',
    RemoveFromCart: 'RemoveFromCart',
    InitiateCheckout: 'sng_checkout_initiated',
    AddShippingInfo: 'AddShippingInfo',
    AddPaymentInfo: 'sng_add_payment_info',
    Purchase: 'sng_ecommerce_purchase',
    Subscribe: 'sng_subscribe',
    Search: 'sng_search',
    Lead: 'sng_submit_lead',
    AddToWishlist: 'sng_add_to_wishlist',
    CompleteRegistration: 'sng_complete_registration',
    StartTrial: 'sng_start_trial',
    SubmitApplication: 'sng_submit_application',
    Login: 'sng_login',
    Share: 'sng_share',
    Invite: 'sng_invite',
    Rate: 'sng_rate',
    Reserve: 'sng_book',
    SpendCredits: 'sng_spent_credits',
    AchieveLevel: 'sng_level_achieved',
    UnlockAchievement: 'sng_achievement_unlocked',
    CompleteTutorial: 'sng_tutorial_complete',
    ViewCart: 'sng_view_cart',
    ViewItemList: 'sng_content_view_list',
  },
  customEventName: unlessRefund,
  user: { ip: plain('ip', ipv4Address), ua: plain('userAgent'), custom_user_id: plain('customerId', nonEmailId) },
  personId: 'customerId',
  requires: [...webIds, ...deviceIds].map((id) => [`app.${id}` as const, 'ip' as const]),
  captures: [{ cookie: 'singular_device_id' }, { cookie: 'sdid' }],
  matchKeys: {
    strong: [
      'custom_user_id',
      'captured.singular_device_id',
      'captured.sdid',
      'app.sdid',
      'app.singular_device_id',
      'app.idfa',
      'app.idfv',
      'app.aifa',
      'app.asid',
      'app.andi',
    ],
    weak: ['ip', 'ua'],
  },
  dedup: 'none: Singular removes no duplicates; e.event_id is for the raw data',

  request(context, secrets, n) {
    const { event, data, items, user, consent } = context
    const { sdid, singular_device_id } = appIds(context, webIds)
    const device = appIds(context, deviceIds)
    const webId = sdid ?? singular_device_id
    const { revenue, currency } = revenueOf(context)
    return {
      // Version 2 accepts the id of Singular's own page script, version 1 the ids of devices.
      url: `https://s2s.singular.net/api/${webId ? 'v2' : 'v1'}/evt`,
      query: {
        a: secrets.SINGULAR_SDK_KEY,
        p: secrets.SINGULAR_PLATFORM,
        i: secrets.SINGULAR_PRODUCT_ID,
        ...(webId ? { sdid: webId } : device),
        n,
        ...user,
        utime: epochSeconds(event.timestamp),
        ...(revenue !== undefined && { is_revenue_event: 'true', amt: revenue, cur: currency }),
        purchase_product_id: revenue === undefined ? undefined : (items[0]?.sku ?? items[0]?.id),
        purchase_transaction_id: data.orderId,
        data_sharing_options: isOptedOut(consent) ? '{"limit_data_sharing":true}' : undefined,
        e: JSON.stringify(attributesOf(context)),
      },
    }
  },

  // Rejections come with a 200. According to the vendor, any other status may be retried.
  responseRules: [
    { status: 200, path: 'reason', matches: /sdk key|api key|invalid key/i, verdict: 'keyRejected' },
    { status: 200, path: 'status', equalsAny: ['error'], verdict: 'refused' },
    { status: 200, verdict: 'delivered' },
    { status: 429, verdict: 'throttled' },
    { verdict: 'retry' },
  ],
})

/** The attributes of an event. A request is one URL, so it contains at most 20 items with short texts. */
const attributesOf = ({ event, data, items }: Pick<RequestContext, 'event' | 'data' | 'items'>) => ({
  ...flatProperties(data),
  event_id: event.eventId,
  search: truncate(data.search, 200),
  contents: mapItems(items.slice(0, 20), ({ id, sku, title, item_price: price, quantity = 1 }) => {
    return { id: truncate(id ?? sku, 100), title: truncate(title, 100), price, quantity }
  }),
})
