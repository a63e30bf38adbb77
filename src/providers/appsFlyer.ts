import { appIds } from '#provider/form/appIds.ts'
import { nonEmailId, validE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { idCheck, identifier, optional, password, text } from '#provider/form/variables.ts'
import { revenueOf, unlessRefund } from '#provider/vendors/attribution.ts'
import { appRequest, eventValueOf } from './schemas/appsFlyer.ts'

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
      // without the prefix the vendor answers 200 and records nothing
      check: (id: string) =>
        /^(?!\d+$)[\w.-]{1,200}$/.test(id) ? undefined : 'Write id before the number of an iOS app.',
    }),
    APPSFLYER_S2S_KEY: password('S2S key', 'Account menu, API tokens, S2S: for events of your app.', optional),
  },

  // visits are counted by the vendor's own page script, so PageView is not sent
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
  },
  customEventName: unlessRefund,
  user: {
    customerUserId: plain('userId', nonEmailId),
    ip: plain('ip'),
    UserAgent: plain('userAgent'),
    email_hashed: hashed('email'),
    phone_number_e164_hashed: hashed('phone', validE164),
  },
  requires: ['customerUserId', 'app.afUserId', 'app.appsflyer_id'],
  captures: [{ cookie: 'afUserId' }],
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
