import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import {
  type Customer,
  call,
  makeCustomer,
  makeScript,
  openAglet,
  settledJourney,
  sinkAt,
  until,
} from '../fake/aglet.ts'
import { type DnsRecord, openDns } from '../fake/dns.ts'
import { openVendor } from '../fake/vendor.ts'

/** Addresses that no request of a customer may reach. */
const inner = await openVendor()
after(inner.close)
const innerPort = new URL(inner.url).port

const a = (data: string): DnsRecord => ({ type: 'A', data })
const names: Readonly<Record<string, readonly DnsRecord[]>> = {
  'inside.example': [a('127.0.0.1')],
  'mixed.example': [a('8.8.8.8'), a('127.0.0.1')],
  'mapped.example': [{ type: 'AAAA', data: '::ffff:127.0.0.1' }],
  'chain.example': [
    { type: 'CNAME', data: 'b.example' },
    { ...a('127.0.0.1'), name: 'b.example' },
  ],
  'metadata.example': [a('169.254.169.254')],
}
/** Names are also looked up when they are saved. Until then the name servers do not know them. */
let isWritten = true
const dns = await openDns((name, type) =>
  isWritten ? (names[name] ?? []).filter((each) => [type, 'CNAME'].includes(each.type)) : 'NXDOMAIN',
)
after(dns.close)
const strict = await openAglet('rebinding', { AGLET_DNS_SERVERS: dns.address, AGLET_OUTBOUND_PORTS: innerPort })
const lenient = await openAglet('own-ports', { AGLET_DNS_SERVERS: dns.address, AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' })
beforeEach(() => void inner.got.splice(0))

/** The outcome of an event for a channel with this address. */
async function delivered(customer: Customer, url: string) {
  const made = await call<Customer>(customer, 'POST', '/tag', { name: url, domain: 'localhost', consent: 'disabled' })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const own = { ...customer, ...made.body }
  isWritten = false
  await makeScript(own, 'eventSink', 'sink', sinkAt(url)).finally(() => {
    isWritten = true
  })
  const event = { eventName: 'PageView', eventId: 'e-1', timestamp: Date.now() }
  await fetch(`${own.tagUrl}/tag`, { method: 'POST', body: JSON.stringify(event) })
  const [delivery] = (await settledJourney(own, 'e-1')).deliveries
  return [delivery?.status, delivery?.reason, delivery?.attempts[0]?.message]
}
const refused = ['refused', 'addressNotAllowed', 'This address is not allowed.']

describe('a server whose name servers lead names inside', async () => {
  const customer = await makeCustomer(strict, 'rebinding')
  for (const name of Object.keys(names))
    test(`an event to ${name} is refused, and the journey says why`, async () => {
      assert.deepEqual(await delivered(customer, `https://${name}:${innerPort}/in`), refused)
      assert.deepEqual(inner.got, [])
    })

  test('a deploy hook at such a name is refused, and nothing is sent there', async () => {
    const { status } = await call(customer, 'POST', '/hook', { url: `https://mixed.example:${innerPort}/hook` })
    assert.equal(status, 400)
    assert.deepEqual(inner.got, [])
  })
})

describe('a server that allows private destinations', async () => {
  const { origin, port } = lenient
  const customer = await makeCustomer(lenient, 'own-ports')
  test('calls a private address by its name', async () => {
    assert.deepEqual(await delivered(customer, `http://inside.example:${innerPort}/in`), [
      'delivered',
      undefined,
      undefined,
    ])
    assert.equal(inner.got.length, 1)
  })

  test('never calls itself, nor a metadata address, for a channel', async () => {
    for (const url of [`http://inside.example:${port}/metrics`, 'http://metadata.example/latest/meta-data/'])
      assert.deepEqual(await delivered(customer, url), refused, url)
    for (const url of [
      `${origin}/metrics`,
      `http://localhost:${port}/metrics`,
      'http://169.254.169.254/latest/meta-data/',
    ])
      await assert.rejects(makeScript(customer, 'eventSink', url, sinkAt(url)), /answered 400.*is not allowed/)
  })

  test('never calls itself for customers’ code', async () => {
    const code = `async tag({ fetch }) { return (await fetch('http://inside.example:${port}/metrics')).status }`
    await makeScript(customer, 'playground', 'code', [
      { variable: 'PLAYGROUND_CODE', type: 'TEXT', value: code },
      { variable: 'PLAYGROUND_SECRETS', type: 'TEXT', value: '{}' },
    ])
    const consent = { storage: { service: { consent: { all: true } } } }
    const event = { eventName: 'PageView', eventId: 'e-2', timestamp: Date.now(), ...consent }
    await fetch(`${customer.tagUrl}/tag`, { method: 'POST', body: JSON.stringify(event) })
    let message: string | undefined
    await until(async () => {
      const path = `/tag/${customer.tagId}/event/e-2`
      const { body } = await call<{ deliveries?: { attempts: { message?: string }[] }[] }>(customer, 'GET', path)
      message = body.deliveries?.[0]?.attempts[0]?.message
      return message !== undefined
    })
    assert.match(message ?? '', /This address is not allowed\./)
  })
})
