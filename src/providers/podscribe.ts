import { totalQuantity } from '#provider/form/items.ts'
import { googleMailbox, nonEmailId } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { isoTime } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { identifier, optional, password } from '#provider/form/variables.ts'
import { flatProperties } from '#provider/vendors/attribution.ts'

const flags = ['is_new_customer', 'is_subscription'] as const

// The vendor has no public documentation. The fields are from two public connectors, one of which is the vendor's own.
export default provider({
  label: 'Podscribe',
  stage: 'draft',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://docs.tealium.com/server-side-connectors/podscribe-s2s-connector/',
  dashboardUrl: 'https://app.podscribe.com/',
  links: { faq: 'https://www.twilio.com/docs/segment/connections/destinations/catalog/actions-podscribe' },
  host: 'fixed',

  secrets: {
    PODSCRIBE_ADVERTISER: identifier(
      'Advertiser key',
      'Podscribe, Pixel set-up: the value of advertiser in the pixel.',
      {
        placeholder: 'shop-com',
      },
    ),
    PODSCRIBE_USER_ID: identifier('User ID', 'Podscribe, Pixel set-up: the value of user_id in the pixel.', optional),
    PODSCRIBE_API_KEY: password('S2S key', 'From your contact at Podscribe, where server calls need a key.', optional),
  },

  events: { PageView: 'view', Purchase: 'purchase', Subscribe: 'signup', Lead: 'lead', CompleteRegistration: 'signup' },
  user: {
    device_id: plain('anonymousId', nonEmailId),
    ip: plain('ip'),
    user_agent: plain('userAgent'),
    hashed_email: hashed('email', googleMailbox),
  },
  personId: 'anonymousId',
  requires: ['ip'],
  matchKeys: {
    strong: ['hashed_email'],
    medium: ['ip'],
    weak: ['device_id', 'user_agent'],
  },
  dedup: 'order_number',

  request({ event, data, items, coupon, user, value }, secrets, action) {
    const { device_id, ip, user_agent, hashed_email } = user
    const key = secrets.PODSCRIBE_API_KEY
    const own = flatProperties(data, flags)
    const [is_new_customer, is_subscription] = flags.map((flag) => (data[flag] === true ? 'true' : undefined))
    return {
      url: 'https://verifi.podscribe.com/tag',
      // One public connector mentions a key but not its position. A header reveals it to nobody else.
      headers: { 'x-api-key': key },
      query: {
        action,
        advertiser: secrets.PODSCRIBE_ADVERTISER,
        user_id: secrets.PODSCRIBE_USER_ID,
        timestamp: isoTime(event.timestamp),
        device_id,
        url: event.pageUrl,
        referrer: event.referrer || undefined,
        ip,
        user_agent,
        order_value: value || undefined,
        order_number: data.orderId,
        currency: data.currency,
        discount_code: coupon,
        hashed_email,
        num_items_purchased: action === 'purchase' ? totalQuantity(items) || undefined : undefined,
        is_new_customer,
        is_subscription,
        properties: Object.keys(own).length > 0 ? JSON.stringify(own) : undefined,
      },
    }
  },
})
