import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nearest } from './nearest.ts'
import {
  boundTo,
  flagOf,
  readSettings,
  type SettingName,
  SettingsProblem,
  settingFlags,
  variableOf,
} from './settings.ts'

const saying = (pattern: RegExp) => (problem: unknown) =>
  problem instanceof SettingsProblem && pattern.test(problem.message) && !problem.message.includes('\n')

test('without any setting the defaults of the documentation hold', () => {
  assert.deepEqual(readSettings({ PATH: '/bin' }, {}), {
    port: 4000,
    host: '127.0.0.1',
    data: './data',
    origin: 'http://127.0.0.1:4000',
    tagOrigin: 'http://127.0.0.1:4000',
    trustProxy: { ranges: [] },
    brand: 'Service',
    outboundPorts: [],
    dnsServers: [],
    allowPrivateDestinations: false,
    role: 'all',
    acceptWeakSandbox: false,
    minFreeMb: 64,
    keepBodies: 'all',
    keepEventsDays: 7,
    keepFailuresDays: 30,
    keepJournalDays: 30,
    keepDeployments: 100,
    rateLimit: 600,
    teamEventRate: 2_000,
    teamEventBurst: 10_000,
    tagEventRate: 2_000,
    tagEventBurst: 10_000,
    tagsPerTeam: 1_000,
    scriptsPerTag: 200,
    hooksPerTeam: 10,
    applicationsPerTeam: 100,
    streamsPerTeam: 10,
    replaysPerTeam: 20,
    queriesPerTeam: 16,
    querySeconds: 10,
    tokenRate: 300,
  })
})

test('a flag goes before its environment variable, and an empty variable counts as none', () => {
  assert.equal(readSettings({ AGLET_PORT: '5000' }, { port: '6000' }).port, 6000)
  assert.equal(readSettings({ AGLET_PORT: '5000' }, {}).port, 5000)
  assert.equal(readSettings({ AGLET_PORT: '' }, {}).port, 4000)
})

test('a bad value stops the start with a sentence that says what to write instead', () => {
  const bad: [SettingName, string, RegExp][] = [
    ['port', 'abc', /^AGLET_PORT is "abc": write a number from 0 to 65535\.$/],
    ['port', '65536', /AGLET_PORT/],
    ['port', '-1', /AGLET_PORT/],
    ['origin', 'example.com', /^AGLET_ORIGIN is "example.com": write an origin such as/],
    ['origin', 'https://example.com/path', /AGLET_ORIGIN/],
    ['origin', 'https://user@example.com', /AGLET_ORIGIN/],
    ['tagOrigin', 'ftp://example.com', /AGLET_TAG_ORIGIN/],
    ['trustProxy', '10.0.0.0/8,nonsense', /AGLET_TRUST_PROXY/],
    ['trustProxy', 'cloudflare', /AGLET_TRUST_PROXY .* write a comma list of ranges/],
    ['trustProxy', '10.0.0.0/8,cloudflare,cloudfront', /AGLET_TRUST_PROXY/],
    ['brand', 'Two words', /AGLET_BRAND/],
    ['keepBodies', 'some', /^AGLET_KEEP_BODIES is "some": write all, failed or none\.$/],
    ['keepEventsDays', '0', /^AGLET_KEEP_EVENTS_DAYS is "0": write a number of days from 1 to 3650\.$/],
    ['rateLimit', '0', /^AGLET_RATE_LIMIT is "0": write a number from 1 to 1000000\.$/],
    ['rateLimit', '1000001', /AGLET_RATE_LIMIT/],
    ['outboundPorts', '8443,0', /AGLET_OUTBOUND_PORTS/],
    ['dnsServers', 'ns.example.com', /^AGLET_DNS_SERVERS is "ns.example.com": write a comma list of addresses/],
    ['dnsServers', '10.0.0.53:0', /AGLET_DNS_SERVERS/],
    ['dnsServers', '10.0.0.53:70000', /AGLET_DNS_SERVERS/],
    ['dnsServers', '10.0.0', /AGLET_DNS_SERVERS/],
    ['dnsServers', '10.0.0.53,[::1', /AGLET_DNS_SERVERS/],
    ['allowPrivateDestinations', 'perhaps', /AGLET_ALLOW_PRIVATE_DESTINATIONS .* write 1 or 0\.$/],
    ['role', 'everything', /AGLET_ROLE is "everything": write all, control, edge or worker\.$/],
  ]
  for (const [name, value, says] of bad) {
    assert.throws(() => readSettings({ [variableOf(name)]: value }, {}), saying(says), `${name} ${value}`)
    assert.throws(
      () => readSettings({}, { [name]: value }),
      saying(new RegExp(`^${flagOf(name)} `)),
      `${name} ${value}`,
    )
  }
})

test('a value that may hold a password is not repeated', () => {
  for (const name of ['databaseUrl', 'natsUrl'] as const)
    assert.throws(
      () => readSettings({ [variableOf(name)]: 'postgres://me:hunter2@db' }, {}),
      (problem) => saying(/this build keeps everything in SQLite/)(problem) && !`${problem}`.includes('hunter2'),
    )
})

test('an unknown AGLET_ variable stops the start, and the nearest name is offered', () => {
  assert.throws(() => readSettings({ AGLET_PROT: '1' }, {}), saying(/AGLET_PROT: did you mean AGLET_PORT\?$/))
  assert.throws(() => readSettings({ AGLET_SOMETHING_ELSE: '1' }, {}), saying(/take it out of the environment/))
})

test('a host that is not a loopback address needs an origin', () => {
  assert.throws(() => readSettings({ AGLET_HOST: '0.0.0.0' }, {}), saying(/set AGLET_ORIGIN/))
  for (const host of ['127.0.0.1', '127.9.9.9', 'localhost', '::1']) readSettings({ AGLET_HOST: host }, {})
  const { origin, tagOrigin } = readSettings({ AGLET_HOST: '0.0.0.0', AGLET_ORIGIN: 'https://Tags.example.com/' }, {})
  assert.deepEqual([origin, tagOrigin], ['https://tags.example.com', 'https://tags.example.com'])
})

test('lists are read item by item; a bare proxy address is the range that holds it alone', () => {
  const servers = ['10.0.0.53', '10.0.0.53:5353', '2001:db8::53', '[2001:db8::53]', '[2001:db8::53]:5353']
  const { trustProxy, outboundPorts, dnsServers } = readSettings(
    {
      AGLET_TRUST_PROXY: '10.0.0.0/8, 192.0.2.7,::1',
      AGLET_OUTBOUND_PORTS: '8443, 9443',
      AGLET_DNS_SERVERS: servers.join(', '),
    },
    {},
  )
  assert.deepEqual(dnsServers, servers)
  assert.deepEqual(trustProxy, { ranges: ['10.0.0.0/8', '192.0.2.7/32', '::1/128'] })
  assert.deepEqual(outboundPorts, [8443, 9443])
})

test('a CDN is named beside the ranges that it is believed from', () => {
  const { trustProxy } = readSettings({ AGLET_TRUST_PROXY: '173.245.48.0/20, cloudflare' }, {})
  assert.deepEqual(trustProxy, { ranges: ['173.245.48.0/20'], cdn: 'cloudflare' })
})

test('the origin follows the port that the system gave, unless the operator named one', () => {
  const free = boundTo(readSettings({ AGLET_PORT: '0', AGLET_HOST: '::1' }, {}), 5123)
  assert.deepEqual([free.port, free.origin, free.tagOrigin], [5123, 'http://[::1]:5123', 'http://[::1]:5123'])
  const named = boundTo(readSettings({ AGLET_PORT: '0', AGLET_ORIGIN: 'https://a.example' }, {}), 5123)
  assert.equal(named.origin, 'https://a.example')
})

test('every setting is a flag and a variable of the same name', () => {
  for (const { name, flag } of settingFlags)
    assert.equal(flag.slice(2).replaceAll('-', '_').toUpperCase(), variableOf(name).slice('AGLET_'.length))
  assert.ok(settingFlags.some(({ flag }) => flag === '--allow-private-destinations'))
})

test('whatever stands in the environment, the settings are read or the problem is one sentence', () => {
  const environment = fc.dictionary(fc.constantFrom(...settingFlags.map(({ name }) => variableOf(name))), fc.string())
  fc.assert(
    fc.property(environment, (env) => {
      try {
        readSettings(env, {})
      } catch (problem) {
        assert.ok(saying(/^AGLET_/)(problem), `${problem}`)
      }
    }),
  )
})

test('a word with two letters swapped is still near, another word is not', () => {
  assert.equal(nearest('AGLET_ORIGNI', ['AGLET_PORT', 'AGLET_ORIGIN']), 'AGLET_ORIGIN')
  assert.equal(nearest('banana', ['AGLET_PORT', 'AGLET_ORIGIN']), undefined)
})
