import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Journey } from '#contract/journey.ts'
import type { Run } from '#contract/webhookRun.ts'
import {
  type Customer,
  call,
  makeCustomer,
  makeScript,
  openAglet,
  type Plain,
  settledJourney,
  until,
} from '../fake/aglet.ts'
import { assertShown, runSteps, stepsOf } from '../fake/docSteps.ts'
import { openVendor } from '../fake/vendor.ts'

const vendor = await openVendor()
after(vendor.close)
const aglet = await openAglet('webhook', { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' })
const customer = await makeCustomer(aglet, 'webhooks')
await call(customer, 'PUT', `/tag/${customer.tagId}`, { consent: 'disabled' })

const template = (name: string) => readFileSync(join(import.meta.dirname, '../../docs/templates', `${name}.js`), 'utf8')

/** Each webhook has a separate tag, so that it gets no events of another webhook. */
async function webhook(name: string, code: string, secrets: Record<string, unknown> = {}, token?: string) {
  const tag = await call<{ tagId: string; tagUrl: string }>(customer, 'POST', '/tag', { name, domain: 'localhost' })
  const { tagId, tagUrl } = tag.body
  await call(customer, 'PUT', `/tag/${tagId}`, { consent: 'disabled' })
  const own: Customer = { ...customer, tagId, tagUrl }
  const plain: Plain[] = [
    { variable: 'WEBHOOK_CODE', type: 'TEXT', value: code },
    { variable: 'WEBHOOK_SECRETS', type: 'TEXT', value: JSON.stringify(secrets) },
    ...(token ? [{ variable: 'WEBHOOK_TOKEN', type: 'TEXT', value: token } as const] : []),
  ]
  const scriptId = await makeScript(own, 'webhook', name, plain)
  return { own, scriptId, url: `${tagUrl}/webhook/${scriptId}` }
}

const post = (url: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers })
const send = ({ tagUrl }: Customer, event: object) =>
  post(`${tagUrl}/tag`, JSON.stringify({ timestamp: Date.now(), ...event }), { 'content-type': 'application/json' })
const journey = async ({ tagId, ...as }: Customer, eventId: string) =>
  (await call<Journey>({ ...as, tagId }, 'GET', `/tag/${tagId}/event/${eventId}`)).body

const order = JSON.stringify({
  id: 820982911,
  number: '1001',
  date_created_gmt: new Date().toISOString().slice(0, 19),
  billing: { email: 'jane@example.com' },
  total: '84.90',
  total_tax: '13.55',
  shipping_total: '0.00',
  discount_total: '0.00',
  currency: 'EUR',
  line_items: [{ product_id: 1, variation_id: 2, name: 'Runner', quantity: 1, price: 84.9 }],
})
const signed = (secret: string) => ({
  'content-type': 'application/json',
  'x-wc-webhook-signature': createHmac('sha256', secret).update(order).digest('base64'),
})

test('the WooCommerce template takes an order that the shop signed, once, and refuses any other', async () => {
  const { own, url } = await webhook('woocommerce', template('woocommerce-orders'), {
    WOOCOMMERCE_SECRET: 'shop-key-1',
  })
  assert.equal((await post(url, order, signed('another key'))).status, 401)
  const answer = await post(url, order, signed('shop-key-1'))
  const eventId = 'woocommerce-820982911'
  assert.deepEqual([answer.status, await answer.json()], [200, { eventId, status: 'accepted' }])
  const again = await post(url, order, signed('shop-key-1'))
  assert.deepEqual(await again.json(), { eventId, status: 'duplicate' })
  const told = await settledJourney(own, eventId)
  assert.deepEqual(
    told.deliveries.map(({ providerId, status, reason }) => [providerId, status, reason]),
    [['webhook', 'skipped', 'filtered']],
    'what the code made does not come back to it',
  )
})

test('the CRM template makes a contact of a lead with its token, and knows the user by the contact', async () => {
  vendor.got.length = 0
  vendor.answer = () => ({ status: 201, body: '{"id":"crm-7"}' })
  const values = { PRIVATE_APP_ACCESS_TOKEN: 'pat-canary-1', CRM_URL: `${vendor.url}/contacts` }
  const { own } = await webhook('crm', template('crm-contacts'), values, 'hook-token')
  await send(own, { eventName: 'Lead', eventId: 'lead-1', userEmail: 'jane@example.com', userFirstName: 'Jane' })
  const { userId, deliveries } = await settledJourney(own, 'lead-1')
  assert.deepEqual(
    deliveries.map(({ status, attempts }) => [status, attempts.length]),
    [['delivered', 1]],
  )
  const [got] = vendor.got
  assert.deepEqual(
    [got?.headers.authorization, got?.json],
    ['Bearer pat-canary-1', { properties: { email: 'jane@example.com', firstname: 'Jane' } }],
  )
  const user = await call<{ custom?: Record<string, unknown> }>(own, 'GET', `/tag/${own.tagId}/user/${userId}`)
  assert.match(JSON.stringify(user.body), /crm-7/)
  vendor.answer = () => ({ status: 503 })
  await send(own, { eventName: 'Lead', eventId: 'lead-2', userEmail: 'joe@example.com' })
  const waits = await journeyWhen(own, 'lead-2', ({ deliveries: [only] }) => only?.attempts.length === 1)
  assert.deepEqual([waits.deliveries[0]?.status, waits.deliveries[0]?.reason], ['pending', 'vendorDown'])
  assert.doesNotMatch(JSON.stringify(waits), /pat-canary-1/)
  assert.doesNotMatch(JSON.stringify(waits.deliveries), /joe@example/)
})

/** The journey of an event, once it satisfies `holds`. */
async function journeyWhen(own: Customer, eventId: string, holds: (told: Journey) => boolean): Promise<Journey> {
  let told = await journey(own, eventId)
  await until(async () => {
    told = await journey(own, eventId)
    return told.deliveries !== undefined && holds(told)
  })
  return told
}

test('the relay template, in the bare form, hands a body on and the answer back', async () => {
  vendor.got.length = 0
  vendor.answer = () => ({ status: 202, headers: { 'content-type': 'text/csv', 'set-cookie': 'a=b' }, body: 'x;y' })
  const { url } = await webhook('relay', template('relay'), { RELAY_URL: `${vendor.url}/in` })
  const answer = await post(url, 'a,b\n1,ü', { 'content-type': 'text/csv' })
  assert.deepEqual([answer.status, await answer.text()], [202, 'x;y'])
  assert.deepEqual(
    ['content-type', 'set-cookie', 'content-security-policy', 'x-content-type-options'].map((name) =>
      answer.headers.get(name),
    ),
    ['text/csv', null, 'sandbox', 'nosniff'],
  )
  assert.deepEqual([vendor.got[0]?.body, vendor.got[0]?.headers['content-type']], ['a,b\n1,ü', 'text/csv'])
})

test('without its token nothing runs; what the code throws is told with its line and without secrets', async () => {
  vendor.got.length = 0
  const code = `async function process({ request, secrets }) {
  await fetch('${vendor.url}/ran')
  const { n } = await request.json()
  if (n > 1) throw new Error('cannot take ' + n + ' with ' + secrets.KEY)
  return new Response('fine')
}`
  const { url } = await webhook('token', code, { KEY: 'canary-key-1' }, 'hook-token-1')
  for (const authorization of ['', 'Bearer hook-token-2', 'hook-token-1', 'Basic hook-token-1']) {
    const refused = await post(url, '{"n":1}', authorization ? { authorization } : {})
    assert.deepEqual([refused.status, refused.headers.get('www-authenticate')], [401, 'Bearer'])
  }
  assert.equal(vendor.got.length, 0)
  const bearer = { authorization: 'Bearer hook-token-1' }
  assert.equal(await (await post(url, '{"n":1}', bearer)).text(), 'fine')
  const failed = await post(url, '{"n":2}', bearer)
  const { message: _, ...told } = (await failed.json()) as Record<string, unknown>
  assert.deepEqual(told, {
    statusCode: 500,
    error: 'WEBHOOK_FAILED',
    attributes: { message: 'Error: cannot take 2 with •••', line: 4, column: 20 },
  })
})

test('bytes come through and go back as they are', async () => {
  const { url } = await webhook(
    'bytes',
    `async function process({ request }) {
      const bytes = await request.bytes()
      return new Response(bytes.reverse(), { headers: { 'content-type': 'application/octet-stream' } })
    }`,
  )
  const answer = await post(url, new Uint8Array([0, 255, 128, 1]))
  assert.deepEqual([...new Uint8Array(await answer.arrayBuffer())], [1, 128, 255, 0])
})

test('code finds users by id, by e-mail and by what it saved of them, and nobody of another tag', async () => {
  const code = `async function process(params) {
    const { userId } = await params.handleTag({ eventName: 'Lead', eventId: 'who', timestamp: Date.now() }, { userId: 'crm-user-1' })
    await params.saveUserCustomData(userId, 'tier', 'gold')
    await params.saveUserCustomData(userId, 'points', 42)
    const bad = await params.handleTag({ eventName: 'Lead' }).catch((error) => error.message)
    return Response.json([
      await params.getUserByUserId(userId), await params.getUserByUserId('usr_nobody'),
      await params.getUsersByEmail('nobody@example.com'),
      await params.getUsersByCustomData('tier', 'gold'), await params.getUsersByCustomData('points', '42'),
      await params.getUsersByCustomData('tier', 'silver'), bad,
    ])
  }`
  const one = await webhook('who', code)
  const found = [{ userId: 'crm-user-1' }]
  const bad = 'eventId is required; timestamp is required'
  assert.deepEqual(await (await post(one.url, '')).json(), [found[0], null, null, found, found, null, bad])
  const other = await webhook(
    'who else',
    `async function process(p) { return Response.json(await p.getUsersByCustomData('tier', 'gold')) }`,
  )
  assert.equal(await (await post(other.url, '')).json(), null)
})

test('an event that one webhook makes goes to another, and never round', async () => {
  const echo = (name: string) => `async function process({ request, handleTag }) {
    const { eventId } = await request.json()
    await handleTag({ eventName: 'Lead', eventId: eventId + '-${name}', timestamp: Date.now() })
    return new Response(null, { status: 204 })
  }`
  const { own } = await webhook('a', echo('a'))
  await makeScript(own, 'webhook', 'b', [{ variable: 'WEBHOOK_CODE', type: 'TEXT', value: echo('b') }])
  await send(own, { eventName: 'PageView', eventId: 'round' })
  const ends = async (eventId: string) => {
    const hasEnded = ({ deliveries }: Journey) =>
      deliveries.length > 0 && deliveries.every(({ status }) => status !== 'pending')
    const { deliveries } = await journeyWhen(own, eventId, hasEnded)
    return deliveries.map(({ status }) => status)
  }
  assert.deepEqual(await ends('round'), ['delivered', 'delivered'])
  assert.deepEqual(await ends('round-a'), ['skipped', 'delivered'])
  assert.deepEqual(await ends('round-a-b'), ['skipped', 'skipped'])
})

test('code that does not parse is a 400 with line and column', async () => {
  const made = makeScript(customer, 'webhook', 'broken', [
    { variable: 'WEBHOOK_CODE', type: 'TEXT', value: 'async function process() {\n  return new\n}' },
  ])
  await assert.rejects(made, /400: .*line 3, column 1/)
})

test('readiness tells which walls stand', async () => {
  const told = async () => {
    const { checks } = (await (await fetch(`${aglet.origin}/readyz`)).json()) as { checks: Record<string, string> }
    return checks.code ?? ''
  }
  await until(async () => (await told()) !== 'being found out')
  assert.match(await told(), /^ok: no files, no network/)
})

test('a call from outside leaves a run with status, logs, error and line, without secrets; its event names the run', async () => {
  const code = `async function process({ request, secrets, handleTag, logger }) {
    logger.log('key', secrets.KEY)
    const { eventId } = await request.json()
    if (!eventId) throw new Error('no id: ' + secrets.KEY)
    await handleTag({ eventName: 'Lead', eventId, timestamp: Date.now() })
    return new Response('made', { status: 201 })
  }`
  const { own, scriptId, url } = await webhook('journalled', code, { KEY: 'run-canary-key-1' })
  assert.equal((await post(url, '{}')).status, 500)
  assert.equal((await post(url, '{"eventId":"made-1"}')).status, 201)
  type Runs = { runs: Run[]; next?: string }
  const list = (query = '') => call<Runs>(own, 'GET', `/script/${scriptId}/run${query}`)
  const { runs } = (await list()).body
  assert.deepEqual(
    runs.map(({ status, error, eventIds }) => [status, error?.line, eventIds]),
    [
      [201, undefined, ['made-1']],
      [500, 4, []],
    ],
  )
  assert.match(runs[1]!.error!.message, /^Error: no id: •••/)
  for (const { logs, at } of runs) {
    assert.match(logs.map(({ text }) => text).join(), /^key •••/)
    assert.ok(at <= Date.now())
  }
  assert.doesNotMatch(JSON.stringify(runs), /canary/)
  const first = (await list('?limit=1')).body
  assert.deepEqual(first.runs, [runs[0]])
  assert.deepEqual((await list(`?limit=1&cursor=${first.next}`)).body.runs, [runs[1]])
  assert.deepEqual((await settledJourney(own, 'made-1')).run, { runId: runs[0]!.runId, scriptId })
})

test('docs/webhook.md is so, word for word', async () => {
  const steps = stepsOf('webhook.md')
  const told = await runSteps(steps, aglet)
  const shown = steps.flatMap(({ answer }, at) => (answer ? [{ answer, told: told[at]! }] : []))
  assert.equal(shown.length, 3)
  for (const each of shown) assertShown(each.answer, each.told)
})
