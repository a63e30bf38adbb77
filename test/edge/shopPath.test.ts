import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type RequestOptions, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { call, makeCustomer, makeScript, openAglet, settledJourney } from '../fake/aglet.ts'
import { aglet as inPage, noChromium, openBrowser, openShop } from '../fake/browser.ts'
import { openVendors } from '../vendors/server.ts'
import { isHere, shopServers, startShopServer, textBelow } from './shopServers.ts'

const here = Object.keys(shopServers).filter((name) => isHere(shopServers[name]!))

/** A shop, an Aglet that trusts the web servers in front of it, and a tag with a Meta channel. */
async function openAll() {
  const [vendors, shop] = await Promise.all([openVendors(), openShop()])
  after(() => Promise.all([vendors.close(), shop.close()]))
  const aglet = await openAglet('shop-path', { AGLET_TRUST_PROXY: '127.0.0.1', AGLET_VENDORS_URL: vendors.url })
  const customer = await makeCustomer(aglet, 'shop-path')
  const settings = { consent: 'disabled', sources: ['segment'], domain: 'localhost' }
  const put = await call(customer, 'PUT', `/tag/${customer.tagId}`, settings)
  assert.equal(put.status, 200, JSON.stringify(put.body))
  await makeScript(customer, 'facebook', 'Meta', [
    { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '123456789012345' },
    { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'EAAB-token' },
  ])
  const place = {
    tagId: customer.tagId,
    aglet: aglet.port,
    shop: new URL(shop.origin).host.replace('localhost', '127.0.0.1'),
  }
  const ports = await Promise.all(here.map(async (name) => [name, await startShopServer(name, place)] as const))
  return { vendors, aglet, customer, ports: Object.fromEntries(ports) as Record<string, number> }
}
const opened = here.length > 0 ? await openAll() : undefined
const browser = opened && !noChromium ? await openBrowser() : undefined
after(() => browser?.close())

type Call = RequestOptions & { body?: string }

/** Sends a request from an address other than the web server's. `path` is sent unchanged. */
async function ask(port: number, path: string, { body, headers, ...more }: Call = {}) {
  const place = { host: '127.0.0.1', port, path, localAddress: '127.0.0.2', agent: false }
  const asked = request({ ...place, ...more, headers: { host: `localhost:${port}`, ...headers } })
  asked.end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode!, headers: answer.headers, text: await text(answer) }
}

const event = (eventId: string, more: object = {}) =>
  JSON.stringify({ eventName: 'Search', eventId, timestamp: Date.now(), userAgent: 'Mozilla/5.0', ...more })
const spoofed = {
  'x-forwarded-for': '198.51.100.7',
  'x-forwarded-prefix': '/evil',
  'x-forwarded-host': 'evil.example',
  forwarded: 'for=198.51.100.7;host=evil.example',
}

/** Attempts to leave the path, and to reach the control API. */
const hostile = [
  ...['/metrics/../v1/me', '/metrics/..%2fv1/me', '/metrics/%2e%2e/v1/me', '/metrics/..%252fv1/me', '/metrics//v1/me'],
  ...['/metrics/../../v1/me', '/metrics/%2e%2e%2f%2e%2e%2fv1%2fme', '/metrics/..;/v1/me', '/metrics/./../../v1/me'],
  ...[
    '/metrics/../healthz',
    '/metrics/%2e%2e/%2e%2e/metrics',
    '/metrics/..\\v1\\me',
    '//metrics/v1/me',
    '/metrics%2f..%2fv1/me',
  ],
]

for (const name of Object.keys(shopServers)) {
  const skip = here.includes(name) ? false : `SKIPPED: there is no ${shopServers[name]!.program} here`
  describe(`${name}, set up as docs/same-origin.md shows`, { skip }, () => {
    test('passes a path of the shop on: the cookie has that path, the address is the visitor’s, and nothing else is believed', async () => {
      const { customer, vendors, ports } = opened!
      const port = ports[name]!
      const headers = { 'content-type': 'application/json', origin: `http://localhost:${port}`, ...spoofed }
      const got = await ask(port, '/metrics/tag?a=1', { method: 'POST', headers, body: event(`${name}-1`) })
      assert.equal(got.status, 200, got.text)
      assert.match(`${got.headers['set-cookie']}`, /^tag_user_id=[^;]+; Path=\/metrics; /)
      await settledJourney(customer, `${name}-1`)
      const sent = vendors.received.find(({ got: { body } }) => body.includes(`"${name}-1"`))!.got.body
      assert.match(sent, /"client_ip_address":"127\.0\.0\.2"/)
      const settings = await ask(port, `/metrics/projects/${customer.tagId}/settings`, { headers: spoofed })
      assert.equal(JSON.parse(settings.text).integrations['Segment.io'].apiHost, `localhost:${port}/metrics/v1`)
      const large = JSON.stringify(
        Array.from({ length: 16 }, () => JSON.parse(event('x', { data: { text: 'x'.repeat(60_000) } }))),
      )
      const batch = await ask(port, '/metrics/tag', { method: 'POST', headers, body: large })
      assert.equal(batch.status, 200, batch.text)
    })

    test('no path below it leads to another part of Aglet, however it is written', async () => {
      const { customer, ports } = opened!
      const headers = { authorization: `Bearer ${customer.token}`, 'team-id': customer.teamId }
      for (const path of hostile) {
        const got = await ask(ports[name]!, path, { headers })
        const isShop = got.text.includes('<title>Shop</title>')
        assert.ok(isShop || (got.status >= 300 && got.status < 500), `${path}: ${got.status} ${got.text}`)
        assert.doesNotMatch(got.text, /teamId|"alive"|aglet_/, path)
      }
    })

    test('a page of the shop loads the SDK from the path, and the same visitor comes back', {
      skip: noChromium,
    }, async () => {
      const { customer, ports } = opened!
      const origin = `http://localhost:${ports[name]}`
      const context = await browser!.newContext()
      const page = await context.newPage()
      const asked: string[] = []
      page.on('request', (each) => asked.push(each.url()))
      await page.goto(`${origin}/?tag=${origin}/metrics`)
      const first = await inPage<{ userId: string }>(page, 'ready')
      const eventId = `${name}-page`
      const answer = await inPage<{ status: string }>(page, 'tag', 'Search', { search: 'shoes' }, undefined, {
        eventId,
      })
      assert.equal(answer.status, 'accepted')
      const journey = await settledJourney(customer, eventId)
      assert.equal(journey.userId, first.userId)
      const cookies = (await context.cookies(`${origin}/metrics/tag`)).filter((each) => each.name === 'tag_user_id')
      assert.deepEqual(
        cookies.map(({ domain, path, value }) => [domain, path, value]),
        [['localhost', '/metrics', first.userId]],
      )
      await page.evaluate('localStorage.clear()')
      await page.goto(`${origin}/?tag=${origin}/metrics`)
      const second = await inPage<{ userId: string; isNewUser: boolean }>(page, 'ready')
      assert.deepEqual([second.userId, second.isNewUser], [first.userId, false], 'the cookie names the visitor')
      const own = asked.filter((url) => !url.startsWith(`${origin}/`))
      assert.deepEqual(own, [], 'everything is asked of the shop')
      assert.ok(asked.some((url) => url.startsWith(`${origin}/metrics/load`)))
      assert.ok(asked.some((url) => url.startsWith(`${origin}/metrics/init`)))
      await context.close()
    })
  })
}

test('the text for a Worker binds the cookie to the path, and passes on nothing that the caller forwards', async (t) => {
  const source = `${textBelow('Cloudflare Worker')}`
  const module = await import(`data:text/javascript,${encodeURIComponent(source)}`)
  const worker = module.default as { fetch(request: Request): Promise<Response> }
  const sent: Request[] = []
  t.mock.method(globalThis, 'fetch', async (url: string, options: RequestInit) => {
    sent.push(new Request(url, options))
    const headers = new Headers({ 'content-type': 'application/json' })
    headers.append('set-cookie', 'tag_user_id=usr_a; Path=/t/tag_YOURS; Max-Age=5; SameSite=None; Secure; Partitioned')
    headers.append('set-cookie', 'other=1; Path=/t/tag_YOURS')
    return new Response('{}', { status: 202, headers })
  })
  const ask = (path: string, options: RequestInit = {}) =>
    worker.fetch(new Request(`https://shop.example${path}`, options))
  const headers = { ...spoofed, 'cf-connecting-ip': '203.0.113.9', cookie: 'tag_user_id=usr_a', 'sec-gpc': '1' }
  const got = await ask('/metrics/tag?userId=usr_a', { method: 'POST', headers, body: '{"a":1}' })
  assert.equal(got.status, 202)
  assert.deepEqual(
    got.headers.getSetCookie().map((cookie) => /Path=[^;]*/.exec(cookie)?.[0]),
    ['Path=/metrics', 'Path=/metrics'],
  )
  const [first] = sent
  assert.equal(first!.url, 'https://aglet.example.net/t/tag_YOURS/tag?userId=usr_a')
  assert.equal(await first!.text(), '{"a":1}')
  assert.equal(first!.headers.get('x-forwarded-for'), '203.0.113.9')
  for (const name of ['x-forwarded-prefix', 'x-forwarded-host']) assert.equal(first!.headers.get(name), null)
  assert.deepEqual([first!.headers.get('cookie'), first!.headers.get('sec-gpc')], ['tag_user_id=usr_a', '1'])
  assert.equal((await ask('/other')).status, 404)
  assert.equal((await ask('/metrics/../v1/me')).status, 404)
  await ask('/metrics/..%2fv1/me')
  assert.equal(new URL(sent.at(-1)!.url).pathname, '/t/tag_YOURS/..%2fv1/me')
})
