import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Operation, operations } from '#contract/operations.ts'
import { type Aglet, aglet, type Customer, call, makeCustomer, makeScript, sinkAt, until } from './aglet.ts'
import type { ReceivedRequest, Vendor, VendorReply } from './vendor.ts'

/** A person with a canary in every field. Each text of the person holds `seed`, `phone` or `ip`. */
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
  const seed = `zq${randomBytes(4).toString('hex')}`
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

/** What happens in a history. */
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
] as const
export type Step = { kind: (typeof stepKinds)[number]; person: number }

/** The histories that the law tries. `waits`: the deliveries have been tried before the erasure. */
export const histories = fc.record({
  steps: fc.array(fc.record({ kind: fc.constantFrom(...stepKinds), person: fc.integer({ min: 0, max: 2 }) }), {
    minLength: 6,
    maxLength: 14,
  }),
  waits: fc.boolean(),
})
export type History = { steps: readonly Step[]; waits: boolean }

const canaryWord = /(?:usr_)?zq[0-9a-f]{8}[\w.@-]*|\b2001:db8:[0-9a-f:]+|4915\d{9}/gi
let turn = 0

/** A vendor repeats what it got of people in its error, and the whole request in its body. */
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

/** `stoppedIds`: channels that stop after some failures, because their vendor is down. */
export type Shop = Customer & {
  scriptIds: string[]
  stoppedIds: string[]
  webhookUrl: string
  eventIds: string[]
  senders: string[]
}

/** A tag with channels that repeat what they get. */
export async function openShop(server: Aglet, vendor: Vendor): Promise<Shop> {
  const customer = await makeCustomer(server, `erasure ${randomBytes(4).toString('hex')}`)
  await call(customer, 'PUT', `/tag/${customer.tagId}`, { consent: 'disabled' })
  const webhook = await makeScript(customer, 'webhook', 'webhook', [
    { variable: 'WEBHOOK_CODE', type: 'TEXT', value: webhookCode },
  ])
  const stoppedIds = [
    await makeScript(customer, 'eventSink', 'down', sinkAt(`${vendor.url}/down`)),
    await makeScript(customer, 'facebook', 'meta', [
      { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '42' },
      { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'token' },
    ]),
  ]
  const scriptIds = [
    webhook,
    ...stoppedIds,
    await makeScript(customer, 'eventSink', 'refuses', sinkAt(`${vendor.url}/refuses`)),
    await makeScript(customer, 'playground', 'playground', [
      { variable: 'PLAYGROUND_CODE', type: 'TEXT', value: playgroundCode },
    ]),
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
/** An event that carries a canary in every field. */
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

const page = { origin: 'http://localhost:3000' }

/** Makes a step of a history happen. */
export async function act(shop: Shop, { kind, person: at }: Step, persons: readonly Person[]): Promise<void> {
  const person = persons[at]!
  const { of, userId, email, ip, customerId } = person
  const trusted = { authorization: `Bearer ${shop.token}`, 'team-id': shop.teamId }
  const send = async (url: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': of('agent'), ...headers },
      body: JSON.stringify(body),
    })
    assert.ok(answer.status < 600, await answer.text())
    return answer.status
  }
  const sent = async (path: string, body: unknown, headers: Record<string, string>) =>
    assert.equal(await send(shop.tagUrl + path, body, headers), 200, `${kind} was not accepted`)
  const own = { serviceuserid: userId }
  const run = (more: object = {}) =>
    send(`${shop.webhookUrl}/${of('path')}?key=${of('secret')}`, {
      act: kind,
      userId,
      email,
      custom: of('tier'),
      name: of('first'),
      ...more,
    })
  switch (kind) {
    case 'browser':
      return sent('/tag', eventOf(shop, person, { userEmail: email }), { ...page, ...own })
    case 'server':
      return sent(
        '/tag',
        eventOf(shop, person, { ip, userAgent: of('agent'), userEmail: email, userCustomerId: customerId }),
        {
          ...trusted,
          ...own,
        },
      )
    case 'mailOnly':
      return sent('/tag', eventOf(shop, person, { userEmail: email }), trusted)
    case 'batch':
      return sent(
        '/tag',
        persons.map((each) => eventOf(shop, each, { userEmail: each.email, ip: each.ip })),
        trusted,
      )
    case 'data':
      return sent(
        '/data',
        { data: { email, tier: of('tier'), 'facebook::_fbc': `fb.1.1.${of('fbc')}` } },
        { ...page, ...own },
      )
    case 'lookup':
      await call(shop, 'POST', `/tag/${shop.tagId}/find-user`, { email })
      await call(shop, 'GET', `/tag/${shop.tagId}/user/${userId}`)
      return
    case 'runEvent':
      await run({ event: eventOf(shop, person, { userEmail: email }) })
      return
    default:
      await run()
  }
}

type ListedDelivery = { attempts: number; scriptId: string }

/** Waits until every event is planned, and every delivery of a channel that has not stopped has been tried. */
export const settle = (shop: Shop): Promise<void> =>
  until(async () => {
    const { body: events } = await call<{ events: { eventId: string }[] }>(
      shop,
      'GET',
      `/tag/${shop.tagId}/event?limit=1000`,
    )
    const planned = new Set(events.events.map(({ eventId }) => eventId))
    if (!shop.eventIds.every((each) => planned.has(each))) return false
    const path = `/tag/${shop.tagId}/delivery?status=pending&limit=200`
    const { body } = await call<{ deliveries: ListedDelivery[] }>(shop, 'GET', path)
    return body.deliveries.every(({ attempts, scriptId }) => attempts > 0 || shop.stoppedIds.includes(scriptId))
  }, 60_000)

/** Erases a person as docs/identity.md says: the user, and each user that a search by what is known of the person finds. */
export async function erase(shop: Shop, { userId, email, customerId }: Person): Promise<void> {
  const found = new Set([userId])
  for (const body of [{ email }, { key: 'customerId', value: customerId }]) {
    const { body: answer } = await call<{ users: { userId: string }[] }>(
      shop,
      'POST',
      `/tag/${shop.tagId}/find-user`,
      body,
    )
    for (const each of answer.users) found.add(each.userId)
  }
  for (const each of found) {
    const { status } = await call(shop, 'DELETE', `/tag/${shop.tagId}/user/${each}`)
    assert.ok(status === 200 || status === 404, `${status}`)
  }
}

/** The audit keeps the ids of erased users, to show that they were erased (docs/identity.md). */
const withoutAuditedIds = (text: string, persons: readonly Person[]) =>
  persons.reduce((left, { userId }) => left.replaceAll(userId, ''), text)

/** Every answer of every reading operation of the contract, by its address. */
export async function readEverything(shop: Shop, persons: readonly Person[]): Promise<Map<string, string>> {
  const users = persons.map(({ userId }) => userId)
  const values: Record<string, readonly string[]> = {
    tagId: [shop.tagId],
    scriptId: shop.scriptIds,
    eventId: shop.eventIds,
    userId: users,
    number: ['1', '6'],
    replayId: [],
    policyId: [],
  }
  const answers = new Map<string, string>()
  const read = async (path: string, method = 'GET', body?: object) => {
    const answer = await fetch(shop.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${shop.token}`,
        'team-id': shop.teamId,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    answers.set(`${method} ${path}`, await answer.text())
  }
  for (const operation of Object.values(operations) as Operation[]) {
    const { method, path, access, isStream } = operation
    if (method !== 'GET' || isStream || typeof access === 'string') continue
    for (const filled of filledPaths(path, values)) {
      if (!operation.isExport) await read(filled)
      else for (const query of exportQueries(filled)) await read(query)
    }
  }
  for (const { email } of persons) await read(`/tag/${shop.tagId}/find-user`, 'POST', { email })
  return answers
}

const exportQueries = (path: string): string[] =>
  path.startsWith('/audit')
    ? [`${path}?format=csv`, `${path}?format=ndjson`]
    : ['event', 'delivery'].flatMap((of) => ['csv', 'ndjson'].map((format) => `${path}?of=${of}&format=${format}`))

/** The paths of an operation with each of the values of its parameters. */
function filledPaths(path: string, values: Record<string, readonly string[]>): string[] {
  const name = /\{(\w+)\}/.exec(path)?.[1]
  if (name === undefined) return [path]
  return (values[name] ?? []).flatMap((value) => filledPaths(path.replace(`{${name}}`, value), values))
}

/** The canaries in the files of a folder, with the names of the files. */
function canariesInFiles(folder: string, persons: readonly Person[]): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  return files.flatMap(({ parentPath, name }) => {
    const text = withoutAuditedIds(readFileSync(join(parentPath, name)).toString('latin1'), persons)
    return findCanaries(text, persons).map((canary) => `${name}: ${around(text, canary)}`)
  })
}

/** Throws if anything of the erased person stands in an answer, in the log, in a file of the data or in a new backup. */
export async function assertErased(
  server: Aglet,
  shop: Shop,
  erased: Person,
  others: readonly Person[],
): Promise<void> {
  const answers = await readEverything(shop, [erased, ...others])
  const isAudit = (address: string) => address.startsWith('GET /audit')
  const found = [...answers].flatMap(([address, text]) => {
    // an answer may repeat the id of its own address
    const [path = ''] = address.split('?')
    const kept = isAudit(address) || path.endsWith(erased.userId) ? withoutAuditedIds(text, [erased]) : text
    return findCanaries(kept, [erased]).map((canary) => `${address}: ${around(kept, canary)}`)
  })
  assert.deepEqual(found, [], 'in answers')
  const sent = new Set(shop.senders)
  for (const other of others.filter(({ seed }) => sent.has(seed)))
    assert.ok(findCanaries([...answers.values()].join('\n'), [other]).length > 0, 'the others are still there')
  assert.deepEqual(findCanaries(server.errors(), [erased]), [], 'in the log')
  assert.deepEqual(canariesInFiles(server.data, [erased]), [], 'in the files')
  // a database server has backups of its own
  if (!existsSync(join(server.data, 'production', 'store.db'))) return
  const folder = mkdtempSync(join(tmpdir(), 'aglet-erased-'))
  try {
    await aglet(server.data, 'backup', join(folder, 'backup.tar'))
    assert.deepEqual(canariesInFiles(folder, [erased]), [], 'in a new backup')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const around = (text: string, canary: string) => {
  const at = text.toLowerCase().indexOf(canary)
  return text.slice(Math.max(at - 150, 0), at + 60).replace(/[^ -~]/g, '·')
}

/** Lets a history happen, erases the first person, and checks that nothing of the person is left. */
export async function checkHistory(server: Aglet, vendor: Vendor, { steps, waits }: History): Promise<void> {
  const shop = await openShop(server, vendor)
  const [first, ...others] = [makePerson(), makePerson(), makePerson()]
  for (const step of steps) await act(shop, step, [first!, ...others])
  if (waits) await settle(shop)
  await erase(shop, first!)
  await settle(shop)
  await assertErased(server, shop, first!, others)
}

/** A history with each kind of step, for the person who is erased and for another. */
export const wholeHistory: History = {
  steps: stepKinds.flatMap((kind) => [0, 1].map((person) => ({ kind, person }))),
  waits: true,
}
