import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'

const secrets = {
  ADJUST_APP_TOKEN: '2fm9gkqubvpc',
  ADJUST_EVENT_TOKENS:
    '[["Purchase", "g3mfiw"], ["AddToCart", "abc123"], ["Refund", "rfd123"], ["Quiz finished", "qz1234"]]',
}
const example = exampleLike({ secrets })
const device = { web_uuid: '46c7b8a3-9c31-4f0c-8c7f-6d6d5a1f2e11' }
const callback = JSON.stringify({ event_id: 'evt-1', content_ids: 'sku-1' })

/** The expected request. */
const sent = (form: Record<string, string | undefined>, headers: object = {}) => [
  {
    url: 'https://s2s.adjust.com/event',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: JSON.parse(
      JSON.stringify({
        s2s: '1',
        app_token: '2fm9gkqubvpc',
        created_at_unix: '1700000000',
        environment: 'production',
        callback_params: callback,
        partner_params: '{"content_ids":"sku-1"}',
        ...form,
      }),
    ),
  },
]
const ordered = {
  callback_params: JSON.stringify({ event_id: 'evt-1', order_id: 'A-1001', content_ids: 'sku-1' }),
  partner_params: '{"order_id":"A-1001","content_ids":"sku-1"}',
}
const bought = { event_token: 'g3mfiw', ...device, revenue: '59.98', currency: 'EUR', ...ordered }
const purchase = { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } }

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  {
    url: 'https://s2s.adjust.com/event',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: {
      s2s: '1',
      app_token: '2fm9gkqubvpc',
      event_token: 'g3mfiw',
      gps_adid: 'GAID-1',
      adid: 'ADID-1',
      created_at_unix: '1700000000',
      revenue: '1250',
      currency: 'JPY',
      environment: 'production',
      ...person,
    },
  },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase on the web, with authentication', {
    event: purchase,
    user: ada,
    captured: device,
    secrets: { ADJUST_S2S_TOKEN: 's2s-token-1' },
    sends: sent(
      {
        ...bought,
        ip_address: '81.2.69.142',
        user_agent: 'Mozilla/5.0',
        callback_params: JSON.stringify({
          event_id: 'evt-1',
          order_id: 'A-1001',
          user_id: 'customer-1',
          content_ids: 'sku-1',
        }),
      },
      { authorization: 'Bearer s2s-token-1' },
    ),
  }),
  example('a purchase in yen, net, on a phone; an IPv6 address is left out', {
    event: {
      eventName: 'Purchase',
      data: { value: 1250, tax: 250, currency: 'JPY', gps_adid: 'GAID-1', adid: 'ADID-1' },
    },
    user: { ip: '2001:db8::1' },
    purchaseValueMode: 'net',
    sends: sent({
      event_token: 'g3mfiw',
      gps_adid: 'GAID-1',
      adid: 'ADID-1',
      revenue: '1000',
      currency: 'JPY',
      callback_params: '{"event_id":"evt-1"}',
      partner_params: undefined,
    }),
  }),
  example('the value of a cart is no revenue', {
    event: { eventName: 'AddToCart', data: cart },
    custom: { idfa: 'IDFA-1', idfv: 'IDFV-1' },
    sends: sent({ event_token: 'abc123', idfa: 'IDFA-1', idfv: 'IDFV-1' }),
  }),
  example('a refund is mapped and has no revenue', {
    event: { eventName: 'Refund', data: { ...cart, orderId: 'A-1001' } },
    captured: device,
    sends: sent({ event_token: 'rfd123', ...device, ...ordered }),
  }),
  example('a custom event that is mapped; a revenue below the least that counts is left out', {
    event: { eventName: 'Quiz finished', data: { value: 0, currency: 'EUR', contents: cart.contents } },
    captured: device,
    sends: sent({ event_token: 'qz1234', ...device }),
  }),
  example('a purchase in the sandbox of the customer', {
    event: purchase,
    captured: device,
    secrets: { ADJUST_ENVIRONMENT: 'sandbox' },
    sends: sent({ ...bought, environment: 'sandbox' }),
  }),
  example('a purchase in the test mode', {
    event: purchase,
    captured: device,
    testMode: true,
    sends: sent({ ...bought, environment: 'sandbox' }),
  }),
  example('an event that is not mapped', {
    event: { eventName: 'ViewContent', data: cart },
    captured: device,
    sends: { skipped: 'filtered' },
  }),
  example('a purchase without an id of a device', {
    event: purchase,
    user: ada,
    captured: {},
    sends: { skipped: 'identityMissing' },
  }),
  example('an advertising id of zeros identifies nobody', {
    event: { ...purchase, data: { ...purchase.data, idfa: '00000000-0000-0000-0000-000000000000' } },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    {
      event: {
        eventName: 'Purchase',
        data: { value: 1250, tax: 250, currency: 'JPY', gps_adid: 'GAID-1', adid: 'ADID-1' },
      },
      secrets,
    },
    {
      visitor: sentForPerson({ callback_params: '{"event_id":"evt-1"}' }),
      email: sentForPerson({ callback_params: '{"event_id":"evt-1"}' }),
      customer: sentForPerson({ callback_params: '{"event_id":"evt-1","user_id":"customer-1"}' }),
    },
  ),
]
