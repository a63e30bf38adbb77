import { mapItems } from '#provider/form/items.ts'
import { emailAddress, nonEmailId, phoneE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { eventMapping, idCheck, identifier } from '#provider/form/variables.ts'
import { flatProperties } from '#provider/vendors/attribution.ts'

export default provider({
  label: 'Rockerbox',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  gvlId: 232,
  docs: 'https://help.rockerbox.com/article/5t050dmcxv-webhooks',
  dashboardUrl: 'https://app.rockerbox.com',
  links: { faq: 'https://help.rockerbox.com/article/jed1tvweuj-deduplicating-conversions' },
  hasActivation: true,
  host: 'fixed',

  secrets: {
    ROCKERBOX_ADVERTISER_ID: identifier('Advertiser ID', 'From your account manager at Rockerbox.', {
      placeholder: 'shop',
      check: idCheck,
    }),
    ROCKERBOX_MAPPED_EVENTS: eventMapping('the name of a conversion: Settings, Conversions', 'purchase'),
  },

  events: {},
  eventMapping: 'ROCKERBOX_MAPPED_EVENTS',
  // Rockerbox accepts no hashes.
  user: {
    email: plain('email', emailAddress),
    phone: plain('phone', phoneE164),
    customer_id: plain('customerId', nonEmailId),
    anonymous_id: plain('anonymousId'),
  },
  personId: 'customerId',
  requires: ['email', 'customer_id'],
  matchKeys: {
    strong: ['email', 'customer_id', 'phone'],
    weak: ['anonymous_id'],
  },
  dedup: 'the conversion key of the account, such as order_id; the first one of a day wins',

  // The host responds with 200 to any path and any action, so a wrong conversion name is never reported.
  request({ event, data, items, user, value }, secrets, action) {
    return {
      url: 'https://webhooks.getrockerbox.com/webhook/data',
      query: { advertiser: secrets.ROCKERBOX_ADVERTISER_ID },
      json: {
        ...flatProperties(data),
        action,
        timestamp: String(epochSeconds(event.timestamp)),
        ...user,
        order_id: data.orderId,
        revenue: value,
        currency: data.currency,
        conversion_source: 'server',
        event_id: event.eventId,
        products: mapItems(items, ({ id, sku, title, category, item_price: price, quantity = 1 }) => {
          return { id, sku, name: title, category, price, quantity }
        }),
      },
    }
  },
})
