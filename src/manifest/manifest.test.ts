import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Manifest } from '#contract/manifest.ts'
import { providerIds } from '#contract/providerIds.ts'
import { compileValidator } from '#contract/validator.ts'
import { plugins } from '#plugins/index.ts'
import { provider } from '#provider/form/provider.ts'
import { region } from '#provider/form/region.ts'
import { providers } from '#providers/index.ts'
import { buildManifest } from './manifest.ts'

const plain = provider({
  label: 'Acme',
  stage: 'beta',
  consent: ['advertising', 'analytics'],
  docs: 'https://acme.example/docs',
  host: 'fixed',
  secrets: {
    TOKEN: { label: 'Token', type: 'PASSWORD', helpLink: 'https://acme.example/token' },
    PIXEL: { label: 'Pixel', type: 'IDENTIFIER', placeholder: '42' },
    CODE: { label: 'Code', type: 'TEXT', sensitive: true, optional: true, description: 'what runs' },
    TEST: { label: 'Test', type: 'CHECKBOX', optional: true },
  },
  events: {},
  user: {},
  personId: 'none',
  dedup: 'none',
  request: () => [],
})
const versions = { sdk: ['2.0.0'], edge: ['0.1.0'] }
const providersUrl = 'https://tags.example/docs/providers'
const only = (form: typeof plain) => buildManifest({ acme: form }, versions, { providersUrl }).providers![0]!

test('the manifest is valid and has the versions', () => {
  const manifest = buildManifest({ acme: plain, absent: undefined }, versions, { providersUrl })
  assert.deepEqual(compileValidator(Manifest)(manifest), [])
  assert.deepEqual([manifest.sdkVersions, manifest.edgeVersions, manifest.plugins], [['2.0.0'], ['0.1.0'], []])
  assert.deepEqual(
    manifest.providers?.map(({ value }) => value),
    ['acme'],
  )
})

test('a variable with a fixed set of values is a select, and an option of a region has its host', () => {
  const REGION = region({ US: 'api.acme.example', EU: 'api.eu.acme.example' }, 'Settings, Project.')
  const regional = buildManifest({ acme: { ...plain, secrets: { REGION } } }, versions, { providersUrl })
  assert.deepEqual(compileValidator(Manifest)(regional), [])
  const { inputType, options, optional } = regional.providers![0]!.secrets![0]!
  assert.deepEqual([inputType, optional], ['select', true])
  assert.deepEqual(options, [
    { label: 'US (api.acme.example)', value: 'US' },
    { label: 'EU (api.eu.acme.example)', value: 'EU' },
  ])
})

test('an absent member of a provider has its default, and no field of the interface is missing', () => {
  const { secrets: _, ...row } = only(plain)
  assert.deepEqual(row, {
    label: 'Acme',
    value: 'acme',
    package: '',
    isApiOnly: true,
    onlyAdminProvider: false,
    hasActivation: false,
    dashboardUrl: `${providersUrl}#acme`,
    isApp: false,
    appPlatforms: [],
    stage: 'beta',
    hideGeoRegions: false,
    hidePurchaseValueMode: false,
    consentCategory: ['advertising', 'analytics'],
    isSingleton: false,
    usagePolicy: { excludeFromUsage: false, excludedEvents: [] },
    links: {
      documentation: 'https://acme.example/docs',
      onboarding: `${providersUrl}#acme`,
      introduction: `${providersUrl}#acme`,
      faq: `${providersUrl}#acme`,
    },
    events: {},
    takesCustomEvents: false,
    needs: [],
  })
})

test('the members of a provider are in its entry', () => {
  const members = {
    hasActivation: true,
    isApp: true,
    isSingleton: true,
    hidePurchaseValueMode: true,
    appPlatforms: ['ios'],
    dashboardUrl: 'https://acme.example',
  } as const
  const row = only({ ...plain, ...members, links: { faq: 'https://acme.example/faq' } })
  for (const [name, value] of Object.entries(members)) assert.deepEqual(row[name as keyof typeof members], value)
  assert.equal(row.links?.faq, 'https://acme.example/faq')
})

test('every provider has a dashboard and four links', () => {
  const rows = buildManifest(providers, versions, { providersUrl }).providers!
  assert.equal(rows.length, providerIds.length)
  for (const { value, dashboardUrl, links = {} } of rows) {
    const { documentation, onboarding, introduction, faq } = links
    for (const url of [dashboardUrl, documentation, onboarding, introduction, faq])
      assert.match(`${url}`, /^https:\/\/\S+$/, value)
  }
})

test('each variable is a form field, and is sensitive when it is a PASSWORD or declared so', () => {
  const rows = only(plain).secrets!
  const shown = rows.map(({ variable, type, inputType, optional, sensitive }) => [
    variable,
    type,
    inputType,
    optional,
    sensitive,
  ])
  assert.deepEqual(shown, [
    ['TOKEN', 'PASSWORD', 'password', false, true],
    ['PIXEL', 'IDENTIFIER', 'text', false, false],
    ['CODE', 'TEXT', 'text', true, true],
    ['TEST', 'CHECKBOX', 'checkbox', true, false],
  ])
  assert.deepEqual(
    [rows[0]?.helpLink, rows[1]?.placeholder, rows[2]?.description],
    ['https://acme.example/token', '42', 'what runs'],
  )
})

test('the hosts are standalone, without input, and cname, with a host name', () => {
  const [standalone, cname] = buildManifest({}, versions, { providersUrl }).hosts!
  assert.deepEqual(
    [standalone?.value, standalone?.cname?.allowChange, standalone?.identifier],
    ['standalone', false, undefined],
  )
  assert.deepEqual([cname?.value, cname?.cname?.allowChange, cname?.identifier?.inputType], ['cname', true, 'text'])
})

test('each plugin has the JSON Schema of its settings', () => {
  const manifest = buildManifest({}, versions, { plugins, providersUrl })
  assert.deepEqual(compileValidator(Manifest)(manifest), [])
  const entries = JSON.parse(JSON.stringify(manifest.plugins)) as {
    value: string
    settings: { type: string; required?: string[] }
  }[]
  assert.deepEqual(
    entries.map(({ value, settings }) => [value, settings.type, settings.required ?? []]),
    [
      ['botFilter', 'object', []],
      ['currencyConversion', 'object', ['currency']],
      ['eventRename', 'object', ['names']],
      ['newReturningCustomer', 'object', []],
    ],
  )
})

test('a variable tells its input: URL, JSON, code, pairs, list', () => {
  const rows = Object.entries(providers).flatMap(([id, form]) =>
    form ? buildManifest({ [id]: form }, versions, { providersUrl }).providers![0]!.secrets! : [],
  )
  const inputOf = (name: string) => rows.find(({ variable }) => variable === name)?.inputType
  const expected = {
    EVENT_SINK_URL: 'url',
    EVENT_SINK_HEADERS: 'json',
    EVENT_SINK_EVENTS: 'list',
    EVENT_SINK_SECRET: 'password',
    PLAYGROUND_CODE: 'code',
    WEBHOOK_SECRETS: 'json',
    TWITTER_MAPPED_EVENTS: 'pairs',
    TWITTER_PIXEL_ID: 'text',
  }
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, inputOf(name)])), expected)
})

test('alternative credentials are groups, and each variable names its own', () => {
  const { credentialSets, secrets } = buildManifest({ twitter: providers.twitter }, versions, { providersUrl })
    .providers![0]!
  assert.equal(credentialSets?.length, 2)
  for (const { variable, group = [] } of secrets!)
    assert.deepEqual(
      group,
      credentialSets!.flatMap((set, at) => (set.includes(variable) ? [at] : [])),
    )
})

test('every pattern of the catalogue is a regular expression that agrees with the check of its variable', () => {
  for (const [id, form] of Object.entries(providers))
    for (const { variable, pattern } of buildManifest({ [id]: form }, versions, { providersUrl }).providers![0]!
      .secrets!) {
      if (pattern === undefined) continue
      const check = form!.secrets[variable]!.check!
      for (const value of ['', 'abc', '123', 'a b', 'ü', 'x'.repeat(5_000)])
        assert.equal(new RegExp(pattern, 'u').test(value), check(value) === undefined, `${id} ${variable} ${value}`)
    }
})

test('every provider that takes events tells one, and what an event needs of its person', () => {
  const manifest = buildManifest(providers, versions, { providersUrl })
  assert.deepEqual(compileValidator(Manifest)(manifest), [])
  for (const { value, sample, needs, events, takesCustomEvents } of manifest.providers!) {
    const takesAny = takesCustomEvents || Object.keys(events!).length > 0
    assert.equal(sample !== undefined, takesAny, value)
    assert.ok(!sample || takesCustomEvents || String(sample.eventName) in events!, `${value} does not take its sample`)
    assert.ok(needs!.every((each) => each.length > 0))
  }
})
