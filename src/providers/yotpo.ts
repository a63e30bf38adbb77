import type { EventItem } from '#contract/event.ts'
import { itemsWithId, wholeQuantity } from '#provider/form/items.ts'
import { withoutFloatError } from '#provider/form/money.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces, shape } from '#provider/form/valueChecks.ts'
import { identifier, password } from '#provider/form/variables.ts'

const storeUrl = (appKey: string) => `https://api.yotpo.com/core/v3/stores/${encodeURIComponent(appKey)}`

/** The price of all pieces. Undefined if the price of one piece is not known. */
const rowTotal = ({ item_price, quantity = 1 }: EventItem) =>
  item_price === undefined ? undefined : withoutFloatError(item_price * quantity)

/** The price of all items. Undefined if one price is not known. */
function subtotal(items: readonly EventItem[]): number | undefined {
  const sum = items.reduce((total, item) => total + (rowTotal(item) ?? Number.NaN), 0)
  return items.length > 0 && Number.isFinite(sum) ? withoutFloatError(sum) : undefined
}

const lineItem = (item: EventItem, coupon_code: string | undefined) => ({
  external_product_id: item.id,
  quantity: wholeQuantity(item),
  total_price: rowTotal(item),
  subtotal_price: rowTotal(item),
  coupon_code,
})

// Only orders, for reviews and loyalty. A refund requires Yotpo's own order id, so refunds are not sent.
export default provider({
  label: 'Yotpo',
  stage: 'beta',
  consent: ['functional', 'advertising'],
  docs: 'https://core-api.yotpo.com/reference/create-order',
  dashboardUrl: 'https://settings.yotpo.com',
  links: {
    onboarding: 'https://core-api.yotpo.com/reference/yotpo-authentication',
    introduction: 'https://develop.yotpo.com/reference',
    faq: 'https://support.yotpo.com/docs/offboarding-from-yotpo-sms-email',
  },
  host: 'fixed',

  secrets: {
    YOTPO_APP_KEY: identifier(
      'App key',
      'Settings, Store settings, General settings: the app key, also called store ID.',
      {
        check: shape(/^[\w-]+$/, 'Write only letters, digits, _ and -.'),
      },
    ),
    YOTPO_API_SECRET: password('API secret', 'Settings, Store settings, General settings: get it by e-mail.', {
      check: noSpaces,
    }),
  },

  events: { Purchase: 'order' },
  user: {
    email: plain('email', emailAddress),
    phone_number: plain('phone', phoneE164),
    external_id: plain('customerId'),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
  },
  personId: 'customerId',
  // An order with only an e-mail: the e-mail is the external id of its customer.
  requires: ['email'],
  matchKeys: {
    strong: ['email', 'external_id', 'phone_number'],
  },
  dedup: 'order.external_id: a second one is answered with 409',
  tokenRequest: {
    request: ({ YOTPO_APP_KEY, YOTPO_API_SECRET }) => ({
      url: `${storeUrl(YOTPO_APP_KEY)}/access_tokens`,
      json: { secret: YOTPO_API_SECRET },
    }),
  },

  request({ event, data, items, orderId, coupon, value, user, token }, secrets) {
    return {
      url: `${storeUrl(secrets.YOTPO_APP_KEY)}/orders`,
      headers: { 'x-yotpo-token': token },
      json: {
        order: {
          external_id: orderId,
          order_date: isoTime(event.timestamp),
          total_price: value,
          subtotal_price: subtotal(items),
          currency: data.currency,
          payment_status: 'paid',
          customer: { ...user, external_id: user.external_id ?? user.email, accepts_sms_marketing: false },
          line_items: itemsWithId(items).map((item) => lineItem(item, coupon)),
        },
      },
    }
  },

  // The order already exists.
  responseRules: [{ status: 409, verdict: 'delivered' }],
})
