import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { cart } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const secrets = { AFFILIATE_POSTBACK_URL: 'https://net.example/pb?c={click_id}&o={order_id}&v={value}&k={currency}' }
const example = exampleLike({ secrets })
const bought = { value: 84.9, currency: 'EUR', orderId: 'A/1 & 2' }
const clicked = { captured: { click_id: 'c+1' }, secrets }

/** The requests, the same for each of the three people. */
const sentForPerson = [{ method: 'GET', url: 'https://net.example/pb?c=c%2B1&o=A-1001&v=59.98&k=EUR', headers: {} }]

export const examples: ProviderExample[] = [
  example('a purchase after a click, macros encoded', {
    event: { eventName: 'Purchase', data: bought },
    ...clicked,
    sends: [{ method: 'GET', url: 'https://net.example/pb?c=c%2B1&o=A%2F1%20%26%202&v=84.9&k=EUR', headers: {} }],
  }),
  example('a lead by POST, the click id in a parameter with another name', {
    event: { eventName: 'Lead', pageUrl: 'https://shop.example/?nid=n-7', data: { value: 5, currency: 'EUR' } },
    secrets: {
      AFFILIATE_POSTBACK_URL: 'https://net.example/pb?id={click_id}&e={event_name}&x={event_id}&o={order_id}',
      AFFILIATE_CLICK_PARAM: 'nid',
      AFFILIATE_METHOD: 'post',
      AFFILIATE_EVENTS: 'Purchase, Lead',
    },
    sends: [
      {
        method: 'POST',
        url: 'https://net.example/pb',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: { id: 'n-7', e: 'Lead', x: 'evt-1', o: '' },
      },
    ],
  }),
  example('a custom event of the list, to a URL without a query', {
    event: { eventName: 'Trial begun' },
    captured: { cid: 'c-1' },
    secrets: {
      AFFILIATE_POSTBACK_URL: 'https://net.example/pb/{click_id}/{event_name}',
      AFFILIATE_CLICK_PARAM: 'cid',
      AFFILIATE_METHOD: 'POST',
      AFFILIATE_EVENTS: 'Trial begun',
    },
    sends: [{ method: 'POST', url: 'https://net.example/pb/c-1/Trial%20begun', headers: {} }],
  }),
  example('a purchase without a click id', {
    event: { eventName: 'Purchase', data: bought },
    user: { userId: 'usr_1' },
    sends: { skipped: 'identityMissing' },
  }),
  ...Object.keys(standardEventNames)
    .filter((eventName) => eventName !== 'Purchase')
    .map((eventName) =>
      example(`${eventName}, not in the list of events`, {
        event: { eventName },
        ...clicked,
        sends: { skipped: 'filtered' as const },
      }),
    ),
  ...ofEachPerson(
    { event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } }, captured: { click_id: 'c+1' }, secrets },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]
