import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { closestName } from '#contract/closestName.ts'
import {
  readSettings,
  type SettingName,
  SettingsError,
  settingFlag,
  settingFlags,
  settingVariable,
  withBoundPort,
} from './settings.ts'

const isSettingsError = (pattern: RegExp) => (problem: unknown) =>
  problem instanceof SettingsError && pattern.test(problem.message) && !problem.message.includes('\n')

test('the defaults are those of the documentation', () => {
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
    syncStandbys: 1,
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
    fairShareLoad: 85,
    tagsPerTeam: 1_000,
    scriptsPerTag: 200,
    hooksPerTeam: 10,
    applicationsPerTeam: 100,
    streamsPerTeam: 100,
    streamsPerPerson: 4,
    replaysPerTeam: 20,
    queriesPerTeam: 16,
    querySeconds: 10,
    tokenRate: 300,
  })
})

test('a flag overrides its environment variable, and an empty variable counts as unset', () => {
  assert.equal(readSettings({ AGLET_PORT: '5000' }, { port: '6000' }).port, 6000)
  assert.equal(readSettings({ AGLET_PORT: '5000' }, {}).port, 5000)
  assert.equal(readSettings({ AGLET_PORT: '' }, {}).port, 4000)
})

test('a bad value is an error of one sentence that says what to write instead', () => {
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
    assert.throws(() => readSettings({ [settingVariable(name)]: value }, {}), isSettingsError(says), `${name} ${value}`)
    assert.throws(
      () => readSettings({}, { [name]: value }),
      isSettingsError(new RegExp(`^${settingFlag(name)} `)),
      `${name} ${value}`,
    )
  }
})

test('a value that may contain a password is not repeated in the error', () => {
  for (const [name, says] of [
    ['databaseUrl', /write postgres:\/\/user@host1,host2\/name/],
    ['streamUrl', /events are kept in PostgreSQL, not in NATS/],
  ] as const)
    assert.throws(
      () => readSettings({ [settingVariable(name)]: 'nats://me:hunter2@db' }, {}),
      (problem) => isSettingsError(says)(problem) && !`${problem}`.includes('hunter2'),
    )
})

test('a database URL requires the root key, because all processes need the same one', () => {
  const AGLET_DATABASE_URL = 'postgres://me:hunter2@one,two/aglet'
  assert.throws(() => readSettings({ AGLET_DATABASE_URL }, {}), isSettingsError(/set AGLET_ROOT_KEY too/))
  const { databaseUrl, syncStandbys } = readSettings({ AGLET_DATABASE_URL, AGLET_ROOT_KEY: 'ab'.repeat(32) }, {})
  assert.deepEqual([databaseUrl, syncStandbys], [AGLET_DATABASE_URL, 1])
})

test('a tag spread names tags with 1 to 16 slots each, and needs a database that several workers share', () => {
  const shared = { AGLET_DATABASE_URL: 'postgres://me@one/aglet', AGLET_ROOT_KEY: 'ab'.repeat(32) }
  const read = (AGLET_TAG_SPREAD: string) => readSettings({ ...shared, AGLET_TAG_SPREAD }, {}).tagSpread
  assert.deepEqual(
    [...read('tag_a=4  tag_b=16')!],
    [
      ['tag_a', 4],
      ['tag_b', 16],
    ],
  )
  for (const wrong of ['tag_a', 'tag_a=0', 'tag_a=17', 'tag_a=2 tag_a=3', 'tag_a=4,tag_b=4', ' '])
    assert.throws(() => read(wrong), isSettingsError(/AGLET_TAG_SPREAD/), wrong)
  const alone = () => readSettings({ AGLET_TAG_SPREAD: 'tag_a=4' }, {})
  assert.throws(alone, isSettingsError(/set AGLET_DATABASE_URL too/))
})

test('an unknown AGLET_ variable is an error that suggests the nearest name', () => {
  assert.throws(() => readSettings({ AGLET_PROT: '1' }, {}), isSettingsError(/AGLET_PROT: did you mean AGLET_PORT\?$/))
  assert.throws(
    () => readSettings({ AGLET_SOMETHING_ELSE: '1' }, {}),
    isSettingsError(/remove it from the environment/),
  )
})

test('a host that is not a loopback address requires an origin', () => {
  assert.throws(() => readSettings({ AGLET_HOST: '0.0.0.0' }, {}), isSettingsError(/set AGLET_ORIGIN/))
  for (const host of ['127.0.0.1', '127.9.9.9', 'localhost', '::1']) readSettings({ AGLET_HOST: host }, {})
  const { origin, tagOrigin } = readSettings({ AGLET_HOST: '0.0.0.0', AGLET_ORIGIN: 'https://Tags.example.com/' }, {})
  assert.deepEqual([origin, tagOrigin], ['https://tags.example.com', 'https://tags.example.com'])
})

test('lists are read item by item, and a proxy address becomes the range of that one address', () => {
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

test('a CDN is named together with the ranges that it is trusted from', () => {
  const { trustProxy } = readSettings({ AGLET_TRUST_PROXY: '173.245.48.0/20, cloudflare' }, {})
  assert.deepEqual(trustProxy, { ranges: ['173.245.48.0/20'], cdn: 'cloudflare' })
})

test('the origin has the port that the system assigned, unless the operator set an origin', () => {
  const free = withBoundPort(readSettings({ AGLET_PORT: '0', AGLET_HOST: '::1' }, {}), 5123)
  assert.deepEqual([free.port, free.origin, free.tagOrigin], [5123, 'http://[::1]:5123', 'http://[::1]:5123'])
  const named = withBoundPort(readSettings({ AGLET_PORT: '0', AGLET_ORIGIN: 'https://a.example' }, {}), 5123)
  assert.equal(named.origin, 'https://a.example')
})

test('every setting has a flag and a variable of the same name', () => {
  for (const { name, flag } of settingFlags)
    assert.equal(flag.slice(2).replaceAll('-', '_').toUpperCase(), settingVariable(name).slice('AGLET_'.length))
  assert.ok(settingFlags.some(({ flag }) => flag === '--allow-private-destinations'))
})

test('reading any environment gives settings or an error of one sentence', () => {
  const environment = fc.dictionary(
    fc.constantFrom(...settingFlags.map(({ name }) => settingVariable(name))),
    fc.string(),
  )
  fc.assert(
    fc.property(environment, (env) => {
      try {
        readSettings(env, {})
      } catch (problem) {
        assert.ok(isSettingsError(/^AGLET_/)(problem), `${problem}`)
      }
    }),
  )
})

test('a name with two letters swapped is suggested, and an unrelated name is not', () => {
  assert.equal(closestName('AGLET_ORIGNI', ['AGLET_PORT', 'AGLET_ORIGIN']), 'AGLET_ORIGIN')
  assert.equal(closestName('banana', ['AGLET_PORT', 'AGLET_ORIGIN']), undefined)
})
