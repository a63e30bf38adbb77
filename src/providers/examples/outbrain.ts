import { ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const names = { ...standardEventNames, 'Quiz finished': 'Quiz done' }
const secrets = { OUTBRAIN_MAPPED_EVENTS: JSON.stringify(Object.entries(names)) }
const captured = { OutbrainClickId: 'v3-abc' }
const at = 'timestamp=2023-11-14+22%3A13%3A20'

/** The requests for any of the three people. */
const sentForPerson = [
  {
    method: 'GET',
    url: 'https://tr.outbrain.com/unifiedPixel?ob_click_id=v3-abc&name=Lead&timestamp=2023-11-14+22%3A13%3A20',
    headers: {},
  },
]

export const examples: readonly ProviderExample[] = [
  ...Object.entries(names).map(([eventName, name]) => ({
    title: `${eventName} by a person with all keys, none of which is sent`,
    event: { eventName, data: { ...cart, orderId: 'A-1001' } },
    user: ada,
    captured,
    secrets,
    sends: sent(`v3-abc&name=${name.replace(' ', '+')}&orderValue=59.98&orderId=A-1001&currency=EUR&${at}`),
  })),
  {
    title: 'a purchase in yen, net, with the click id in a parameter of another name',
    event: { eventName: 'Purchase', data: { value: 1250, tax: 250, currency: 'jpy', orderId: 'A-1001' } },
    purchaseValueMode: 'net',
    captured: { oid: 'own-parameter', dicbo: 'last' },
    secrets: { ...secrets, OUTBRAIN_QUERY_KEY: 'oid' },
    sends: sent(`own-parameter&name=Purchase&orderValue=1000&orderId=A-1001&currency=JPY&${at}`),
  },
  ...['ob_click_id', 'dicbo', 'outbrain_cid'].map((name) => ({
    title: `a lead without a value, with the click id in ${name}`,
    event: { eventName: 'Lead' },
    captured: { [name]: 'c-1' },
    secrets,
    sends: sent(`c-1&name=Lead&${at}`),
  })),
  {
    title: 'a refund, also where it has a mapping',
    event: { eventName: 'Refund', data: cart },
    captured,
    secrets: { ...secrets, OUTBRAIN_MAPPED_EVENTS: '[["Refund", "refund"]]' },
    sends: { skipped: 'eventNotSupported' },
  },
  {
    title: 'an event without a mapping',
    event: { eventName: 'Signed up', data: cart },
    captured,
    secrets,
    sends: { skipped: 'filtered' },
  },
  {
    title: 'a purchase without a click id',
    event: { eventName: 'Purchase', data: cart },
    user: ada,
    secrets,
    sends: { skipped: 'identityMissing' },
  },
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, captured: { OutbrainClickId: 'v3-abc' }, secrets },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]

function sent(query: string) {
  return [{ method: 'GET', url: `https://tr.outbrain.com/unifiedPixel?ob_click_id=${query}`, headers: {} }]
}
