import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isName } from '#contract/displayText.ts'
import type { ChannelRules } from '#contract/rule/channelRules.ts'
import { formatConfig, parseConfig } from './configFile.ts'
import { planConfig } from './configPlan.ts'
import { exportConfig } from './exportConfig.ts'
import { scriptNamed, secretsOf, stateOf, tagNamed } from './teamState.fixture.ts'

const name = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).filter(isName)
const text = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
const script = fc.record({
  name,
  geoRegions: fc.option(fc.constantFrom('EU', 'US,-US-CA'), { nil: undefined }),
  consentCategory: fc.option(fc.constantFrom('analytics', 'advertising'), { nil: undefined }),
  purchaseValueMode: fc.constantFrom('gross' as const, 'net' as const),
  rules: fc.constantFrom<ChannelRules>(
    {},
    { filter: { data: { value: { $gte: 1 } } }, rename: { a: null } },
    { sample: 0.5 },
  ),
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
      scripts: scripts.map(({ url, secret, geoRegions, consentCategory, rules, ...more }) =>
        scriptNamed(more.name, {
          ...more,
          ...rules,
          ...(geoRegions !== undefined && { geoRegions }),
          ...(consentCategory !== undefined && { consentCategory }),
          secrets: secretsOf({ EVENT_SINK_URL: url, ...(secret && { EVENT_SINK_SECRET: true as const }) }),
        }),
      ),
    })),
  ),
)

test('an exported configuration that is formatted and parsed has no difference from the team', () => {
  fc.assert(
    fc.property(state, (teamState) => {
      const config = parseConfig(formatConfig(exportConfig(teamState)))
      assert.deepEqual(planConfig(config, teamState, { env: {}, folder: '/' }), { changes: [], others: [], issues: [] })
    }),
  )
})

test('an exported configuration has no ids and creates the same tags and scripts in an empty team', () => {
  fc.assert(
    fc.property(state, (teamState) => {
      const config = exportConfig(teamState)
      assert.doesNotMatch(formatConfig(config), /tagId|scriptId|tagUrl|createdAt/)
      const { changes } = planConfig(config, stateOf(), { env: {}, folder: '/' })
      assert.equal(changes.length, teamState.tags.length + teamState.tags.flatMap(({ scripts }) => scripts).length)
    }),
  )
})

const references = (...tags: Parameters<typeof stateOf>) =>
  exportConfig(stateOf(...tags)).tags.flatMap(({ scripts = [] }) =>
    scripts.map(({ secrets }) => secrets?.EVENT_SINK_SECRET),
  )
const secret = (scriptName: string) =>
  scriptNamed(scriptName, { secrets: secretsOf({ EVENT_SINK_URL: 'u', EVENT_SINK_SECRET: true }) })

test('a hidden secret becomes a reference by its shortest unique name', () => {
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

test('no two secrets have the same environment variable', () => {
  fc.assert(
    fc.property(state, (teamState) => {
      const names = references(...teamState.tags.map((each) => ({ ...each, scripts: [...each.scripts] })))
        .filter((each) => each !== undefined)
        .map((each) => JSON.stringify(each))
      assert.equal(new Set(names).size, names.length)
      for (const each of names) assert.match(each, /^\{"env":"[A-Z_][A-Z0-9_]*"\}$/)
    }),
  )
})
