import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Manifest } from '#contract/manifest.ts'
import { check } from '#contract/schema.ts'
import { plugins } from '#plugins/index.ts'
import { provider } from '#provider/form/provider.ts'
import { region } from '#provider/form/region.ts'
import { manifestOf } from './manifest.ts'

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
  dedup: 'none',
  request: () => [],
  examples: [],
})
const versions = { sdk: ['2.0.0'], edge: ['0.1.0'] }
const only = (form: typeof plain) => manifestOf({ acme: form }, versions).providers![0]!

test('the manifest is as the contract says and names the versions', () => {
  const manifest = manifestOf({ acme: plain, absent: undefined }, versions)
  assert.deepEqual(check(Manifest)(manifest), [])
  assert.deepEqual([manifest.sdkVersions, manifest.edgeVersions, manifest.plugins], [['2.0.0'], ['0.1.0'], []])
  assert.deepEqual(
    manifest.providers?.map(({ value }) => value),
    ['acme'],
  )
})

test('a variable with a fixed set of values is a select, and a region shows its host', () => {
  const REGION = region({ US: 'api.acme.example', EU: 'api.eu.acme.example' }, 'Settings, Project.')
  const regional = manifestOf({ acme: { ...plain, secrets: { REGION } } }, versions)
  assert.deepEqual(check(Manifest)(regional), [])
  const { inputType, options, optional } = regional.providers![0]!.secrets![0]!
  assert.deepEqual([inputType, optional], ['select', true])
  assert.deepEqual(options, [
    { label: 'US (api.acme.example)', value: 'US' },
    { label: 'EU (api.eu.acme.example)', value: 'EU' },
  ])
})

test('what a provider leaves out has its default, and no field of the interface is missing', () => {
  const { secrets: _, ...row } = only(plain)
  assert.deepEqual(row, {
    label: 'Acme',
    value: 'acme',
    package: '',
    isApiOnly: true,
    onlyAdminProvider: false,
    hasActivation: false,
    isApp: false,
    appPlatforms: [],
    stage: 'beta',
    hideGeoRegions: false,
    hidePurchaseValueMode: false,
    consentCategory: ['advertising', 'analytics'],
    isSingleton: false,
    usagePolicy: { excludeFromUsage: false, excludedEvents: [] },
    links: { documentation: 'https://acme.example/docs' },
  })
})

test('what a provider says is shown', () => {
  const said = {
    hasActivation: true,
    isApp: true,
    isSingleton: true,
    hidePurchaseValueMode: true,
    appPlatforms: ['ios'],
    dashboardUrl: 'https://acme.example',
  } as const
  const row = only({ ...plain, ...said, links: { faq: 'https://acme.example/faq' } })
  for (const [name, value] of Object.entries(said)) assert.deepEqual(row[name as keyof typeof said], value)
  assert.equal(row.links?.faq, 'https://acme.example/faq')
})

test('each variable is the field of a form; a PASSWORD is sensitive, the others where they say so', () => {
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

test('the hosts are standalone, which is given, and cname, which the customer names', () => {
  const [standalone, cname] = manifestOf({}, versions).hosts!
  assert.deepEqual(
    [standalone?.value, standalone?.cname?.allowChange, standalone?.identifier],
    ['standalone', false, undefined],
  )
  assert.deepEqual([cname?.value, cname?.cname?.allowChange, cname?.identifier?.inputType], ['cname', true, 'text'])
})

test('each plugin stands there with the JSON Schema of its settings', () => {
  const manifest = manifestOf({}, versions, plugins)
  assert.deepEqual(check(Manifest)(manifest), [])
  const told = JSON.parse(JSON.stringify(manifest.plugins)) as {
    value: string
    settings: { type: string; required?: string[] }
  }[]
  assert.deepEqual(
    told.map(({ value, settings }) => [value, settings.type, settings.required ?? []]),
    [
      ['botFilter', 'object', []],
      ['currencyConversion', 'object', ['currency']],
      ['eventRename', 'object', ['names']],
      ['newReturningCustomer', 'object', []],
    ],
  )
})
