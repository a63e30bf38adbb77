import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const names = { ...standardEventNames, 'Quiz finished': 'Quiz done' }
const secrets = { OUTBRAIN_MAPPED_EVENTS: JSON.stringify(Object.entries(names)) }
const example = exampleLike({ secrets })
const captured = { OutbrainClickId: 'v3-abc' }
const at = 'timestamp=2023-11-14+22%3A13%3A20'

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    method: 'GET',
    url: 'https://tr.outbrain.com/unifiedPixel?ob_click_id=v3-abc&name=Lead&timestamp=2023-11-14+22%3A13%3A20',
    headers: {},
  },
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) =>
    example(`${eventName} by a person with all keys, none of which is sent`, {
      event: { eventName, data: { ...cart, orderId: 'A-1001' } },
      user: ada,
      captured,
      sends: sent(`v3-abc&name=${name.replace(' ', '+')}&orderValue=59.98&orderId=A-1001&currency=EUR&${at}`),
    }),
  ),
  example('a purchase in yen, net, with the click id in a parameter of another name', {
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'jpy', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    captured: { oid: 'own-parameter', dicbo: 'last' },
    secrets: { OUTBRAIN_QUERY_KEY: 'oid' },
    sends: sent(`own-parameter&name=Purchase&orderValue=1000&orderId=A-1001&currency=JPY&${at}`),
  }),
  ...['ob_click_id', 'dicbo', 'outbrain_cid'].map((name) =>
    example(`a lead without a value, with the click id in ${name}`, {
      event: { eventName: 'Lead' },
      captured: { [name]: 'c-1' },
      sends: sent(`c-1&name=Lead&${at}`),
    }),
  ),
  example('a refund, also where it has a mapping', {
    event: { eventName: 'Refund', data: cart },
    captured,
    secrets: { OUTBRAIN_MAPPED_EVENTS: '[["Refund", "refund"]]' },
    sends: { skipped: 'eventNotSupported' },
  }),
  example('an event without a mapping', {
    event: { eventName: 'Signed up', data: cart },
    captured,
    sends: { skipped: 'filtered' },
  }),
  example('a purchase without a click id', {
    event: { eventName: 'Purchase', data: cart },
    user: ada,
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, captured: { OutbrainClickId: 'v3-abc' }, secrets },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]

function sent(query: string) {
  return [{ method: 'GET', url: `https://tr.outbrain.com/unifiedPixel?ob_click_id=${query}`, headers: {} }]
}
