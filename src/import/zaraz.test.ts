import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codesOf, deps, elementNamed, options, scriptNamed, written } from './import.fixture.ts'
import { ImportError } from './importResult.ts'
import { importZaraz } from './zaraz.ts'

const rule = (match: string, op: string, value: string) => ({ id: 'r', match, op, value })
const event = (value: string) => rule('{{ client.__zarazTrack }}', 'EQUALS', value)

const configuration = {
  dataLayer: true,
  zarazVersion: 43,
  settings: { ecommerce: true },
  triggers: {
    page: { name: 'Pageview', system: 'pageload', loadRules: [], excludeRules: [] },
    order: {
      name: 'Order',
      loadRules: [event('Order Completed'), rule('{{ client.total }}', 'GREATER_THAN', '10')],
      excludeRules: [rule('{{ system.page.url.href }}', 'CONTAINS', '/test')],
    },
    click: {
      name: 'Click',
      loadRules: [{ id: 'c', action: 'clickListener', settings: { selector: '.a' } }],
      excludeRules: [],
    },
    lead: { name: 'Lead', loadRules: [event('lead_sent')], excludeRules: [] },
  },
  variables: {
    v1: { name: 'Meta token', type: 'secret', value: 'EAAB-zaraz-secret' },
    w1: { name: 'Computed', type: 'worker', value: {} },
  },
  consent: { enabled: true, purposes: { p1: { name: 'Marketing', description: '', order: 0 } } },
  tools: {
    meta: {
      type: 'component',
      component: 'facebook-pixel',
      name: 'Meta shop',
      enabled: true,
      defaultPurpose: 'p1',
      settings: { property: '1234567890', accessToken: '{{ variables.v1 }}' },
      actions: {
        a1: { actionType: 'pageview', data: {}, firingTriggers: ['page'], blockingTriggers: [] },
        a2: { actionType: 'event', data: { ev: 'Purchase' }, firingTriggers: ['order'], blockingTriggers: [] },
        a3: { actionType: 'event', data: { ev: 'Lead' }, firingTriggers: ['lead'], blockingTriggers: [] },
      },
    },
    ga: {
      type: 'component',
      component: 'google-analytics_v4',
      name: 'GA',
      enabled: true,
      settings: { tid: 'G-ABC123', ecommerce: true },
      neoEvents: [{ actionType: 'pageview', data: {}, firingTriggers: ['page'], blockingTriggers: [] }],
    },
    clicks: {
      type: 'component',
      component: 'mixpanel',
      name: 'Clicks',
      enabled: true,
      settings: { token: 'mp' },
      actions: { a: { actionType: 'event', data: {}, firingTriggers: ['click'], blockingTriggers: [] } },
    },
    code: { type: 'component', component: 'html', name: 'Code', enabled: true, settings: {} },
    own: { type: 'custom-mc', component: 'mine', name: 'Own', enabled: true, settings: {} },
  },
}
const read = (value: unknown) => importZaraz(JSON.stringify(value), options, deps)

test('a tool is a channel with its ids, the events of its triggers, names and consent', () => {
  const result = read(configuration)
  const { filter, rename, consentCategory, secrets } = scriptNamed(result, 'Meta shop')
  const ordered = { $not: { pageUrl: { $contains: '/test' } }, data: { total: { $gt: 10 } }, eventName: 'Purchase' }
  assert.deepEqual(filter, { $or: [{ eventName: { $in: ['PageView', 'Lead'] } }, ordered] })
  assert.deepEqual(rename, { lead_sent: 'Lead', Lead: null })
  assert.equal(consentCategory, 'advertising')
  assert.deepEqual(secrets, {
    FACEBOOK_PIXEL_ID: '1234567890',
    FACEBOOK_ACCESS_TOKEN: { file: 'secrets.json', key: 'Meta shop.FACEBOOK_ACCESS_TOKEN' },
  })
  assert.equal(result.secrets['Meta shop.FACEBOOK_ACCESS_TOKEN'], 'EAAB-zaraz-secret')
  assert.ok(JSON.stringify(scriptNamed(result, 'GA').filter).includes('AddToCart'))
  assert.doesNotMatch(Object.values(written(result)).map(String).join(''), /EAAB-zaraz/)
})

test('what happens in the page and what is unknown is told', () => {
  const result = read(configuration)
  assert.deepEqual(
    result.inactive.map(({ name }) => name),
    ['Clicks'],
  )
  assert.ok(codesOf(result, 'Clicks').includes('CONDITION_NOT_EXPRESSIBLE'))
  assert.deepEqual(codesOf(result, 'Code'), ['PAGE_ONLY'])
  assert.deepEqual(codesOf(result, 'Own'), ['UNKNOWN_TEMPLATE'])
  assert.deepEqual(codesOf(result, 'Computed'), ['CUSTOM_CODE'])
  assert.equal(elementNamed(result, 'Order').status, 'mapped')
})

test('the answer of the API is read, and a file of another kind is refused', () => {
  assert.equal(read({ success: true, result: configuration }).report.channels.length, 3)
  assert.throws(
    () => read({ containerVersion: {} }),
    (problem: Error) => problem instanceof ImportError && /Use aglet import gtm/.test(problem.message),
  )
})

test('an import of any JSON ends in a configuration that the reader of plan takes', () => {
  const json = fc.jsonValue({ maxDepth: 3 })
  const id = fc.constantFrom('a', '__proto__', 'constructor')
  const rules = fc.array(
    fc.oneof(
      json,
      fc.record({
        match: fc.constantFrom('{{ client.__zarazTrack }}', '{{ client.a }}', '{{ x }}'),
        op: fc.constantFrom('EQUALS', 'MATCH_REGEX', 'LESS_THAN', 'no'),
        value: json,
      }),
    ),
  )
  const tool = fc.record({
    component: fc.constantFrom('facebook-pixel', 'html', 'x'),
    name: json,
    settings: json,
    defaultPurpose: id,
    enabled: json,
    actions: fc.dictionary(
      id,
      fc.record({ actionType: json, data: json, firingTriggers: fc.array(id), blockingTriggers: fc.array(id) }),
    ),
  })
  fc.assert(
    fc.property(
      fc.dictionary(id, tool),
      fc.dictionary(id, fc.record({ name: json, loadRules: rules, excludeRules: rules })),
      json,
      (tools, triggers, variables) => {
        written(read({ tools, triggers, variables, consent: variables }))
      },
    ),
  )
})
