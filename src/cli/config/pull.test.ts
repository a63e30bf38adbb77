import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { configText, readConfig } from './file.ts'
import { planOf } from './plan.ts'
import { configOf } from './pull.ts'
import { scriptNamed, secretsOf, stateOf, tagNamed } from './state.fixture.ts'

const name = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).filter((text) => text.trim() !== '')
const text = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
const script = fc.record({
  name,
  geoRegions: fc.option(fc.constantFrom('EU', 'US,-US-CA'), { nil: undefined }),
  consentCategory: fc.option(fc.constantFrom('analytics', 'advertising'), { nil: undefined }),
  purchaseValueMode: fc.constantFrom('gross' as const, 'net' as const),
  url: text,
  secret: fc.boolean(),
})
const tag = fc.record({
  name,
  gpc: fc.boolean(),
  hosts: fc.uniqueArray(fc.constantFrom('a.example.com', 'b.example.com')),
  scripts: fc.uniqueArray(script, { maxLength: 3, selector: (each) => each.name }),
})
const state = fc.uniqueArray(tag, { maxLength: 3, selector: (each) => each.name }).map((tags) =>
  stateOf(
    ...tags.map(({ scripts, ...settings }) => ({
      ...tagNamed(settings.name, settings),
      scripts: scripts.map(({ url, secret, geoRegions, consentCategory, ...more }) =>
        scriptNamed(more.name, {
          ...more,
          ...(geoRegions !== undefined && { geoRegions }),
          ...(consentCategory !== undefined && { consentCategory }),
          secrets: secretsOf({ EVENT_SINK_URL: url, ...(secret && { EVENT_SINK_SECRET: true as const }) }),
        }),
      ),
    })),
  ),
)

test('what is pulled, written and read again differs in nothing from what is there', () => {
  fc.assert(
    fc.property(state, (there) => {
      const config = readConfig(configText(configOf(there)))
      assert.deepEqual(planOf(config, there, { env: {}, folder: '/' }), { changes: [], others: [], issues: [] })
    }),
  )
})

test('what is pulled needs no id: it makes the same in a team that has nothing', () => {
  fc.assert(
    fc.property(state, (there) => {
      const config = configOf(there)
      assert.doesNotMatch(configText(config), /tagId|scriptId|tagUrl|createdAt/)
      const { changes } = planOf(config, stateOf(), { env: {}, folder: '/' })
      assert.equal(changes.length, there.tags.length + there.tags.flatMap(({ scripts }) => scripts).length)
    }),
  )
})

const references = (...tags: Parameters<typeof stateOf>) =>
  configOf(stateOf(...tags)).tags.flatMap(({ scripts = [] }) =>
    scripts.map(({ secrets }) => secrets?.EVENT_SINK_SECRET),
  )
const secret = (of: string) => scriptNamed(of, { secrets: secretsOf({ EVENT_SINK_URL: 'u', EVENT_SINK_SECRET: true }) })

test('a secret that nobody is shown becomes a reference by the shortest name that is its own', () => {
  assert.deepEqual(references({ ...tagNamed('shop'), scripts: [secret('a')] }), [{ env: 'EVENT_SINK_SECRET' }])
  assert.deepEqual(references({ ...tagNamed('shop'), scripts: [secret('a'), secret('b')] }), [
    { env: 'A_EVENT_SINK_SECRET' },
    { env: 'B_EVENT_SINK_SECRET' },
  ])
  assert.deepEqual(
    references({ ...tagNamed('shop'), scripts: [secret('a')] }, { ...tagNamed('2 nd'), scripts: [secret('a')] }),
    [{ env: 'SHOP_A_EVENT_SINK_SECRET' }, { env: '_2_ND_A_EVENT_SINK_SECRET' }],
  )
})

test('no two secrets share a name, whatever they are called', () => {
  fc.assert(
    fc.property(state, (there) => {
      const names = references(...there.tags.map((each) => ({ ...each, scripts: [...each.scripts] })))
        .filter((each) => each !== undefined)
        .map((each) => JSON.stringify(each))
      assert.equal(new Set(names).size, names.length)
      for (const each of names) assert.match(each, /^\{"env":"[A-Z_][A-Z0-9_]*"\}$/)
    }),
  )
})
