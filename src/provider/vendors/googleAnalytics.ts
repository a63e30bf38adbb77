import type { EventData, EventItem } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { truncate } from '#provider/form/text.ts'

/** The Google Analytics names of the standard events. Other vendors also use them. */
export const gaEventNames = {
  PageView: 'page_view',
  ViewContent: 'view_item',
  AddToCart: 'add_to_cart',
  RemoveFromCart: 'remove_from_cart',
  InitiateCheckout: 'begin_checkout',
  AddShippingInfo: 'add_shipping_info',
  AddPaymentInfo: 'add_payment_info',
  Purchase: 'purchase',
  Refund: 'refund',
  Subscribe: 'subscribe',
  Search: 'search',
  Lead: 'generate_lead',
  AddToWishlist: 'add_to_wishlist',
  CompleteRegistration: 'sign_up',
  Login: 'login',
  Share: 'share',
  SpendCredits: 'spend_virtual_currency',
  AchieveLevel: 'level_up',
  UnlockAchievement: 'unlock_achievement',
  CompleteTutorial: 'tutorial_complete',
  ViewCart: 'view_cart',
  ViewItemList: 'view_item_list',
  SelectItem: 'select_item',
  ViewPromotion: 'view_promotion',
  SelectPromotion: 'select_promotion',
  Download: 'file_download',
} as const

// https://developers.google.com/analytics/devguides/collection/protocol/ga4/reference#reserved_names
const reserved = new Set(
  `ad_activeview ad_click ad_exposure ad_impression ad_query ad_reward adunit_exposure app_background app_clear_data
  app_exception app_install app_remove app_store_refund app_store_subscription_cancel app_store_subscription_convert
  app_store_subscription_renew app_update app_upgrade dynamic_link_app_open dynamic_link_app_update
  dynamic_link_first_open error firebase_campaign first_open first_visit in_app_purchase notification_dismiss
  notification_foreground notification_open notification_receive notification_send os_update session_start
  session_start_with_rollout user_engagement`.split(/\s+/),
)

const isName = (name: string) => /^(?!ga_|google_|firebase_|gtag[._])[a-z]\w{0,39}$/i.test(name)

/** A custom event name in a form that Google Analytics accepts. Undefined if there is no such form. */
export function gaCustomEventName(eventName: string): string | undefined {
  const name = truncate(eventName.trim().replace(/\W/g, '_'), 40)
  return isName(name) && !reserved.has(name.toLowerCase()) ? name : undefined
}

const gaItem = ({ id, title, brand, category, variantId, item_price: price, quantity }: EventItem) => ({
  item_id: truncate(id, 100),
  item_name: truncate(title, 100),
  item_brand: truncate(brand, 100),
  item_category: truncate(category, 100),
  item_variant: truncate(variantId, 100),
  price,
  quantity,
})

/** The items with an id or a name, at most 200. Texts are truncated to 100 characters. */
export const gaItems = (items: readonly EventItem[] | undefined) =>
  items
    ?.filter(({ id, title }) => id || title)
    .slice(0, 200)
    .map(gaItem)

const isParam = (value: unknown) =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && !value.includes('@'))

/**
 * The members of `data` that Google Analytics accepts as custom parameters, at most `maxCount`. Members with their own
 * field are omitted.
 */
export const gaParams = (data: EventData, maxCount: number): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(remainingData(data, 'value', 'currency', 'contents', 'orderId', 'search', 'tax', 'shipping'))
      .filter(([key, value]) => isName(key) && isParam(value))
      .slice(0, maxCount)
      .map(([key, value]) => [key, truncate(value, 100)]),
  )
