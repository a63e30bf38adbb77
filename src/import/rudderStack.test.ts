import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rudderStackDestinations, segmentDestinations, zarazComponents } from './destinations.ts'
import { codesOf, deps, elementNamed, options, scriptNamed, written } from './import.fixture.ts'
import { ImportError } from './importResult.ts'
import { importRudderStack } from './rudderStack.ts'

const destination = (name: string, definition: string, config: object, more: object = {}) => ({
  id: `id-${name}`,
  name,
  enabled: true,
  isProcessorEnabled: true,
  config,
  destinationDefinition: { name: definition },
  ...more,
})
const workspace = (...destinations: object[]) =>
  JSON.stringify({ sources: [{ id: 's1', name: 'web', writeKey: 'wk', enabled: true, destinations }] })
const read = (file: string) => importRudderStack(file, options, deps)

test('a destination is a channel with its ids, event filter, names and consent', () => {
  const result = read(
    workspace(
      destination('Meta EU', 'FACEBOOK_CONVERSIONS', {
        datasetId: '1234567890',
        accessToken: 'EAAB-rudder-token',
        eventFilteringOption: 'whitelistedEvents',
        whitelistedEvents: [{ eventName: 'Order Completed' }, { eventName: 'Signed Up' }, { eventName: '' }],
        consentManagement: [{ provider: 'oneTrust', consents: [{ consent: 'C0004' }] }],
      }),
      destination('GA', 'GA4', {
        measurementId: 'G-ABC123',
        apiSecret: 'ga-api-secret',
        eventFilteringOption: 'blacklistedEvents',
        blacklistedEvents: [{ eventName: 'Order Completed' }],
        eventMappingFromConfig: [{ from: 'Signed Up', to: 'sign_up' }],
      }),
    ),
  )
  assert.deepEqual(scriptNamed(result, 'Meta EU'), {
    name: 'Meta EU',
    providerId: 'facebook',
    consentCategory: 'advertising',
    filter: { eventName: { $in: ['Purchase', 'Signed Up', 'PageView', 'ScreenView', 'Group'] } },
    secrets: {
      FACEBOOK_PIXEL_ID: '1234567890',
      FACEBOOK_ACCESS_TOKEN: { file: 'secrets.json', key: 'Meta EU.FACEBOOK_ACCESS_TOKEN' },
    },
  })
  assert.deepEqual(scriptNamed(result, 'GA').filter, { $not: { eventName: 'Purchase' } })
  assert.deepEqual(scriptNamed(result, 'GA').rename, { 'Signed Up': 'sign_up' })
  assert.doesNotMatch(Object.values(written(result)).map(String).join(''), /EAAB-rudder|ga-api-secret/)
})

test('what is off, has code, or has no channel is told', () => {
  const result = read(
    workspace(
      destination('off', 'GA4', {}, { enabled: false }),
      destination('code', 'GA4', {}, { transformations: [{ versionId: 'v' }] }),
      destination('warehouse', 'SNOWFLAKE', {}),
      destination('new', 'NEVER_HEARD', {}),
    ),
  )
  assert.deepEqual(
    [result.configuration.tags[0].scripts, result.inactive.map(({ name }) => name)],
    [[], ['off', 'code']],
  )
  assert.ok(codesOf(result, 'code').includes('CUSTOM_CODE'))
  for (const name of ['warehouse', 'new']) assert.equal(elementNamed(result, name).status, 'notMapped')
})

test('a destination that several sources feed is one channel', () => {
  const one = destination('GA', 'GA4', { measurementId: 'G-ABC123' })
  const source = (id: string) => ({ id, name: id, writeKey: id, destinations: [one] })
  const result = read(JSON.stringify({ sources: [source('a'), source('b')] }))
  assert.equal(result.configuration.tags[0].scripts.length, 1)
  assert.equal(result.report.elements.filter(({ kind }) => kind === 'destination').length, 1)
  assert.match(result.report.steps.join(), /several sources/)
})

test('a file of another kind is refused', () => {
  for (const file of ['{}', '{"sources": []}', '{"containerVersion": {}}'])
    assert.throws(
      () => read(file),
      (problem: Error) => problem instanceof ImportError && /not a RudderStack workspace/.test(problem.message),
    )
})

test('every variable of the tables of destinations is one of its provider', () => {
  for (const [name, { providerId, fields }] of [rudderStackDestinations, zarazComponents, segmentDestinations].flatMap(
    (table) => Object.entries(table),
  )) {
    const known = deps.catalogue.get(providerId)?.secrets?.map(({ variable }) => variable) ?? []
    for (const variable of Object.values(fields))
      assert.ok(known.includes(variable), `${name}: ${providerId} has no ${variable}`)
  }
})

test('an import of any JSON ends in a configuration that the reader of plan takes', () => {
  const json = fc.jsonValue({ maxDepth: 3 })
  const config = fc.dictionary(
    fc.constantFrom(
      'eventFilteringOption',
      'whitelistedEvents',
      'pixelId',
      'accessToken',
      'consentManagement',
      'eventsToStandard',
    ),
    json,
  )
  const each = fc.record({
    id: json,
    name: json,
    config,
    enabled: json,
    destinationDefinition: fc.record({ name: fc.constantFrom('GA4', 'TIKTOK_ADS', 'x') }),
    transformations: json,
  })
  fc.assert(
    fc.property(fc.array(each), json, (destinations, libraries) => {
      written(read(JSON.stringify({ sources: [{ destinations }], libraries })))
    }),
  )
})
