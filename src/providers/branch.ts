import type { EventItem } from '#contract/event.ts'
import { appFacts } from '#provider/form/appFacts.ts'
import { appIds } from '#provider/form/appIds.ts'
import { isOptedOut } from '#provider/form/consentSignals.ts'
import { mapItems } from '#provider/form/items.ts'
import { nonEmailId } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { plain } from '#provider/form/userRule.ts'
import { identifier } from '#provider/form/variables.ts'
import { flatProperties, unlessRefund } from '#provider/vendors/attribution.ts'

const apple = ['idfa', 'idfv'] as const

const android = ['aaid', 'android_id'] as const

const web = ['browser_fingerprint_id', '_branch_match_id'] as const

/** Standard events of Branch; others are custom events, which have no commerce fields. */
const standard = /^[A-Z_]+$/

export default provider({
  label: 'Branch',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://help.branch.io/apidocs/events-api',
  dashboardUrl: 'https://dashboard.branch.io',
  links: {
    introduction: 'https://help.branch.io/apidocs/logstandardevents',
    faq: 'https://help.branch.io/apidocs/logcustomevents',
  },
  isApp: true,
  appPlatforms: ['android', 'ios'],
  host: 'fixed',

  secrets: {
    BRANCH_KEY: identifier('Branch key', 'Account Settings, Profile: the key of the live or of the test environment.', {
      placeholder: 'key_live_…',
      check: (key: string) =>
        /^key_(live|test)_[\w-]{1,100}$/.test(key)
          ? undefined
          : 'Write the key that begins with key_live_ or key_test_.',
    }),
  },

  events: {
    ViewContent: 'VIEW_ITEM',
    AddToCart: 'ADD_TO_CART',
    RemoveFromCart: 'RemoveFromCart',
    InitiateCheckout: 'INITIATE_PURCHASE',
    AddShippingInfo: 'AddShippingInfo',
    AddPaymentInfo: 'ADD_PAYMENT_INFO',
    Purchase: 'PURCHASE',
    Subscribe: 'SUBSCRIBE',
    Search: 'SEARCH',
    Lead: 'COMPLETE_REGISTRATION',
    AddToWishlist: 'ADD_TO_WISHLIST',
    CompleteRegistration: 'COMPLETE_REGISTRATION',
    StartTrial: 'START_TRIAL',
    Login: 'LOGIN',
    Share: 'SHARE',
    Invite: 'INVITE',
    Rate: 'RATE',
    Reserve: 'RESERVE',
    SpendCredits: 'SPEND_CREDITS',
    AchieveLevel: 'ACHIEVE_LEVEL',
    UnlockAchievement: 'UNLOCK_ACHIEVEMENT',
    CompleteTutorial: 'COMPLETE_TUTORIAL',
    ViewCart: 'VIEW_CART',
    ViewItemList: 'VIEW_ITEMS',
  },
  customEventName: unlessRefund,
  user: { developer_identity: plain('customerId', nonEmailId), user_agent: plain('userAgent'), ip: plain('ip') },
  personId: 'customerId',
  requires: ['developer_identity', ...[...web, ...apple, ...android].map((id) => `app.${id}` as const)],
  captures: [{ query: '_branch_match_id', cookie: 'browser_fingerprint_id' }],
  matchKeys: {
    strong: [
      'developer_identity',
      'captured._branch_match_id',
      'captured.browser_fingerprint_id',
      'app.browser_fingerprint_id',
      'app._branch_match_id',
      'app.idfa',
      'app.idfv',
      'app.aaid',
      'app.android_id',
    ],
    weak: ['user_agent', 'ip'],
  },
  dedup: 'none; custom_data.event_id is for reports',

  // Branch uses the time of arrival: a request has no time.
  request(context, { BRANCH_KEY: branch_key }, name) {
    const { event, data, items, coupon, user, value, consent } = context
    const { browser_fingerprint_id, _branch_match_id } = appIds(context, web)
    const fingerprint = [browser_fingerprint_id, _branch_match_id].find((id) => /^\d+$/.test(id ?? ''))
    const onApple = appIds(context, apple)
    const onAndroid = appIds(context, android)
    const os = Object.keys(onApple).length > 0 ? 'iOS' : Object.keys(onAndroid).length > 0 ? 'Android' : undefined
    if (!user.developer_identity && !fingerprint && !os) return { skipped: 'identityMissing' }
    const { currency } = data
    const facts = os ? appFacts(event) : undefined
    const user_data = {
      ...user,
      browser_fingerprint_id: fingerprint,
      ...(os === 'iOS' ? onApple : onAndroid),
      os,
      limit_ad_tracking: isOptedOut(consent) || undefined,
      app_version: facts?.version,
      os_version: facts?.osVersion,
      brand: facts?.manufacturer,
      model: facts?.model,
      environment: os ? 'FULL_APP' : 'FULL_WEB',
      http_referrer: event.referrer,
    }
    const own = flatProperties(data)
    const custom_data = { ...textsOf(own), event_id: event.eventId }
    const isStandard = standard.test(name) && event.eventName !== name
    const api = `https://api2.branch.io/v2/event/${isStandard ? 'standard' : 'custom'}`
    const headers = { accept: 'application/json' }
    if (!isStandard) return { url: api, headers, json: { branch_key, name, user_data, custom_data } }
    const { orderId: transaction_id, shipping, tax, search: search_query } = data
    const amounts = { transaction_id, currency, revenue: value, shipping, tax, coupon, search_query }
    const content_items = mapItems(items, contentItem(currency))
    const common = { branch_key, name, customer_event_alias: event.eventName, user_data }
    return { url: api, headers, json: { ...common, event_data: unlessEmpty(amounts), content_items, custom_data } }
  },
})

/** An item with Branch's field names. The price is in the order's currency. */
const contentItem = (currency: string | undefined) => (item: EventItem) => ({
  $sku: item.sku ?? item.id,
  $product_name: item.title,
  $price: item.item_price,
  $quantity: item.quantity ?? 1,
  $currency: currency,
  $product_brand: item.brand,
  $product_variant: item.variantId,
  $canonical_identifier: item.id,
  $canonical_url: item.url,
})

/** The same values as texts: `custom_data` accepts no others. */
const textsOf = (values: Readonly<Record<string, string | number | boolean>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([field, value]) => [field, String(value)]))
