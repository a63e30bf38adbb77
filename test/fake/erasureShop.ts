import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import fc from 'fast-check'
import { sealSecret } from '../../src/cli/sealSecret.ts'
import { type Aglet, type Customer, call, makeCustomer, makeScript, sinkAt } from './aglet.ts'
import { fakeOrder, shopifyOrderJson, shopifyWebhook } from './shop.ts'
import type { ReceivedRequest, Vendor, VendorReply } from './vendor.ts'

/** A person with a canary in every field. Each text of the person contains `seed`, `phone` or `ip`. */
export type Person = {
  userId: string
  seed: string
  phone: string
  ip: string
  email: string
  customerId: string
  /** A text of the person for this field. */
  of(field: string): string
}

export function makePerson(): Person {
  // With a digit, as ids have: a word of letters alone is not masked in the message of a vendor (control/maskTexts.ts).
  const seed = `zq7${randomBytes(4).toString('hex')}`
  return {
    seed,
    userId: `usr_${seed}`,
    phone: `+4915${randomInt(100_000_000, 999_999_999)}`,
    ip: `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::7`,
    email: `${seed}.mail@example.com`,
    customerId: `C-${seed}-9`,
    of: (field) => `${seed}${field}`,
  }
}

const canariesOf = ({ seed, phone, ip }: Person) => [seed, phone.slice(3), ip]
/** The canaries of these persons in a text. */
export const findCanaries = (text: string, persons: readonly Person[]): string[] =>
  persons.flatMap(canariesOf).filter((canary) => text.toLowerCase().includes(canary))

/** The steps of a history. */
export const stepKinds = [
  'browser',
  'server',
  'mailOnly',
  'batch',
  'data',
  'runEvent',
  'runLog',
  'runFail',
  'runFind',
  'runSave',
  'lookup',
  'shopVisitor',
  'shopBuyer',
] as const
export type Step = { kind: (typeof stepKinds)[number]; person: number }

/** The histories that the law tests. `waits`: the deliveries have been tried before the erasure. */
export const histories = fc.record({
  steps: fc.array(fc.record({ kind: fc.constantFrom(...stepKinds), person: fc.integer({ min: 0, max: 2 }) }), {
    minLength: 6,
    maxLength: 14,
  }),
  // a webhook call in progress during the erasure is kept (docs/security.md)
  waits: fc.constant(true),
})
export type History = { steps: readonly Step[]; waits: boolean }

const canaryWord = /(?:usr_)?zq[0-9a-f]{8}[\w.@-]*|\b2001:db8:[0-9a-f:]+|4915\d{9}/gi
let turn = 0
const shopify = { shop: 'potter.myshopify.com', key: 'shpss_0123456789abcdef0123456789' }

/** A vendor that repeats personal data in its error, and the whole request in its body. */
export function echo({ path, headers, body }: ReceivedRequest): VendorReply {
  const whole = decodeURIComponent(`${path} ${JSON.stringify(headers)} ${body}`.replace(/%(?![0-9a-f]{2})/gi, '%25'))
  const words = [...new Set(whole.match(canaryWord))]
  const from = turn++ % (words.length || 1)
  const message = `cannot take ${[...words.slice(from), ...words.slice(0, from)].join(' ')}`
  const status = path.startsWith('/refuses') ? 400 : 500
  return {
    status,
    headers: { 'x-request-id': words[0] ?? '' },
    body: JSON.stringify({ error: { message }, got: whole }),
  }
}

const webhookCode = `async function process({ request, handleTag, getUserByUserId, getUsersByEmail, getUsersByCustomData, saveUserCustomData, logger }) {
  const text = await request.text()
  const { act, event, userId, email, custom } = JSON.parse(text)
  logger.log('got', text)
  logger.error('from ' + text.slice(-200))
  if (act === 'runEvent') await handleTag(event, { userId })
  if (act === 'runFind') {
    await getUserByUserId(userId)
    logger.log('found', JSON.stringify(await getUsersByEmail(email)), JSON.stringify(await getUsersByCustomData('tier', custom)))
  }
  if (act === 'runSave') await saveUserCustomData(userId, 'tier', custom)
  if (act === 'runFail' || act === undefined) throw new Error('cannot take ' + text.slice(0, 150) + ' … ' + text.slice(-150))
  return new Response('done')
}`
const playgroundCode = `async tag({ event, user, logger }) {
  logger.log('playground', JSON.stringify(user), JSON.stringify(event))
  throw new Error('no: ' + JSON.stringify(event).slice(0, 200))
}`

/** `stoppedIds`: channels that stop after some failures, because their vendor is down or their code throws. */
export type Shop = Customer & {
  scriptIds: string[]
  stoppedIds: string[]
  webhookUrl: string
  eventIds: string[]
  senders: string[]
}

/** A tag with channels that repeat the data they receive. */
export async function openShop(server: Aglet, vendor: Vendor): Promise<Shop> {
  const customer = await makeCustomer(server, `erasure ${randomBytes(4).toString('hex')}`)
  const sealed = { variable: 'WEBHOOK_KEY', type: 'PASSWORD', value: shopify.key } as const
  const key = await sealSecret({ ...customer, ...sealed, team: customer.teamId, provider: 'shopify' })
  const saved = await call(customer, 'PUT', `/tag/${customer.tagId}`, {
    consent: 'disabled',
    sources: ['shopify'],
    shops: [{ source: 'shopify', shop: shopify.shop, secrets: [key] }],
  })
  assert.equal(saved.status, 200, JSON.stringify(saved.body))
  const webhook = await makeScript(customer, 'webhook', 'webhook', [
    { variable: 'WEBHOOK_CODE', type: 'TEXT', value: webhookCode },
  ])
  const stoppedIds = [
    webhook,
    await makeScript(customer, 'eventSink', 'down', sinkAt(`${vendor.url}/down`)),
    await makeScript(customer, 'facebook', 'meta', [
      { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '42' },
      { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'token' },
    ]),
    await makeScript(customer, 'playground', 'playground', [
      { variable: 'PLAYGROUND_CODE', type: 'TEXT', value: playgroundCode },
    ]),
  ]
  const scriptIds = [
    ...stoppedIds,
    await makeScript(customer, 'eventSink', 'refuses', sinkAt(`${vendor.url}/refuses`)),
    await makeScript(customer, 'validation', 'validation', []),
  ]
  return {
    ...customer,
    scriptIds,
    stoppedIds,
    webhookUrl: `${customer.tagUrl}/webhook/${webhook}`,
    eventIds: [],
    senders: [],
  }
}

let made = 0
/** An event with a canary in every field. */
function eventOf(shop: Shop, person: Person, more: object = {}) {
  const eventId = `erase-${++made}`
  shop.eventIds.push(eventId)
  shop.senders.push(person.seed)
  const { of } = person
  return {
    eventName: 'Purchase',
    eventId,
    timestamp: Date.now(),
    url: `https://shop.example/${of('page')}?q=${of('query')}`,
    search: `?fbclid=${of('click')}&utm_source=${of('source')}`,
    referrer: `https://from.example/${of('referrer')}`,
    userPhone: person.phone,
    data: {
      orderId: of('order'),
      value: 5,
      currency: 'EUR',
      coupon: of('coupon'),
      note: of('note'),
      [of('ownfield')]: 1,
      contents: [{ id: of('item'), quantity: 1, item_price: 5, name: of('name'), [of('itemfield')]: of('x') }],
    },
    providers: { all: true, [of('provider')]: true },
    storage: {
      kv: { tier: of('tier'), firstName: of('first'), city: of('city') },
      data: { facebook: { _fbp: `fb.1.1700000000000.${of('fbp')}` } },
      service: { consentCategories: { advertising: true, analytics: true, [of('category')]: true } },
    },
    [of('field')]: of('unknown'),
    ...more,
  }
}

type Send = (url: string, body: unknown, headers?: Record<string, string>) => Promise<number>

/** Sends with the user agent of a person. Resolves with the status. */
const senderOf =
  (person: Person): Send =>
  async (url, body, headers = {}) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': person.of('agent'), ...headers },
      body: JSON.stringify(body),
    })
    await answer.arrayBuffer()
    return answer.status
  }

/** Calls the webhook for a person. */
function callWebhook(shop: Shop, kind: Step['kind'], { of, userId, email }: Person, send: Send, more: object = {}) {
  const person = { userId, email, custom: of('tier'), name: of('first') }
  return send(`${shop.webhookUrl}/${of('path')}?key=${of('secret')}`, { act: kind, ...person, ...more })
}

/**
 * Sends a shop's order that is not a purchase yet: nothing is sent on, and its data are kept for a repair. `shopVisitor`
 * names the visitor, `shopBuyer` only has data that the buyer typed.
 */
async function sendOrder(shop: Shop, kind: 'shopVisitor' | 'shopBuyer', person: Person): Promise<void> {
  const { of, userId, email, ip, phone } = person
  const visitor = kind === 'shopVisitor' ? { _aglet_user: userId } : {}
  const order = fakeOrder({
    ...{ id: `${7_000_000_000 + ++made}`, placedAt: Date.now() - 1_000, email, ip, userAgent: of('agent') },
    attributes: { ...visitor, _fbp: `fb.1.1700000000000.${of('fbp')}` },
  })
  const body = shopifyOrderJson(order)
    .replaceAll('Ada', of('first'))
    .replaceAll('Lovelace', of('last'))
    .replaceAll('+49 30 901820', phone)
  const { headers } = shopifyWebhook(shopify, 'orders/updated', body)
  const answer = await fetch(`${shop.tagUrl}/shopify/webhook`, { method: 'POST', headers, body })
  assert.equal(answer.status, 200, await answer.text())
}

/** Runs a step of a history. */
export async function act(shop: Shop, { kind, person: at }: Step, persons: readonly Person[]): Promise<void> {
  const person = persons[at]!
  const { of, userId, email, ip, customerId } = person
  const send = senderOf(person)
  const sent = async (path: string, body: unknown, headers: Record<string, string>) =>
    assert.equal(await send(shop.tagUrl + path, body, headers), 200, `${kind} was not accepted`)
  const trusted = { authorization: `Bearer ${shop.token}`, 'team-id': shop.teamId }
  const browser = { origin: 'http://localhost:3000', serviceuserid: userId }
  const event = (more: object = {}) => eventOf(shop, person, { userEmail: email, ...more })
  switch (kind) {
    case 'browser':
      return sent('/tag', event(), browser)
    case 'server': {
      const server = event({ ip, userAgent: of('agent'), userCustomerId: customerId })
      return sent('/tag', server, { ...trusted, serviceuserid: userId })
    }
    case 'mailOnly':
      return sent('/tag', event(), trusted)
    case 'batch': {
      const all = persons.map((each) => eventOf(shop, each, { userEmail: each.email, ip: each.ip }))
      return sent('/tag', all, trusted)
    }
    case 'data':
      return sent('/data', { data: { email, tier: of('tier'), 'facebook::_fbc': `fb.1.1.${of('fbc')}` } }, browser)
    case 'lookup':
      await call(shop, 'POST', `/tag/${shop.tagId}/find-user`, { email })
      await call(shop, 'GET', `/tag/${shop.tagId}/user/${userId}`)
      return
    case 'shopVisitor':
    case 'shopBuyer':
      return sendOrder(shop, kind, person)
    default:
      await callWebhook(shop, kind, person, send, kind === 'runEvent' ? { event: event() } : {})
  }
}
