import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import fc from 'fast-check'
import { buildConnector } from 'undici'
import { openSender, type SendOptions, type SendRequest, type SendResult } from '#provider/engine/send.ts'
import { createGuardedFetch } from '#sandbox/guardedFetch.ts'
import { cases } from '../fake/cases.ts'
import { type DnsRecord, type DnsServer, type DnsZone, openDns } from '../fake/dns.ts'

/** Counts connections to the server that no name may reach. */
let connections = 0
const inner = createSocketServer((socket) => {
  connections++
  socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\ninner')
})
/** Stands for every public address. */
const outer = createServer((_, response) => void response.setHeader('connection', 'close').end('outer'))
const portOf = (server: Server) => (server.address() as AddressInfo).port

let zone: DnsZone = () => []
let dns: DnsServer
before(async () => {
  for (const server of [inner, outer]) await once(server.listen(0, '127.0.0.1'), 'listening')
  dns = await openDns((...question) => zone(...question))
})
after(() => {
  outer.closeAllConnections()
  for (const each of [inner, outer, dns]) each.close()
})
beforeEach(() => {
  connections = 0
  dns.asked.splice(0)
})

const plain = buildConnector({ timeout: 1_000 })
const isInside = (address: string) => /^(127\.|0\.0\.0\.0$|::$|::1$|::ffff:|localhost)/.test(address)

/** Connects to loopback addresses as they are, and to the fake for any other: no packet leaves the loopback. */
const dial: NonNullable<SendOptions['connect']> = (options, callback) => {
  const to = isInside(options.hostname) ? options : { ...options, hostname: '127.0.0.1', port: `${portOf(outer)}` }
  plain({ ...to, protocol: 'http:' }, (error, socket) => {
    if (error) return callback(error, null)
    if (!isInside(options.hostname)) Object.defineProperty(socket, 'remoteAddress', { value: options.hostname })
    callback(null, socket)
  })
}

const saidBy = (answer: SendResult) => ('failed' in answer ? answer.failed : answer.body)
type Ask = (url: string, send: SendRequest) => Promise<string>
const asDelivery: Ask = async (url, send) =>
  saidBy(await send({ method: 'POST', url, headers: {}, body: '{}' }, 'customer'))
const asFetch: Ask = (url, send) =>
  createGuardedFetch(send)({ url, method: 'GET', headers: [], body: null, redirect: 'follow' }).then(
    ({ body }) => body,
    ({ message }: Error) => (message.includes('not allowed') ? 'denied' : 'resolve'),
  )

/** The results of one caller for repeated requests to a name. */
async function answers(times: number, { ask = asDelivery, allowPrivate = false, host = 'rebind.example' } = {}) {
  const outboundPorts = [portOf(inner)]
  const send = openSender({ allowPrivate, outboundPorts, dnsServers: [dns.address], connect: dial })
  const said: string[] = []
  for (let n = 0; n < times; n++) said.push(await ask(`https://${host}:${portOf(inner)}/`, send))
  await send.close()
  return said
}

const a = (data: string, more: Partial<DnsRecord> = {}): DnsRecord => ({ type: 'A', data, ...more })
const aaaa = (data: string, more: Partial<DnsRecord> = {}): DnsRecord => ({ type: 'AAAA', data, ...more })
const cname = (data: string, more: Partial<DnsRecord> = {}): DnsRecord => ({ type: 'CNAME', data, ...more })
/** The same answers to A and AAAA every time. */
const always =
  (v4: readonly DnsRecord[], v6: readonly DnsRecord[] = []): DnsZone =>
  (_, type) =>
    type === 'A' ? v4 : type === 'AAAA' ? v6 : []
/** Public at first, internal from the second question on. */
const turning =
  (ttl: number): DnsZone =>
  (_, type, nth) =>
    type === 'A' ? [a(nth === 0 ? '8.8.8.8' : '127.0.0.1', { ttl })] : []

test('where private destinations are allowed such a name does reach the inner server: the way to it is open', async () => {
  zone = always([a('127.0.0.1')])
  assert.deepEqual(await answers(1, { allowPrivate: true }), ['inner'])
  assert.equal(connections, 1)
})

for (const ttl of [0, 1, 86_400])
  for (const [kind, ask] of Object.entries({ 'a delivery': asDelivery, 'fetch of the sandbox': asFetch }))
    test(`${kind} to a name that is public at first and then inside is denied (time to live ${ttl} s)`, async () => {
      zone = turning(ttl)
      assert.deepEqual(await answers(3, { ask }), ['outer', 'denied', 'denied'])
      assert.equal(connections, 0)
    })

test('a connection is pinned to what was vetted: the name is looked up once for it, and no second answer counts', async () => {
  zone = turning(0)
  assert.deepEqual(await answers(1), ['outer'])
  assert.deepEqual(dns.asked.toSorted(), ['A rebind.example', 'AAAA rebind.example'])
  assert.equal(connections, 0)
})

const chain = (...names: string[]) => names.slice(1).map((to, n) => cname(to, { name: names[n]! }))
const many = (count: number) => Array.from({ length: count }, (_, n) => a(`8.8.8.${n}`))
const denied: Readonly<Record<string, DnsZone>> = {
  'a public address before an inner one': always([a('8.8.8.8'), a('127.0.0.1')]),
  'an inner address before a public one': always([a('127.0.0.1'), a('8.8.8.8')]),
  'a public A and an inner AAAA': always([a('8.8.8.8')], [aaaa('::1')]),
  'an inner A and a public AAAA': always([a('127.0.0.1')], [aaaa('2606:4700::1')]),
  'an IPv4-mapped address': always([], [aaaa('::ffff:127.0.0.1')]),
  'a public A and an IPv4-mapped AAAA': always([a('8.8.8.8')], [aaaa('::ffff:127.0.0.1')]),
  'an IPv4-mapped public address': always([], [aaaa('::ffff:8.8.8.8')]),
  'a NAT64 address': always([], [aaaa('64:ff9b::7f00:1')]),
  'a 6to4 address': always([], [aaaa('2002:7f00:1::1')]),
  'the unspecified address': always([a('0.0.0.0')], [aaaa('::')]),
  'a link-local address': always([a('169.254.169.254')], [aaaa('fe80::1')]),
  'more addresses than a name needs': always(many(17)),
  'an inner address behind a hundred public ones': always([...many(100), a('127.0.0.1')]),
  'a chain of names that ends inside': always([
    ...chain('rebind.example', 'b.example', 'c.example', 'd.example'),
    a('127.0.0.1', { name: 'd.example' }),
  ]),
  'a chain of names that ends outside and inside': always([
    ...chain('rebind.example', 'b.example'),
    a('8.8.8.8', { name: 'b.example' }),
    a('10.0.0.1', { name: 'b.example' }),
  ]),
  'an inner A where AAAA fails': (_, type) => (type === 'A' ? [a('127.0.0.1')] : 'SERVFAIL'),
}
for (const [title, answer] of Object.entries(denied))
  test(`a name that is answered by ${title} is denied, at every try`, async () => {
    zone = answer
    assert.deepEqual(await answers(2), ['denied', 'denied'])
    assert.deepEqual(await answers(1, { ask: asFetch }), ['denied'])
    assert.equal(connections, 0)
  })

test('a name without an address of its own does not resolve, wherever its alias leads', async () => {
  for (const records of [[], [cname('localhost')], [cname('inner.internal'), cname('other.example')]]) {
    zone = always(records, records)
    assert.deepEqual(await answers(1), ['resolve'])
  }
  zone = () => 'NXDOMAIN'
  assert.deepEqual(await answers(1), ['resolve'])
  zone = () => 'SERVFAIL'
  assert.deepEqual(await answers(1, { ask: asFetch }), ['resolve'])
  assert.equal(connections, 0)
})

test('whatever a name server answers, in whichever order, nothing reaches the inner server', async () => {
  const outside = fc.constantFrom(a('8.8.8.8'), a('1.1.1.1'), aaaa('2606:4700::1'), a('9.9.9.9', { ttl: 3600 }))
  const inside = fc.constantFrom(a('127.0.0.1'), aaaa('::1'), aaaa('::ffff:127.0.0.1'), a('0.0.0.0'), a('10.0.0.1'))
  const record = fc.oneof({ weight: 3, arbitrary: outside }, { weight: 1, arbitrary: inside })
  const rounds = fc.array(fc.array(record, { maxLength: 4 }), { minLength: 1, maxLength: 4 })
  const isOutside = ({ data }: DnsRecord) => ['8.8.8.8', '1.1.1.1', '2606:4700::1', '9.9.9.9'].includes(data)
  const expected = (records: readonly DnsRecord[]) =>
    records.length === 0 ? 'resolve' : records.every(isOutside) ? 'outer' : 'denied'
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      dns.asked.splice(0)
      zone = (_, type, nth) => all[nth]!.filter((each) => each.type === type)
      assert.deepEqual(await answers(all.length), all.map(expected))
      assert.equal(connections, 0)
    }),
    { numRuns: cases(60) },
  )
})
