import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const names = {
  ViewContent: 'Generic',
  AddToCart: 'AddToCart',
  InitiateCheckout: 'InitiateCheckout',
  AddPaymentInfo: 'AddPaymentInfo',
  Purchase: 'Purchase',
  Subscribe: 'CompleteRegistration',
  Search: 'Search',
  Lead: 'GenerateLead',
  AddToWishlist: 'AddToWishlist',
  CompleteRegistration: 'CompleteRegistration',
}
const secrets = { QUORA_ACCOUNT_ID: '1234567890', QUORA_API_TOKEN: 'quora-token' }
const known = { user: { email: ' Ada@Example.com ' }, secrets }
const example = exampleLike(known)

/** The expected requests of an example with the input `known`. The arguments: the fields that its event adds. */
function sent(event_name: string, more: object = {}, body: object = { user: { email: 'ada@example.com' } }) {
  return [
    {
      url: 'https://api.quora.com/ads/v0/conversion',
      headers: { 'content-type': 'application/json', authorization: 'Bearer quora-token' },
      body: {
        account_id: 1_234_567_890,
        ...body,
        conversion: { event_name, timestamp: 1_700_000_000_000_000, event_id: 'evt-1', ...more },
      },
    },
  ]
}

/** The requests, the same for each of the three people. */
const sentForPerson = [
  like(sent('Lead')[0]!, {
    body: { user: { email: 'ada.lovelace@gmail.com' }, conversion: { event_name: 'GenerateLead' } },
  }),
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} with the value of the cart`, {
      event: { eventName, data: cart },
      sends: sent(name, { value: 59.98 }),
    }),
  ),
  example('a purchase, net, by a person with all keys', {
    event: {
      eventName: 'Purchase',
      referrer: 'https://www.quora.com/',
      data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001' },
    },
    user: ada,
    captured: { qclid: 'click-1' },
    purchaseValueMode: 'net',
    sends: sent(
      'Purchase',
      { click_id: 'click-1', value: 95.05 },
      {
        user: {
          email: 'ada.lovelace@gmail.com',
          name: 'Ada Lovelace',
          phone_number: '+491701234567',
          date_of_birth: '1990-12-10',
          ip: '81.2.69.142',
          country: 'GB',
          region: 'England',
          city: 'London',
          postal_code: 'W1A 1AA',
        },
        device: { user_agent: 'Mozilla/5.0', referer: 'https://www.quora.com/' },
      },
    ),
  }),
  example('a purchase in a currency without decimals, by a click', {
    event: { eventName: 'Purchase', data: { value: 6000, currency: 'JPY' } },
    captured: { qclid: 'click-1' },
    sends: sent('Purchase', { click_id: 'click-1', value: 6000 }, {}),
    user: undefined,
  }),
  example('a custom event is a Generic one', { event: { eventName: 'Quiz finished' }, sends: sent('Generic') }),
  example('a page view is not sent', { event: { eventName: 'PageView' }, sends: { skipped: 'eventNotSupported' } }),
  example('Quora has no event for refunds', {
    event: { eventName: 'Refund', data: { value: 20, currency: 'EUR' } },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('a phone number and an IP address do not identify a person', {
    event: { eventName: 'Purchase', data: cart },
    user: { phone: '+49 170 1234567', ip: '81.2.69.142', userAgent: 'Mozilla/5.0' },
    sends: { skipped: 'identityMissing' },
  }),
  example('a purchase after a click that the cookie keeps, of an account with 16 digits', {
    event: { eventName: 'Purchase', data: { value: 5, currency: 'USD' } },
    captured: { quora_qclid: 'click-1' },
    secrets: { QUORA_ACCOUNT_ID: '1234567890123456' },
    sends: sent('Purchase', { click_id: 'click-1', value: 5 }, { account_id: 1_234_567_890_123_456 }),
    user: undefined,
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    { visitor: { skipped: 'identityMissing' }, email: sentForPerson, customer: sentForPerson },
  ),
]
