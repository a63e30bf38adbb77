import { appFacts } from '#provider/form/appFacts.ts'
import { appIds } from '#provider/form/appIds.ts'
import { eventMappingCheck } from '#provider/form/eventMapping.ts'
import { totalQuantity } from '#provider/form/items.ts'
import { nonEmailId } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { idCheck, identifier, optional, text } from '#provider/form/variables.ts'
import { flatProperties, revenueOf, unlessRefund } from '#provider/vendors/attribution.ts'

const deviceIds = ['idfa', 'idfv', 'adid', 'gaid', 'android_id', 'custom'] as const
const appFields = ['kochava_device_id', 'app_version'] as const

export default provider({
  label: 'Kochava',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://support.kochava.com/server-to-server-integration/post-install-event-setup/',
  dashboardUrl: 'https://go.kochava.com',
  isApp: true,
  appPlatforms: ['android', 'ios'],
  host: 'fixed',

  secrets: {
    KOCHAVA_APP_ID: identifier('App GUID', 'Apps & Assets, your app: the App GUID. A test app has one of its own.', {
      placeholder: 'komy-shop-ab12cd34',
      check: idCheck,
    }),
    KOCHAVA_MAPPED_EVENTS: text(
      'Events',
      'Pairs of an event name and the name of the event in Kochava. Other events have the standard names of Kochava.',
      { ...optional, placeholder: '[["Purchase", "Checkout Complete"]]', check: eventMappingCheck },
    ),
  },

  events: {
    ViewContent: 'View',
    AddToCart: 'Add to Cart',
    RemoveFromCart: 'Remove from Cart',
    InitiateCheckout: 'Checkout Start',
    AddShippingInfo: 'AddShippingInfo',
    AddPaymentInfo: 'AddPaymentInfo',
    Purchase: 'Purchase',
    Subscribe: 'Subscribe',
    Search: 'Search',
    Lead: 'Lead',
    AddToWishlist: 'Add to Wish List',
    CompleteRegistration: 'Registration Complete',
    StartTrial: 'Start Trial',
    Rate: 'Rating',
    AchieveLevel: 'Level Complete',
    UnlockAchievement: 'Achievement',
    CompleteTutorial: 'Tutorial Complete',
  },
  eventMapping: 'KOCHAVA_MAPPED_EVENTS',
  customEventName: unlessRefund,
  user: {
    kochava_device_id: plain('anonymousId', nonEmailId),
    origination_ip: plain('ip'),
    // Kochava requires percent-encoding inside the JSON.
    device_ua: plain('userAgent', (raw) => encodeURIComponent(raw.trim().toWellFormed()) || undefined),
  },
  personId: 'anonymousId',
  requires: deviceIds.map((id) => [`app.${id}` as const, 'origination_ip' as const, 'device_ua' as const]),
  captures: [{ query: 'ko_click_id', cookie: 'kochava_device_id' }],
  matchKeys: {
    strong: [
      'captured.ko_click_id',
      'captured.kochava_device_id',
      'app.idfa',
      'app.idfv',
      'app.adid',
      'app.gaid',
      'app.android_id',
      'app.custom',
    ],
    weak: ['kochava_device_id', 'origination_ip', 'device_ua'],
  },
  dedup: 'none; event_id is in event_data',
  // The vendor's table lists the fields at the same level. Its examples and public implementations put them into data.
  request(context, secrets, event_name) {
    const { event, data, items, captured } = context
    const { kochava_device_id, ...browser } = context.user
    // Here, adid is Android's advertising id. At Adjust, adid is Adjust's own id.
    const { gaid, ...own } = appIds(context, deviceIds)
    const device_ids = { ...own, ...(gaid && { adid: gaid }) }
    const app = appIds(context, appFields)
    return {
      url: 'https://control.kochava.com/track/json',
      json: {
        action: 'event',
        kochava_app_id: secrets.KOCHAVA_APP_ID,
        kochava_device_id: app.kochava_device_id ?? kochava_device_id ?? '',
        data: {
          event_name,
          usertime: epochSeconds(event.timestamp),
          ...browser,
          device_ver: '',
          app_version: app.app_version ?? appFacts(event)?.version,
          currency: data.currency,
          device_ids,
          event_data: {
            ...flatProperties(data, ['custom', 'app_version']),
            price: revenueOf(context).revenue,
            currency: data.currency,
            order_id: data.orderId,
            content_id: items.flatMap(({ id, sku }) => id ?? sku ?? []).join(',') || undefined,
            quantity: totalQuantity(items),
            event_id: event.eventId,
            ko_click_id: captured.ko_click_id?.value,
          },
        },
      },
    }
  },

  responseRules: [{ status: 200, path: 'success', equalsAny: ['0', 0, false], verdict: 'refused' }],
})
