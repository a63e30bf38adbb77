import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnedClock } from '../../test/fake/clock.ts'
import { type Dns, saysNone, systemDns } from './dns.ts'
import { hostStates, readHosts } from './host.ts'

const target = 'aglet.example'
const none = () => Promise.reject(Object.assign(new Error('none'), { code: 'ENODATA' }))
const silent = () => Promise.reject(Object.assign(new Error('no answer'), { code: 'ETIMEOUT' }))

/** Name servers: where names lead, by CNAME and by address. A name that is `silent` gets no answer. */
const dnsOf = (cnames: Record<string, string>, addresses: Record<string, string[]>): Dns & { asked: string[] } => {
  const asked: string[] = []
  return {
    asked,
    cname: async (host) => (cnames[host] === undefined ? none() : [cnames[host]]),
    async addresses(host) {
      asked.push(host)
      if (addresses[host]?.[0] === 'silent') return silent()
      return addresses[host] ?? none()
    },
  }
}
const stateOf = async (host: string, dns: Dns, lead = target) => {
  const [told] = await hostStates(lead, dns, turnedClock())([host])
  return told!.state
}

test('host names are kept in lower case, each once', () => {
  assert.deepEqual(readHosts(['D.Example.com', 'd.example.com', 'x.localhost'], []), {
    hosts: ['d.example.com', 'x.localhost'],
  })
})

test('what is no host name, or a name of this server, is an issue that says which', () => {
  const own = ['aglet.example']
  for (const text of [
    'https://d.example.com',
    'd',
    'a.com:80',
    '10.0.0.1',
    'AGLET.example',
    'localhost',
    '127.0.0.1',
  ]) {
    const read = readHosts(['d.example.com', text], own)
    assert.deepEqual('issues' in read && read.issues.map(({ path }) => path), ['hosts.1'], text)
  }
})

test('a CNAME to this server is ready, however it is written', async () => {
  const addresses = { 'aglet.example': ['192.0.2.1'], 'd.example.com': ['192.0.2.1'] }
  for (const written of ['aglet.example', 'Aglet.Example.'])
    assert.equal(await stateOf('d.example.com', dnsOf({ 'd.example.com': written }, addresses)), 'ready')
})

test('without such a CNAME the same address is ready, another is elsewhere', async () => {
  const addresses = {
    'aglet.example': ['192.0.2.1', '2001:db8::1'],
    'example.com': ['2001:db8::1'],
    'x.com': ['192.0.2.9'],
  }
  assert.equal(await stateOf('example.com', dnsOf({}, addresses)), 'ready')
  assert.equal(await stateOf('x.com', dnsOf({ 'x.com': 'other.example' }, addresses)), 'elsewhere')
})

test('a name without a record is missing; where DNS does not answer it is unchecked', async () => {
  const ours = { 'aglet.example': ['192.0.2.1'] }
  assert.equal(await stateOf('d.example.com', dnsOf({}, ours)), 'missing')
  assert.equal(await stateOf('d.example.com', dnsOf({}, { ...ours, 'd.example.com': ['silent'] })), 'unchecked')
  const known = { 'd.example.com': ['192.0.2.1'] }
  assert.equal(await stateOf('d.example.com', dnsOf({}, { ...known, 'aglet.example': ['silent'] })), 'unchecked')
})

test('a loopback name leads to this machine without DNS', async () => {
  const dns = dnsOf({}, {})
  assert.equal(await stateOf('d.localhost', dns), 'ready')
  assert.deepEqual(dns.asked, [])
})

test('the record that is needed is a CNAME to a name, and an A or AAAA to an address', async () => {
  const record = async (lead: string) => (await hostStates(lead, dnsOf({}, {}), turnedClock())(['d.a.com']))[0]!.record
  assert.equal(await record('aglet.example'), 'd.a.com CNAME aglet.example')
  assert.equal(await record('192.0.2.1'), 'd.a.com A 192.0.2.1')
  assert.equal(await record('2001:db8::1'), 'd.a.com AAAA 2001:db8::1')
})

test('DNS is asked again for a name after a minute, not before', async () => {
  const clock = turnedClock()
  const dns = dnsOf({}, { 'aglet.example': ['192.0.2.1'] })
  const states = hostStates(target, dns, clock)
  for (const [turnMs, asked] of [
    [0, 1],
    [59_000, 1],
    [1_000, 2],
  ] as const) {
    await clock.turn(turnMs)
    await states(['d.example.com'])
    assert.equal(dns.asked.filter((name) => name === 'd.example.com').length, asked)
  }
})

test('an address is its own; only an answer that there is no record says so', async () => {
  assert.deepEqual(await systemDns().addresses('192.0.2.7'), ['192.0.2.7'])
  const settled = await Promise.allSettled([none(), silent(), Promise.resolve()])
  assert.deepEqual(settled.map(saysNone), [true, false, false])
})
