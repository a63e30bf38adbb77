import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { CaptureRule } from '#contract/edge.ts'
import { capture, cookiesIn } from './capture.ts'
import { openCaptures } from './captures.ts'
import { memory, openPage } from './page.fixture.ts'

const cookie = (key: string): CaptureRule => ({ type: 'storage', key, persist: 'edge', location: 'cookie' })
const from = (more: object = {}) => ({ search: '', cookies: '', local: memory(), session: memory(), ...more })

describe('a rule', () => {
  test('finds a parameter of the query, decoded; an empty one is none', () => {
    const rule: CaptureRule = { type: 'query', key: 'gclid', persist: 'edge' }
    assert.deepEqual(capture(rule, from({ search: '?a=1&gclid=x%20y' })), [['gclid', 'x y']])
    assert.deepEqual(capture(rule, from({ search: '?gclid=&gclid2=1' })), [])
  })

  test('finds a cookie by its name, and by a pattern all that fit', () => {
    const cookies = '_ga=GA1.1; _ga_ABC=GS1; _ga_=none; x_ga_=1; _fbp=fb%2E1'
    assert.deepEqual(capture(cookie('_fbp'), from({ cookies })), [['_fbp', 'fb.1']])
    assert.deepEqual(capture(cookie('_ga_*'), from({ cookies })), [['_ga_ABC', 'GS1']])
    assert.deepEqual(capture(cookie('_ga'), from({ cookies })), [['_ga', 'GA1.1']])
  })

  test('finds what stands in the storage of the site, under its plain name', () => {
    const rule = (location: 'local' | 'session'): CaptureRule => ({
      type: 'storage',
      key: 'k',
      persist: 'edge',
      location,
    })
    const sources = from({ local: memory([['k', 'l']]), session: memory([['k', 's']]) })
    assert.deepEqual([capture(rule('local'), sources), capture(rule('session'), sources)], [[['k', 'l']], [['k', 's']]])
  })

  test('never throws, whatever the cookies are', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (cookies, search) => {
        capture(cookie('_ga_*'), from({ cookies, search }))
      }),
    )
    assert.deepEqual(cookiesIn('a=%E0%A4%A; =b; c; d='), [
      ['a', '%E0%A4%A'],
      ['d', ''],
    ])
  })
})

const channel = { category: 'advertising', variables: {}, purchaseValueMode: 'gross' } as const

describe('what is kept', () => {
  const rules = (persist: CaptureRule['persist']) => [
    { ...channel, package: 'acme', rules: { capture: [{ type: 'query', key: 'id', persist } as const] } },
  ]
  const visit = (search: string, kept = { local: memory(), session: memory() }) =>
    openCaptures(openPage({ ...kept, search }).page, 'p:', search)

  for (const persist of ['local', 'session', 'edge'] as const)
    test(`${persist} goes along with the events of later pages`, () => {
      const kept = { local: memory(), session: memory() }
      visit('?id=1', kept)(rules(persist))
      assert.deepEqual(visit('', kept)(rules(persist)).found, { acme: { id: '1' } })
      const isOfSession = kept.session.get('p:captured')?.includes('"1"') === true
      assert.equal(isOfSession, persist === 'session')
    })

  test('by the edge is told to it when it is new or has changed', () => {
    const kept = { local: memory(), session: memory() }
    const news = ['?id=1', '?id=1', '', '?id=2'].map((search) => visit(search, kept)(rules('edge')).news)
    assert.deepEqual(news, [{ 'acme::id': '1' }, {}, {}, { 'acme::id': '2' }])
    assert.deepEqual(visit('?id=3', kept)(rules('local')).news, {})
  })

  test('of the query that the page is at goes before the one that it was entered with', () => {
    const { page } = openPage({ search: '?id=now' })
    assert.deepEqual(openCaptures(page, 'p:', '?id=entered&x=1')(rules('edge')).found, { acme: { id: 'now' } })
  })
})
