import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { BrowserCaptureRule } from '#contract/edgeResponses.ts'
import { applyCaptureRule, parseCookies } from './applyCaptureRule.ts'
import { memoryStorage, openPage } from './browserPage.fixture.ts'
import { openCaptureStore } from './captureStore.ts'

const cookie = (key: string): BrowserCaptureRule => ({ type: 'storage', key, persist: 'edge', location: 'cookie' })
const from = (more: object = {}) => ({
  search: '',
  cookies: '',
  local: memoryStorage(),
  session: memoryStorage(),
  ...more,
})

describe('a rule', () => {
  test('finds a query parameter, decoded, and ignores an empty one', () => {
    const rule: BrowserCaptureRule = { type: 'query', key: 'gclid', persist: 'edge' }
    assert.deepEqual(applyCaptureRule(rule, from({ search: '?a=1&gclid=x%20y' })), [['gclid', 'x y']])
    assert.deepEqual(applyCaptureRule(rule, from({ search: '?gclid=&gclid2=1' })), [])
  })

  test('finds a cookie by its name, and every cookie that matches a pattern', () => {
    const cookies = '_ga=GA1.1; _ga_ABC=GS1; _ga_=none; x_ga_=1; _fbp=fb%2E1'
    assert.deepEqual(applyCaptureRule(cookie('_fbp'), from({ cookies })), [['_fbp', 'fb.1']])
    assert.deepEqual(applyCaptureRule(cookie('_ga_*'), from({ cookies })), [['_ga_ABC', 'GS1']])
    assert.deepEqual(applyCaptureRule(cookie('_ga'), from({ cookies })), [['_ga', 'GA1.1']])
  })

  test('finds a value in the storage of the site by its name', () => {
    const rule = (location: 'local' | 'session'): BrowserCaptureRule => ({
      type: 'storage',
      key: 'k',
      persist: 'edge',
      location,
    })
    const sources = from({ local: memoryStorage([['k', 'l']]), session: memoryStorage([['k', 's']]) })
    assert.deepEqual(
      [applyCaptureRule(rule('local'), sources), applyCaptureRule(rule('session'), sources)],
      [[['k', 'l']], [['k', 's']]],
    )
  })

  test('does not throw for any cookies', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (cookies, search) => {
        applyCaptureRule(cookie('_ga_*'), from({ cookies, search }))
      }),
    )
    assert.deepEqual(parseCookies('a=%E0%A4%A; =b; c; d='), [
      ['a', '%E0%A4%A'],
      ['d', ''],
    ])
  })
})

const channel = { category: 'advertising', variables: {}, purchaseValueMode: 'gross' } as const

describe('a captured value', () => {
  const rules = (persist: BrowserCaptureRule['persist']) => [
    { ...channel, package: 'acme', rules: { capture: [{ type: 'query', key: 'id', persist } as const] } },
  ]
  const visit = (search: string, storages = { local: memoryStorage(), session: memoryStorage() }) =>
    openCaptureStore(openPage({ ...storages, search }).page, 'p:', search)

  for (const persist of ['local', 'session', 'edge'] as const)
    test(`with persist ${persist} is added to the events of later pages`, () => {
      const storages = { local: memoryStorage(), session: memoryStorage() }
      visit('?id=1', storages)(rules(persist))
      assert.deepEqual(visit('', storages)(rules(persist)).found, { acme: { id: '1' } })
      const isOfSession = storages.session.get('p:captured')?.includes('"1"') === true
      assert.equal(isOfSession, persist === 'session')
    })

  test('with persist edge is sent to the edge when it is new or has changed', () => {
    const storages = { local: memoryStorage(), session: memoryStorage() }
    const unsent = ['?id=1', '?id=1', '', '?id=2'].map((search) => visit(search, storages)(rules('edge')).unsent)
    assert.deepEqual(unsent, [{ 'acme::id': '1' }, {}, {}, { 'acme::id': '2' }])
    assert.deepEqual(visit('?id=3', storages)(rules('local')).unsent, {})
  })

  test('of the current query overrides that of the landing URL', () => {
    const { page } = openPage({ search: '?id=now' })
    assert.deepEqual(openCaptureStore(page, 'p:', '?id=entered&x=1')(rules('edge')).found, { acme: { id: 'now' } })
  })
})
