import { createRequire } from 'node:module'
import type { ProviderId } from '#contract/providerIds.ts'
import type { Captured } from './capture.ts'

/** The time of the events, epoch ms. */
export const at = 1_700_000_000_000

/** The person of the events. */
export const person = {
  customerId: 'customer-1',
  email: 'ada@example.com',
  ip: '81.2.69.142',
  userAgent: 'Mozilla/5.0',
}

const device = { ip: person.ip, userAgent: person.userAgent }
export type OraclePerson = Readonly<Record<string, string>>
/** Three kinds of people: an unknown visitor, an order with an e-mail, and a known customer. */
export const people = {
  'an anonymous visitor': { userId: 'usr_visitor-1', ...device },
  'an e-mail alone': { userId: 'usr_visitor-1', email: person.email, ...device },
  'a customer': { ...person, userId: 'usr_visitor-1' },
} as const satisfies Record<string, OraclePerson>

/** The events that both sides send. */
export const purchase = {
  eventName: 'Purchase',
  eventId: '7c0e8f5a-3f55-4f6b-9d57-0a6f6a2f1c38',
  timestamp: at,
  pageUrl: 'https://shop.example/thanks',
  pageTitle: 'Thanks',
  data: {
    value: 59.98,
    currency: 'EUR',
    orderId: 'A-1001',
    contents: [{ id: 'sku-1', title: 'Runner', item_price: 29.99, quantity: 2 }],
  },
}
export const lead = {
  eventName: 'Lead',
  eventId: '0b5f6c1e-9a57-4c26-8a35-4a0c6f0f7d10',
  timestamp: at,
  pageUrl: 'https://shop.example/offer',
  pageTitle: 'Offer',
  data: { value: 10, currency: 'EUR' },
}

export const pageView = {
  eventName: 'PageView',
  eventId: '5a6d2a0b-6b51-4f37-9c0a-3e9d1f0c7b22',
  timestamp: at,
  pageUrl: 'https://shop.example/',
  pageTitle: 'Shop',
  data: {},
}
type OracleEvent = { eventName: string; eventId: string; timestamp: number; pageUrl: string; data: object }

/** How a vendor's SDK sends the two events, by its own documentation, and how our request differs. */
export type Oracle = {
  id: ProviderId
  /** The package of the SDK. */
  sdk: string
  secrets: Readonly<Record<string, string>>
  /** The access token, if the vendor issues one. */
  token?: string
  /** Default: `tag`. */
  kind?: 'user'
  /** Default: the purchase and the lead. */
  events?: readonly OracleEvent[]
  /** Default: `person`. */
  user?: OraclePerson
  /** Which of `people` it is, if the oracle covers each. Some of the listed differences may then be absent. */
  about?: string
  /**
   * Sends the events to `url` in one request. `exports`: the exports of the package; `load` returns those of another one.
   */
  send(exports: unknown, url: string, load: (name: string) => unknown): Promise<unknown> | unknown
  /** The vendor's answer. Default: 200. */
  status?: number
  /** Selects the request to compare if the SDK sends others before it. Default: every request. */
  isCompared?(request: Captured): boolean
  /** Transforms the body before the comparison. Default: unchanged. */
  read?(body: unknown): unknown
  /** The differences by `path: kind`, with the reason why each is correct. */
  explained: Readonly<Record<string, string>>
}

/** An oracle for these people, or for all three. */
export const ofPeople = (oracleOf: (user: OraclePerson) => Oracle, kinds = Object.keys(people)): Oracle[] =>
  Object.entries<OraclePerson>(people).flatMap(([about, user]) =>
    kinds.includes(about) ? [{ ...oracleOf(user), user, about }] : [],
  )

const load = createRequire(new URL('sdks/', import.meta.url))

/** The exports of a package; undefined if it is not installed. */
export function exportsOf(name: string): unknown {
  try {
    return load(name)
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined
    throw problem
  }
}

/** The compared parts of a request: everything except transport headers. */
export const compared = ({ method, path, query, headers, body }: Captured, { read = (value) => value }: Oracle) => ({
  method,
  path,
  query,
  authorization: headers.authorization ?? headers['api-key'] ?? headers['statsig-api-key'],
  target: headers['x-amz-target'],
  version: headers.revision ?? headers['intercom-version'],
  contentType: headers['content-type']?.split(';', 1)[0],
  body: read(body),
})
