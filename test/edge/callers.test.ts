import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Journey } from '#contract/journey.ts'
import { type Aglet, type Customer, call, freePort, makeCustomer, startAglet, stopAglet, until } from '../fake/aglet.ts'
import { openHostDns } from '../fake/dns.ts'

const data = mkdtempSync(join(tmpdir(), 'aglet-callers-'))
let aglet: Aglet
let shop: Customer
let other: Customer
const dns = await openHostDns()
const environment = { AGLET_TRUST_PROXY: '127.0.0.1/32', AGLET_DNS_SERVERS: dns.address }
const host = 'd.shop.example'

before(async () => {
  aglet = await startAglet({ data, port: await freePort(), environment })
  shop = await makeCustomer(aglet, 'shop')
  other = await makeCustomer(aglet, 'other')
  dns.tags.set(host, shop.tagId)
  const set = { domain: 'shop.example', hosts: [host], consent: 'disabled' }
  assert.equal((await call(shop, 'PUT', `/tag/${shop.tagId}`, set)).status, 200)
  assert.equal((await call(other, 'PUT', `/tag/${other.tagId}`, { domain: 'other.example' })).status, 200)
})
after(async () => {
  await stopAglet(aglet)
  dns.close()
  rmSync(data, { recursive: true, force: true })
})

type Sent = { method?: string; headers?: Record<string, string>; body?: unknown }
// biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
type Answered = { status: number; headers: Record<string, unknown>; json: any }

/** A request with any Host header, which fetch does not allow. */
function ask(path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answered> {
  const bytes = body === undefined ? undefined : JSON.stringify(body)
  const type = bytes === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const asked = request(
      { port: aglet.port, host: '127.0.0.1', method, path, headers: { ...type, ...headers } },
      async (answer) => {
        const text = (await answer.setEncoding('utf8').toArray()).join('')
        const isJson = `${answer.headers['content-type']}`.includes('json')
        resolve({ status: answer.statusCode!, headers: answer.headers, json: isJson ? JSON.parse(text) : undefined })
      },
    )
    asked.on('error', reject)
    asked.end(bytes)
  })
}

let sent = 0
const anEvent = (more: object = {}) => ({
  eventName: 'PageView',
  eventId: `caller-${++sent}`,
  timestamp: Date.now(),
  ...more,
})
const pathOf = ({ tagId }: Customer, call = '/tag') => `/t/${tagId}${call}`
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(path, { method: 'POST', body, headers })

async function journeyOf(customer: Customer, eventId: string): Promise<Journey> {
  let journey: Journey | undefined
  await until(async () => {
    const { body } = await call<Journey>(customer, 'GET', `/tag/${customer.tagId}/event/${eventId}`)
    journey = body
    return body.place !== undefined
  })
  return journey!
}

test('a host name of a tag answers the calls of that tag at the root, with a cookie of the whole domain', async () => {
  const event = anEvent()
  const { status, json, headers } = await post('/tag', event, { host, origin: 'https://www.shop.example' })
  assert.deepEqual([status, json.result.status], [200, 'accepted'])
  assert.match(`${headers['set-cookie']}`, /^tag_user_id=usr_\w+; Domain=shop\.example; Path=\/;/)
  assert.equal((await journeyOf(shop, event.eventId)).eventName, 'PageView')
  const greeted = await ask('/init', { headers: { host: 'D.Shop.Example:443' } })
  assert.deepEqual([greeted.status, typeof greeted.json.userId], [200, 'string'])
  assert.equal(
    (await ask('/tag', { method: 'OPTIONS', headers: { host, origin: 'https://shop.example' } })).status,
    204,
  )
})

test('a host name of a tag answers nothing else: no control API, page, OAuth, metrics, health, nor another tag', async () => {
  const paths = [
    '/',
    '/v1/me',
    '/v1/manifest',
    '/sandbox/v1/me',
    '/docs',
    '/metrics',
    '/healthz',
    '/readyz',
    '/ask?domain=x',
  ]
  const more = ['/account/sign-in', '/.well-known/oauth-authorization-server', '/v1/jwks.json', pathOf(other)]
  for (const path of [...paths, ...more]) {
    const { status, json } = await ask(path, {
      headers: { host, authorization: `Bearer ${shop.token}`, 'team-id': shop.teamId },
    })
    assert.deepEqual([status, json?.error], [404, 'NOT_FOUND'], path)
  }
})

test('a name that nobody has registered gets neither the control API nor a tag at its root', async () => {
  for (const stranger of ['evil.example', 'x.shop.example', `${host}.evil.example`])
    for (const path of ['/v1/me', '/v1/manifest', '/', '/init', '/ask?domain=d.shop.example']) {
      const { status, json } = await ask(path, { headers: { host: stranger } })
      assert.deepEqual([status, json?.error], [404, 'NOT_FOUND'], `${stranger}${path}`)
    }
})

test('metrics and health answer under any name on the port itself, and behind the proxy under that of the origin only', async () => {
  const proxied = { host: 'evil.example', 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'evil.example' }
  for (const path of ['/metrics', '/healthz', '/readyz']) {
    assert.equal((await ask(path, { headers: { host: 'evil.example' } })).status, 200, path)
    assert.equal((await ask(path, { headers: proxied })).status, 404, path)
  }
})

test('the proxy that ends TLS may ask which names are ours', async () => {
  const ask1 = (domain: string) => ask(`/ask?domain=${domain}`)
  assert.deepEqual([(await ask1(host)).status, (await ask1('D.SHOP.example')).status], [200, 200])
  for (const domain of ['shop.example', 'evil.example', '']) assert.equal((await ask1(domain)).status, 404, domain)
})

test('a host name is served and approved for the tag that DNS names alone, whoever else claims it', async () => {
  const moved = 'moved.shop.example'
  const set = async (customer: Customer, hosts: string[]) => {
    type Body = { hostStates: { state: string }[] }
    const { status, body } = await call<Body>(customer, 'PUT', `/tag/${customer.tagId}`, { hosts })
    return [status, body.hostStates?.map(({ state }) => state)]
  }
  const asked = async () => [
    (await ask('/init', { headers: { host: moved } })).status,
    (await ask(`/ask?domain=${moved}`)).status,
  ]
  assert.deepEqual(await set(shop, [host, moved]), [200, ['ready', 'missing']])
  assert.deepEqual(await asked(), [404, 404])
  dns.tags.set(moved, other.tagId)
  assert.deepEqual(await set(other, [moved]), [200, ['ready']])
  assert.deepEqual(await asked(), [200, 200])
  assert.deepEqual(await set(other, []), [200, []])
  assert.deepEqual(await asked(), [404, 404])
  assert.equal((await ask('/init', { headers: { host } })).status, 200)
})

test('an origin that is not of the tag is 403, stores nothing and may read nothing', async () => {
  const wrong = [
    'https://evil.example',
    'null',
    'https://shop.example.evil.example',
    'http://shop.example',
    'https://evilshop.example',
    'https://shop.example:8443',
    'https://other.example',
    '',
  ]
  for (const origin of wrong) {
    const event = anEvent()
    const { status, json, headers } = await post(pathOf(shop), event, { origin })
    assert.deepEqual([status, json.error], [403, 'ORIGIN_REFUSED'], origin)
    assert.deepEqual(
      [headers['access-control-allow-origin'], headers['set-cookie'], headers.vary],
      [undefined, undefined, 'Origin'],
    )
    assert.equal((await call(shop, 'GET', `/tag/${shop.tagId}/event/${event.eventId}`)).status, 404)
  }
})

test('of the addresses that were forwarded the one that the trusted proxy saw is believed, never one that a caller put before it', async () => {
  const [german, irish] = ['91.0.0.1', '2a00:1450:4001:81b::200e']
  const origin = 'https://shop.example'
  const placeFor = async (forwarded: Record<string, string>) => {
    const event = anEvent()
    await post(pathOf(shop), event, { origin, ...forwarded })
    return (await journeyOf(shop, event.eventId)).place
  }
  assert.deepEqual(await placeFor({ 'x-forwarded-for': german }), { country: 'DE', source: 'request' })
  assert.deepEqual(await placeFor({ 'x-forwarded-for': `8.8.8.8, ${german}, ${irish}` }), {
    country: 'IE',
    source: 'request',
  })
  const unknown = { source: 'unknown' }
  for (const name of [
    'forwarded',
    'x-real-ip',
    'true-client-ip',
    'cf-connecting-ip',
    'x-client-ip',
    'cf-ipcountry',
    'x-country',
  ])
    assert.deepEqual(await placeFor({ [name]: name === 'forwarded' ? `for=${german}` : german }), unknown, name)
  for (const forged of ['x', '999.1.1.1', `${german}, x`, ',', "127.0.0.1' OR 1=1"])
    assert.deepEqual(await placeFor({ 'x-forwarded-for': forged }), unknown, forged)
})

test('a cookie of another tag finds nobody of that tag: the same id is another person here', async () => {
  const userId = 'usr_of-the-other-tag'
  const cookie = `tag_user_id=${userId}`
  await post(pathOf(other, '/data'), { data: { color: 'red', email: 'jane@example.com' } }, { cookie })
  const read = async (customer: Customer) =>
    (await ask(`${pathOf(customer, '/data')}?keys=color,email`, { headers: { cookie } })).json.result
  await until(async () => (await read(other)).color === 'red')
  assert.deepEqual(await read(other), { color: 'red', email: true })
  assert.deepEqual(await read(shop), { email: false })
  const greeted = await ask(pathOf(shop, '/init'), { headers: { cookie, origin: 'https://shop.example' } })
  assert.deepEqual([greeted.json.userId, greeted.json.isNewUser], [userId, true])
})

test('of 500 events in one body the good ones are taken, and each of the others says what is wrong with it', async () => {
  const broken: [spoil: object, says: RegExp][] = [
    [{ eventName: '' }, /eventName/],
    [{ eventId: 7 }, /eventId/],
    [{ timestamp: Date.now() - 8 * 86_400_000 }, /timestamp/],
    [{ data: 'x' }, /data/],
    [{ pageTitle: 'x'.repeat(66_000) }, /KiB|large|long/],
  ]
  const isBroken = (at: number) => at % 100 === 3
  const spoilt = (at: number) => broken[Math.floor(at / 100)]!
  const events = Array.from({ length: 500 }, (_, at) => anEvent(isBroken(at) ? spoilt(at)[0] : {}))
  const { status, json } = await post(pathOf(shop), events)
  assert.deepEqual([status, json.result.length], [200, 500])
  for (const [at, each] of (json.result as { status: string; message?: string; eventId: string }[]).entries())
    if (isBroken(at)) {
      assert.equal(each.status, 'rejected', `${at}`)
      assert.match(`${each.message}`, spoilt(at)[1])
    } else assert.deepEqual([each.status, each.eventId], ['accepted', events[at]!.eventId])
  await journeyOf(shop, events[499]!.eventId)
  assert.equal((await post(pathOf(shop), [...events, anEvent()])).status, 400)
  const again = await post(
    pathOf(shop),
    events.filter((_, at) => !isBroken(at)),
  )
  assert.ok(again.json.result.every((each: { status: string }) => each.status === 'duplicate'))
})
