import { createHash } from 'node:crypto'
import { basic } from '#provider/authorization.ts'
import { ada, cart } from '#provider/examples.ts'
import { plain } from '#provider/identity.ts'
import { countryCode, emailAddress, type Normalise, trimmed } from '#provider/normalise.ts'
import { provider } from '#provider/provider.ts'
import { isoTime } from '#provider/time.ts'
import { eventPairs, identifier, password, text } from '#provider/variables.ts'

/** SHA-1 of the address, which `hashed` does not make; what is hashed already (SHA-1, SHA-256) goes as it is. */
const emailDigest: Normalise = (raw, person) => {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(raw.trim())) return raw.trim().toLowerCase()
  const email = emailAddress(raw, person)
  return email && createHash('sha1').update(email).digest('hex')
}

/** Impact refuses what names the person in the id. */
const unnamedId: Normalise = (userId, person) => (userId.includes('@') ? undefined : trimmed(userId, person))

const secrets = {
  IMPACT_CAMPAIGN_ID: '10306',
  IMPACT_ACCOUNT_SID: 'IRsid',
  IMPACT_ACCESS_TOKEN: 'impact-token',
  IMPACT_CONVERSIONS: '[{"event":"Purchase","id":"19845"},{"event":"Quiz finished","id":"19846"}]',
}

// The conversions endpoint takes no returns and no negative amounts: an action is reversed by its own id, which only
// Impact knows, so a refund is not sent.
export default provider({
  label: 'Impact',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://integrations.impact.com/impact-brand/reference/the-conversions-api',
  dashboardUrl: 'https://app.impact.com',
  host: 'fixed',

  secrets: {
    IMPACT_CAMPAIGN_ID: identifier(
      'Program ID',
      'The number of your program (campaign): Settings, Tracking, General.',
      {
        placeholder: '10306',
      },
    ),
    IMPACT_ACCOUNT_SID: text(
      'Account SID',
      'Settings, Technical, API: of an access token that may write conversions.',
      {
        placeholder: 'IRxxxxxxxxxxxxxxxxxxxxxxxx',
      },
    ),
    IMPACT_ACCESS_TOKEN: password('Auth token', 'Settings, Technical, API: beside the Account SID.', {
      helpLink: 'https://integrations.impact.com/impact-brand/reference/the-conversions-api',
    }),
    IMPACT_CONVERSIONS: eventPairs('the id of an event type: Settings, Tracking, Event types', '19845', {
      placeholder: '[{"event": "Purchase", "id": "19845"}]',
    }),
  },

  events: {},
  mapping: 'IMPACT_CONVERSIONS',
  user: {
    CustomerId: plain('userId', unnamedId),
    CustomerEmail: plain('email', emailDigest),
    CustomerCity: plain('city'),
    CustomerRegion: plain('state'),
    CustomerPostCode: plain('zip'),
    CustomerCountry: plain('country', countryCode),
    IpAddress: plain('ip'),
    UserAgent: plain('userAgent'),
  },
  captures: [{ query: 'im_ref', cookie: 'impact_cid' }, { query: 'irclickid' }],
  dedup: 'OrderId, with the event type',

  request({ event, user, value, captured }, secrets, id) {
    const { currency, orderId, discount, discounts, contents = [] } = event.data ?? {}
    const ClickId = (captured.im_ref ?? captured.irclickid ?? captured.impact_cid)?.value
    const OrderPromoCode = discounts?.[0]?.code
    // a promo code credits a partner as a click does
    if (!ClickId && !user.CustomerId && !OrderPromoCode) return { skipped: 'identityMissing' }
    const items = contents.flatMap(({ id, title, category, brand, quantity = 1, item_price }, i) =>
      Object.entries({
        Sku: id,
        Name: title,
        Category: category,
        Brand: brand,
        Quantity: quantity,
        Price: item_price,
      }).map(([field, each]) => [`Item${field}${i + 1}`, each] as const),
    )
    return {
      url: `https://api.impact.com/Advertisers/${encodeURIComponent(secrets.IMPACT_ACCOUNT_SID)}/Conversions`,
      headers: {
        accept: 'application/json',
        authorization: basic(secrets.IMPACT_ACCOUNT_SID, secrets.IMPACT_ACCESS_TOKEN),
      },
      form: {
        CampaignId: secrets.IMPACT_CAMPAIGN_ID,
        EventTypeId: id,
        EventDate: isoTime(event.timestamp),
        OrderId: orderId ?? event.eventId,
        ClickId,
        ...user,
        CurrencyCode: currency,
        OrderPromoCode,
        OrderDiscount: discount,
        // items and an amount of the whole exclude each other
        ...(items.length > 0 ? Object.fromEntries(items) : { OrderSubTotalPostDiscount: value }),
      },
    }
  },

  answers: [{ status: 200, at: 'Status', in: ['ERROR'], is: 'refused' }],

  examples: [
    {
      title: 'a purchase with items by a person of whom all is known',
      event: {
        eventName: 'Purchase',
        data: { ...cart, orderId: 'A-1001', discount: 5, discounts: [{ code: 'SPRING', type: 'FLAT', value: 5 }] },
      },
      user: ada,
      captured: { im_ref: 'click-1' },
      secrets,
      sends: sent('19845', {
        OrderId: 'A-1001',
        ClickId: 'click-1',
        CustomerId: 'usr_1',
        CustomerEmail: 'd4b76b1844c8e8b45eaffbe2b88cfa71f934e616',
        CustomerCity: 'London',
        CustomerRegion: 'England',
        CustomerPostCode: 'W1A 1AA',
        CustomerCountry: 'GB',
        IpAddress: '81.2.69.142',
        UserAgent: 'Mozilla/5.0',
        CurrencyCode: 'EUR',
        OrderPromoCode: 'SPRING',
        OrderDiscount: '5',
        ItemSku1: 'sku-1',
        ItemName1: 'Runner',
        ItemCategory1: 'Shoes',
        ItemQuantity1: '2',
        ItemPrice1: '29.99',
      }),
    },
    {
      title: 'a purchase, net, without items, by the cookie; an e-mail that is hashed already goes as it is',
      event: {
        eventName: 'Purchase',
        data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001' },
      },
      user: { email: 'd4b76b1844c8e8b45eaffbe2b88cfa71f934e616', userId: 'ada@example.com' },
      captured: { impact_cid: 'from-cookie' },
      purchaseValueMode: 'net',
      secrets,
      sends: sent('19845', {
        OrderId: 'A-1001',
        ClickId: 'from-cookie',
        CustomerEmail: 'd4b76b1844c8e8b45eaffbe2b88cfa71f934e616',
        CurrencyCode: 'EUR',
        OrderSubTotalPostDiscount: '95.05',
      }),
    },
    {
      title: 'a custom event that the customer counts, by an older link',
      event: { eventName: 'Quiz finished' },
      captured: { irclickid: 'older' },
      secrets,
      sends: sent('19846', { OrderId: 'evt-1', ClickId: 'older' }),
    },
    {
      title: 'a promo code alone credits a partner',
      event: { eventName: 'Purchase', data: { orderId: 'A-1', discounts: [{ code: 'PARTNER10' }] } },
      secrets,
      sends: sent('19845', { OrderId: 'A-1', OrderPromoCode: 'PARTNER10' }),
    },
    {
      title: 'an event that the customer does not count',
      event: { eventName: 'Lead', data: { value: 10, currency: 'USD' } },
      user: { userId: 'usr_1' },
      secrets,
      sends: { skipped: 'filtered' },
    },
    {
      title: 'nobody to credit it to',
      event: { eventName: 'Purchase', data: { orderId: 'A-1' } },
      user: { email: 'ada@example.com' },
      secrets,
      sends: { skipped: 'identityMissing' },
    },
  ],
})

/** What goes to Impact: the examples say what they add. */
function sent(EventTypeId: string, more: Record<string, string>) {
  return [
    {
      url: 'https://api.impact.com/Advertisers/IRsid/Conversions',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        authorization: 'Basic SVJzaWQ6aW1wYWN0LXRva2Vu',
      },
      body: { CampaignId: '10306', EventTypeId, EventDate: '2023-11-14T22:13:20.000Z', ...more },
    },
  ]
}
