import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ProviderId } from '#contract/providerIds.ts'
import { providers } from '#providers/index.ts'
import { type Customer, makeCustomer, makeScript, openAglet, type Plain, settledJourney } from '../fake/aglet.ts'
import { openVendor, type ReceivedRequest } from '../fake/vendor.ts'

/**
 * Fake vendors with the identity rules of each vendor: which ids in a request create an identified profile, and which
 * requests join two ids.
 */

// biome-ignore lint/suspicious/noExplicitAny: the bodies of five vendors
type Json = any
/** The ids of one profile that a request names; none for an anonymous event. */
type Named = readonly (string | undefined)[]

const rowsOf = ({ events = [], attributes = [], purchases = [] }: Json): Json[] => [
  ...events,
  ...attributes,
  ...purchases,
]

/** All objects within a value that have this member. */
const withMember = (value: Json, name: string): Json[] => {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap((each) => withMember(each, name))
  return name in value ? [value, ...inner] : inner
}

const vendorHosts: Readonly<Record<string, { id: ProviderId; names(got: ReceivedRequest): Named[] }>> = {
  'a.klaviyo.com': {
    id: 'klaviyo',
    names: ({ json }) =>
      withMember(json, 'profile').map(({ profile }) => {
        const { external_id, email, phone_number } = profile.data.attributes
        return [external_id, email, phone_number]
      }),
  },
  'rest.iad-01.braze.com': {
    id: 'braze',
    names: ({ path, json }) =>
      path.startsWith('/users/identify')
        ? (json as Json).emails_to_identify.map(({ external_id, email }: Json) => [external_id, email])
        : rowsOf(json).map(({ external_id, email, user_alias }) => [external_id ?? user_alias?.alias_name ?? email]),
  },
  'api.mixpanel.com': {
    id: 'mixpanel',
    names: ({ json }) =>
      (json as Json[]).map(({ properties: { distinct_id, $user_id } }) => [
        $user_id,
        ...(`${distinct_id}`.startsWith('$device:') ? [] : [distinct_id]),
      ]),
  },
  'track.customer.io': {
    id: 'customerIo',
    names: ({ path, json }) =>
      path.startsWith('/api/v1/events')
        ? []
        : ((json as Json).batch ?? [json]).map(({ identifiers, attributes, action }: Json) => [
            identifiers.id,
            identifiers.email,
            action === 'identify' ? attributes?.email : undefined,
          ]),
  },
  'www.google-analytics.com': { id: 'googleAnalytics4', names: ({ json }) => [[(json as Json).user_id]] },
}

const secrets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  klaviyo: { KLAVIYO_API_KEY: 'pk_test' },
  braze: { BRAZE_API_KEY: 'key', BRAZE_REST_ENDPOINT: 'https://rest.iad-01.braze.com' },
  mixpanel: { MIXPANEL_PROJECT_TOKEN: '0123456789abcdef0123456789abcdef' },
  customerIo: { CUSTOMER_IO_SITE_ID: 'site', CUSTOMER_IO_API_KEY: 'key' },
  googleAnalytics4: { GOOGLE_ANALYTICS_4_MEASUREMENT_ID: 'G-ABC123', GOOGLE_ANALYTICS_4_API_SECRET: 'secret' },
}
const plainOf = (id: ProviderId): Plain[] =>
  Object.entries(secrets[id]!).map(([variable, value]) => {
    return { variable, type: providers[id]!.secrets[variable]!.type, value }
  })

const vendor = await openVendor()
after(vendor.close)
const aglet = await openAglet('profiles', { AGLET_VENDORS_URL: vendor.url })
const customer = await makeCustomer(aglet, 'profiles')
for (const id of Object.keys(secrets) as ProviderId[]) await makeScript(customer, id, id, plainOf(id))

/** Each vendor's identified profiles after these requests: joined ids are one profile. */
function profilesAfter(requests: readonly ReceivedRequest[]): Record<string, string[][]> {
  const profiles = Object.fromEntries(Object.values(vendorHosts).map(({ id }) => [id, [] as string[][]]))
  for (const got of requests) {
    const stand = vendorHosts[`${got.headers['x-aglet-host']}`]
    assert.ok(stand, `${got.headers['x-aglet-host']} has no stand-in`)
    for (const named of stand.names(got)) {
      const ids = named.filter((id) => id !== undefined)
      if (ids.length === 0) continue
      const known = profiles[stand.id]!
      const joined = known.filter((profile) => profile.some((id) => ids.includes(id)))
      profiles[stand.id] = [...known.filter((profile) => !joined.includes(profile)), [...joined.flat(), ...ids]]
    }
  }
  return profiles
}

let count = 0
async function send({ tagUrl, ...who }: Customer, more: object, headers: Record<string, string>): Promise<void> {
  const eventId = `profiles-${++count}`
  const event = {
    eventName: 'Purchase',
    eventId,
    timestamp: Date.now(),
    data: { value: 5, currency: 'EUR', orderId: eventId },
    storage: { service: { consent: { all: true } } },
    ...more,
  }
  const body = JSON.stringify(event)
  const answer = await fetch(`${tagUrl}/tag`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  assert.equal(answer.status, 200, await answer.clone().text())
  await settledJourney({ tagUrl, ...who }, eventId)
}
const server = { authorization: `Bearer ${customer.token}`, 'team-id': customer.teamId }
const page = { origin: 'http://localhost:3000', 'user-agent': 'Mozilla/5.0' }

test('a view of an anonymous visitor makes an identified profile at no vendor, and Aglet’s id goes nowhere as one', async () => {
  const from = vendor.got.length
  for (const serviceuserid of ['usr_visitor1', 'usr_visitor2'])
    await send(customer, { eventName: 'PageView' }, { ...page, serviceuserid })
  const requests = vendor.got.slice(from)
  for (const profiles of Object.values(profilesAfter(requests))) assert.deepEqual(profiles, [])
  const hosts = new Set(requests.map(({ headers }) => headers['x-aglet-host']))
  assert.ok(hosts.has('www.google-analytics.com') && hosts.has('api.mixpanel.com'), 'anonymous events are sent')
})

const orderings = [
  ['email', 'customerId', 'both'],
  ['email', 'both', 'customerId'],
  ['customerId', 'email', 'both'],
  ['customerId', 'both', 'email'],
  ['both', 'email', 'customerId'],
  ['both', 'customerId', 'email'],
] as const

for (const [n, ordering] of orderings.entries())
  test(`orders by ${ordering.join(', then by ')} are of one and the same profile`, async () => {
    const [userEmail, userCustomerId] = [`person-${n}@example.com`, `customer-${n}`]
    const names = { email: { userEmail }, customerId: { userCustomerId }, both: { userEmail, userCustomerId } }
    const from = vendor.got.length
    for (const each of ordering) await send(customer, names[each], server)
    for (const [id, profiles] of Object.entries(profilesAfter(vendor.got.slice(from)))) {
      assert.equal(profiles.length, 1, `${id} has ${JSON.stringify(profiles)}`)
      assert.ok(profiles[0]!.includes(userCustomerId), id)
    }
  })
