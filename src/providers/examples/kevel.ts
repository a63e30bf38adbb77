import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const guid = '0f8fad5b-d9cb-469f-a165-70867728950e'
const secrets = { KEVEL_NETWORK_ID: '9792' }
const example = exampleLike({ secrets })
const captured = { conv: guid }
const others = Object.keys(standardEventNames).filter((name) => name !== 'Purchase')

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    method: 'GET',
    url: 'https://e-9792.adzerk.net/conv/0f8fad5b-d9cb-469f-a165-70867728950e?override=59.98',
    headers: {},
  },
]

export const examples: readonly ProviderExample[] = [
  example('a purchase, whose value replaces that of the flight', {
    event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
    user: ada,
    captured,
    sends: sent(`${guid}?override=59.98`),
  }),
  example('a purchase in yen, net, added to the value of the flight, with the id in a parameter of another name', {
    event: {
      eventName: 'Purchase',
      pageUrl: `https://shop.example/thanks?kid=${guid}`,
      data: { value: 1250, tax: 250, currency: 'JPY', orderId: 'A-1001' },
    },
    purchaseValueMode: 'net',
    secrets: { KEVEL_QUERY_KEY: 'kid', KEVEL_VALUE_MODE: 'additional' },
    sends: sent(`${guid}?additional=1000`),
  }),
  ...[...others, 'Quiz finished'].map((eventName) =>
    example(`${eventName} without a value, where it is a conversion`, {
      event: { eventName },
      captured,
      secrets: { KEVEL_ALLOWED_EVENTS: `Purchase, ${eventName}` },
      sends: sent(guid),
    }),
  ),
  ...[...others, 'Quiz finished', 'Refund'].map((eventName) =>
    example(`${eventName} is no conversion by default`, {
      event: { eventName, data: cart },
      captured,
      sends: { skipped: 'eventNotSupported' as const },
    }),
  ),
  example('a purchase where only leads are conversions', {
    event: { eventName: 'Purchase', data: cart },
    captured,
    secrets: { KEVEL_ALLOWED_EVENTS: 'Lead' },
    sends: { skipped: 'filtered' },
  }),
  ...[{}, { conv: '../id/1' }].map((each) =>
    example(`a purchase ${'conv' in each ? 'with a value that is no conversion id' : 'without a conversion id'}`, {
      event: { eventName: 'Purchase', data: cart },
      user: ada,
      captured: each,
      sends: { skipped: 'identityMissing' as const },
    }),
  ),
  ...ofEachPerson(
    {
      event: { eventName: 'Purchase', data: { ...cart, orderId: 'A-1001' } },
      captured: { conv: '0f8fad5b-d9cb-469f-a165-70867728950e' },
      secrets,
    },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]

function sent(path: string) {
  return [{ method: 'GET', url: `https://e-9792.adzerk.net/conv/${path}`, headers: {} }]
}
