import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config, ScriptConfig } from './file.ts'
import { type PlanOptions, planOf } from './plan.ts'
import { planJson, planText } from './show.ts'
import { scriptNamed, secretsOf, stateOf, tagNamed } from './state.fixture.ts'

const options: PlanOptions = { env: {}, folder: '/' }
const url = { EVENT_SINK_URL: 'https://a.example/in' }
const sink = (more: Partial<ScriptConfig> = {}): ScriptConfig => ({
  name: 'sink',
  providerId: 'eventSink',
  secrets: url,
  ...more,
})
const shop = (...scripts: ScriptConfig[]): Config => ({ tags: [{ name: 'shop', domain: 'shop.example.com', scripts }] })
const there = stateOf({ ...tagNamed('shop'), scripts: [scriptNamed('sink')] })
const shown = (plan: ReturnType<typeof planOf>) => planJson(plan).changes

test('a file that describes what is there changes nothing', () => {
  assert.deepEqual(planOf(shop(sink()), there, options), { changes: [], others: [], issues: [] })
})

test('a script that is saved as the file says and not live is to be deployed, unless it may stay a draft', () => {
  const drafted = stateOf({ ...tagNamed('shop'), scripts: [scriptNamed('sink', { isDraft: true })] })
  const [change, ...others] = shown(planOf(shop(sink()), drafted, options))
  assert.deepEqual(others, [])
  assert.equal(change?.does, 'updateScript')
  assert.deepEqual(change?.differences, [{ field: 'isDraft', from: true, to: false }])
  assert.deepEqual(planOf(shop(sink()), drafted, { ...options, draft: true }).changes, [])
})

test('a team without the tag gets the tag first, then its scripts', () => {
  const plan = planOf(shop(sink()), stateOf(), options)
  assert.deepEqual(
    plan.changes.map(({ does, tag }) => [does, tag]),
    [
      ['createTag', 'shop'],
      ['createScript', 'shop'],
    ],
  )
})

test('a change is one field with what it was and what it becomes', () => {
  const plan = planOf(shop(sink({ geoRegions: 'EU', purchaseValueMode: 'net' })), there, options)
  assert.deepEqual(shown(plan), [
    {
      does: 'updateScript',
      tag: 'shop',
      script: 'sink',
      differences: [
        { field: 'geoRegions', from: undefined, to: 'EU' },
        { field: 'purchaseValueMode', from: 'gross', to: 'net' },
      ],
    },
  ])
  assert.match(
    planText(plan),
    /~ script shop \/ sink\n {4}geoRegions: EU\n {4}purchaseValueMode: gross → net\n\n1 change\./,
  )
})

test('what a script leaves out is unset, what a tag leaves out is kept', () => {
  const state = stateOf({ ...tagNamed('shop', { gpc: true }), scripts: [scriptNamed('sink', { geoRegions: 'EU' })] })
  const [change, ...others] = shown(planOf(shop(sink()), state, options))
  assert.deepEqual(change?.differences, [{ field: 'geoRegions', from: 'EU', to: undefined }])
  assert.deepEqual(others, [])
})

test('null, spelling that is not kept and order that means nothing are no difference', () => {
  const state = stateOf({
    ...tagNamed('shop', { hosts: ['a.example.com', 'b.example.com'] }),
    scripts: [scriptNamed('sink', { geoRegions: 'EU' })],
  })
  const [tag] = shop(sink({ geoRegions: ' EU ', consentCategory: null, purchaseValueMode: 'gross' })).tags
  const config = {
    tags: [{ ...tag!, domain: 'Shop.Example.com', hosts: ['B.example.com', 'a.example.com'], gpc: null }],
  }
  assert.deepEqual(planOf(config, state, options).changes, [])
})

test('a sensitive variable is sealed where it is not set, and again only when it is told', () => {
  const config = shop(sink({ secrets: { ...url, EVENT_SINK_SECRET: { env: 'SINK' } } }))
  const set = stateOf({
    ...tagNamed('shop'),
    scripts: [scriptNamed('sink', { secrets: secretsOf({ ...url, EVENT_SINK_SECRET: true }) })],
  })
  const difference = { field: 'secrets.EVENT_SINK_SECRET', from: undefined, to: '(sealed)' }
  assert.deepEqual(shown(planOf(config, there, options))[0]?.differences, [difference])
  assert.deepEqual(planOf(config, set, options).changes, [])
  const again = planOf(config, set, { ...options, secrets: true })
  assert.deepEqual(shown(again)[0]?.differences, [{ ...difference, from: '(set)' }])
})

test('a variable that is shown is compared, wherever its value is', () => {
  const config = shop(sink({ secrets: { EVENT_SINK_URL: { env: 'SINK_URL' } } }))
  const at = (SINK_URL: string) => ({ ...options, env: { SINK_URL } })
  assert.deepEqual(planOf(config, there, at('https://a.example/in')).changes, [])
  assert.deepEqual(shown(planOf(config, there, at('https://b.example/in')))[0]?.differences, [
    { field: 'secrets.EVENT_SINK_URL', from: 'https://a.example/in', to: 'https://b.example/in' },
  ])
})

test('an empty value unsets an optional variable, once', () => {
  const config = shop(sink({ secrets: { ...url, EVENT_SINK_SECRET: '', EVENT_SINK_EVENTS: '' } }))
  const set = { ...url, EVENT_SINK_SECRET: true as const, EVENT_SINK_EVENTS: 'Purchase' }
  const state = stateOf({ ...tagNamed('shop'), scripts: [scriptNamed('sink', { secrets: secretsOf(set) })] })
  assert.equal(shown(planOf(config, state, options))[0]?.differences.length, 2)
  assert.deepEqual(planOf(config, there, options).changes, [])
})

test('a plan shows no sensitive value and no reference to one', () => {
  const secrets = { PIXEL: '42', TOKEN: { env: 'SECRET_TOKEN' } }
  const config = shop({ name: 'fb', providerId: 'facebook', secrets })
  const plan = planOf(config, stateOf(), { ...options, env: { SECRET_TOKEN: 'hunter2' } })
  const told = planText(plan) + JSON.stringify(planJson(plan))
  assert.doesNotMatch(told, /hunter2|SECRET_TOKEN/)
  assert.match(told, /secrets\.PIXEL: 42/)
})

test('what the file does not name stays and is told; scripts of its tags go when it is told', () => {
  const state = stateOf(
    { ...tagNamed('shop'), scripts: [scriptNamed('sink'), scriptNamed('old')] },
    { ...tagNamed('other'), scripts: [scriptNamed('sink')] },
  )
  const config = shop(sink())
  assert.deepEqual(planOf(config, state, options), {
    changes: [],
    others: [{ tag: 'shop', script: 'old' }, { tag: 'other' }],
    issues: [],
  })
  const pruned = planOf(config, state, { ...options, prune: true })
  assert.deepEqual(
    shown(pruned).map(({ does, tag, ...more }) => [does, tag, 'script' in more && more.script]),
    [['deleteScript', 'shop', 'old']],
  )
  assert.deepEqual(pruned.others, [{ tag: 'other' }])
})

const issuesOf = (script: ScriptConfig, more: Partial<PlanOptions> = {}) =>
  planOf(shop(script), there, { ...options, ...more }).issues.map(({ path, message }) => `${path} ${message}`)

test('what cannot be is found before anything is changed, and says where it stands', () => {
  const at = 'tags.0.scripts.0'
  const token = sink({ secrets: { ...url, EVENT_SINK_SECRET: 'hunter2' } })
  assert.deepEqual(issuesOf(token), [`${at}.secrets.EVENT_SINK_SECRET is sensitive: write {env: NAME} or {file: path}`])
  assert.match(issuesOf(sink({ secrets: { ...url, EVENT_SINK_SERCET: '' } }))[0]!, /did you mean EVENT_SINK_SECRET/)
  assert.match(issuesOf(sink({ secrets: { EVENT_SINK_URL: { env: 'NO' } } }))[0]!, /variable NO is not set/)
  assert.match(issuesOf(sink({ providerId: 'facebook' }))[0]!, /providerId is eventSink there/)
  assert.deepEqual(issuesOf(sink({ name: 'new', secrets: {} })), [`${at}.secrets.EVENT_SINK_URL is required`])
})
