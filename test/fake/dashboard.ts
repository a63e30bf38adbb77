import type { Role } from '#contract/account.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { Static } from '#contract/schema.ts'
import type { SessionMade } from '#contract/session.ts'
import { examplesOf } from '#providers/examples/all.ts'
import { providers } from '#providers/index.ts'
import { openVendors, type Vendors } from '../vendors/server.ts'
import { type Aglet, type Customer, call, makeCustomer, makeScript, type Plain, until } from './aglet.ts'

/** A secret that may occur only in the requests to its vendor. */
export const canary = 'canary-3f8e1c-secret'
export const password = 'correct horse battery'

export type DashboardPerson = { name: string; email: string; role: Role }
export type DashboardFixture = { aglet: Aglet; customer: Customer; vendors: Vendors; scripts: Record<string, string> }

export const longName = `Büro für 世界 📈 ${'sehr langer Name '.repeat(9)}مرحبا بالعالم`

/** The environment of a server whose vendors are on this machine. */
export const vendorEnvironment = ({ url }: Vendors) => ({
  AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
  AGLET_VENDORS_URL: url,
})

/** Adds a person to the team of a customer, who signs in by e-mail and password. */
export async function addPerson(
  customer: Customer,
  { name, email, role }: DashboardPerson,
): Promise<Static<typeof SessionMade>> {
  const { body } = await call<{ url: string }>(customer, 'POST', '/invitation', { role })
  const invitation = body.url
  const made = await call<Static<typeof SessionMade>>(customer, 'POST', '/person', {
    invitation,
    name,
    email,
    password,
  })
  if (made.status !== 200) throw new Error(`POST /person answered ${made.status}: ${JSON.stringify(made.body)}`)
  return made.body
}

/** The secrets of the first example with a purchase. */
export function secretsOf(id: ProviderId, more: Record<string, string> = {}): Plain[] {
  const { secrets } = providers[id]!
  const { secrets: given } = examplesOf(id).find(
    ({ event, sends, testMode: isTest }) => event.eventName === 'Purchase' && !('skipped' in sends) && !isTest,
  )!
  return Object.entries({ ...given, ...more }).map(([variable, value]) => ({
    variable,
    type: secrets[variable]!.type,
    value: value!,
  }))
}

const names = ['PageView', 'ViewContent', 'AddToCart', 'PageView', 'Purchase', 'PageView', 'InitiateCheckout', 'Search']
const items = [{ id: 'sku-1', quantity: 1, item_price: 49.5, title: 'Trail shoe <b>red</b>' }]

/** An event of a shop's visitor, as the pages send it. */
export const shopEvent = (n: number, more: Record<string, unknown> = {}) => ({
  eventName: names[n % names.length],
  eventId: `order-${1_000 + n}`,
  timestamp: Date.now(),
  pageUrl: 'https://shop.example/products/trail-shoe',
  pageTitle: 'Trail shoe',
  userEmail: `visitor${n % 7}@example.com`,
  data: { value: 49.5, currency: 'EUR', contents: items, orderId: `order-${n}`, search: 'shoe' },
  storage: { service: { consent: { all: true }, consentCategories: { all: true } } },
  ...more,
})

export async function sendEvents(
  { tagUrl }: Customer,
  events: object[],
  headers: Record<string, string> = {},
): Promise<void> {
  for (let at = 0; at < events.length; at += 50) {
    const answer = await fetch(`${tagUrl}/tag`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://localhost', ...headers },
      body: JSON.stringify(events.slice(at, at + 50)),
    })
    if (answer.status !== 200) throw new Error(`/tag answered ${answer.status}: ${await answer.text()}`)
  }
}

/** A customer whose channels cover every state that a page shows. */
export async function makeFixture(aglet: Aglet, vendors: Vendors): Promise<DashboardFixture> {
  const customer = await makeCustomer(aglet, 'www.shop.example')
  const make = (
    id: ProviderId,
    name: string,
    secrets: Record<string, string> = {},
    more: Record<string, unknown> = {},
  ) => makeScript(customer, id, name, secretsOf(id, secrets), more)
  const scripts = {
    meta: await make('facebook', 'Meta', { FACEBOOK_ACCESS_TOKEN: canary }),
    ga: await make('googleAnalytics4', 'Google Analytics 4'),
    tiktok: await make('tiktok', 'TikTok', {}, { geoRegions: 'US,CA' }),
    braze: await make('braze', 'Braze', { BRAZE_API_KEY: 'bad-key' }),
    long: await make('plausible', longName.slice(0, 200), {}, { consentCategory: 'analytics' }),
  }
  await call(customer, 'PUT', `/tag/${customer.tagId}`, { consent: 'enabled', allowedOrigins: ['http://localhost'] })
  return { aglet, customer, vendors, scripts }
}

/** Sends events that each have a different outcome. */
export async function fillTag(customer: Customer, count: number): Promise<void> {
  const refused = {
    storage: { service: { consent: { all: true }, consentCategories: { advertising: false, analytics: true } } },
  }
  const events = Array.from({ length: count }, (_, n) => shopEvent(n, n % 6 === 5 ? refused : {}))
  await sendEvents(customer, events)
  await until(async () => {
    const { body } = await call<{ events?: unknown[] }>(customer, 'GET', `/tag/${customer.tagId}/event?limit=200`)
    return (body.events?.length ?? 0) >= count // a busy server refuses a read
  })
}

export async function fillFixture(aglet: Aglet, vendors: Vendors, count = 120): Promise<DashboardFixture> {
  const fixture = await makeFixture(aglet, vendors)
  await fillTag(fixture.customer, count)
  return fixture
}

export { openVendors }
