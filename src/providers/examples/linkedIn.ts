import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { ada, cart } from '#provider/form/exampleData.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { adaDigests } from '#provider/vendors/exampleDigests.ts'

const mapped = Object.keys(standardEventNames).filter((name) => name !== 'PageView')
const pairs = [...mapped, 'Quiz finished'].map((name, n) => [name, String(104_000 + n)])
const ruleOf = (name: string) => pairs.find(([event]) => event === name)![1]
const secrets = { LINKEDIN_ACCESS_TOKEN: 'li-token', LINKEDIN_MAPPED_EVENTS: JSON.stringify(pairs) }
const email = { idType: 'SHA256_EMAIL', idValue: adaDigests.email }
const known = { user: { email: 'ada.lovelace@gmail.com' }, secrets }
const example = exampleLike(known)

/** The expected requests of an example with the input `known`. The arguments: the fields that its event adds. */
function sent(eventName: string, more: object = {}, version = '202608') {
  return [
    {
      url: 'https://api.linkedin.com/rest/conversionEvents',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer li-token',
        'linkedin-version': version,
        'x-restli-protocol-version': '2.0.0',
      },
      body: {
        conversion: `urn:lla:llaPartnerConversion:${ruleOf(eventName)}`,
        conversionHappenedAt: 1_700_000_000_000,
        eventId: 'evt-1',
        user: { userIds: [email] },
        ...more,
      },
    },
  ]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [like(sent('Lead')[0]!, { body: { user: { ...person } } })]

export const examples: readonly ProviderExample[] = [
  ...mapped.map((eventName) =>
    example(`${eventName}, mapped to a conversion rule`, {
      event: { eventName, data: cart },
      sends: sent(eventName, { conversionValue: { currencyCode: 'EUR', amount: '59.98' } }),
    }),
  ),
  example('a purchase, net, by a person with all keys', {
    event: { eventName: 'Purchase', data: { value: 119, tax: 19, shipping: 4.95, currency: 'EUR', orderId: 'A-1001' } },
    user: ada,
    captured: { li_fat_id: 'c1a1f7a4-5f0e-4d6b-9d57-0a6f6a2f1c38' },
    purchaseValueMode: 'net',
    sends: sent('Purchase', {
      conversionValue: { currencyCode: 'EUR', amount: '95.05' },
      user: {
        userIds: [
          email,
          { idType: 'LINKEDIN_FIRST_PARTY_ADS_TRACKING_UUID', idValue: 'c1a1f7a4-5f0e-4d6b-9d57-0a6f6a2f1c38' },
          { idType: 'PLAINTEXT_IP_ADDRESS', idValue: '81.2.69.142' },
        ],
        userInfo: { firstName: 'Ada', lastName: 'Lovelace', countryCode: 'GB' },
        externalIds: ['customer-1'],
      },
    }),
  }),
  example('a purchase in a currency without decimals, by a click', {
    event: { eventName: 'Purchase', data: { value: 6000, currency: 'JPY' } },
    captured: { li_fat_id: 'c1a1f7a4-5f0e-4d6b-9d57-0a6f6a2f1c38' },
    sends: sent('Purchase', {
      conversionValue: { currencyCode: 'JPY', amount: '6000' },
      user: {
        userIds: [
          { idType: 'LINKEDIN_FIRST_PARTY_ADS_TRACKING_UUID', idValue: 'c1a1f7a4-5f0e-4d6b-9d57-0a6f6a2f1c38' },
        ],
      },
    }),
    user: undefined,
  }),
  example('a value without a currency is not sent', {
    event: { eventName: 'Lead', data: { value: 10 } },
    sends: sent('Lead'),
  }),
  example('a person known by name, in another version of the API', {
    event: { eventName: 'Lead' },
    user: { firstName: 'Ada', lastName: 'Lovelace', ip: '2001:db8::1' },
    secrets: { LINKEDIN_API_VERSION: '202611' },
    sends: sent('Lead', { user: { userIds: [], userInfo: { firstName: 'Ada', lastName: 'Lovelace' } } }, '202611'),
  }),
  example('a custom event, mapped to a conversion rule', {
    event: { eventName: 'Quiz finished' },
    sends: sent('Quiz finished'),
  }),
  example('an event without a conversion rule is not sent', {
    event: { eventName: 'PageView' },
    sends: { skipped: 'filtered' },
  }),
  example('an IPv6 address and a first name do not identify a person', {
    event: { eventName: 'Lead' },
    user: { ip: '2001:db8::1', userAgent: 'Mozilla/5.0', firstName: 'Ada', userId: 'usr_1' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: { skipped: 'identityMissing' },
      email: sentForPerson({ externalIds: ['usr_1'] }),
      customer: sentForPerson({ externalIds: ['customer-1'] }),
    },
  ),
]
