import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config, ScriptConfig } from './configFile.ts'
import { type PlanOptions, planConfig } from './configPlan.ts'
import { formatPlan, toPlanJson } from './registerConfig.ts'
import { scriptNamed, secretsOf, stateOf, tagNamed } from './teamState.fixture.ts'

const options: PlanOptions = { env: {}, folder: '/' }
const url = { EVENT_SINK_URL: 'https://a.example/in' }
const sink = (more: Partial<ScriptConfig> = {}): ScriptConfig => ({
  name: 'sink',
  providerId: 'eventSink',
  secrets: url,
  ...more,
})
const shop = (...scripts: ScriptConfig[]): Config => ({ tags: [{ name: 'shop', domain: 'shop.example.com', scripts }] })
const currentState = stateOf({ ...tagNamed('shop'), scripts: [scriptNamed('sink')] })
const shown = (plan: ReturnType<typeof planConfig>) => toPlanJson(plan).changes

test('a file that equals the state of the team changes nothing', () => {
  assert.deepEqual(planConfig(shop(sink()), currentState, options), { changes: [], others: [], issues: [] })
})

test('a script that is saved and not live is deployed, unless drafts are allowed', () => {
  const drafted = stateOf({ ...tagNamed('shop'), scripts: [scriptNamed('sink', { isDraft: true })] })
  const [change, ...others] = shown(planConfig(shop(sink()), drafted, options))
  assert.deepEqual(others, [])
  assert.equal(change?.does, 'updateScript')
  assert.deepEqual(change?.differences, [{ field: 'isDraft', from: true, to: false }])
  assert.deepEqual(planConfig(shop(sink()), drafted, { ...options, draft: true }).changes, [])
})

test('a missing tag is created before its scripts', () => {
  const plan = planConfig(shop(sink()), stateOf(), options)
  assert.deepEqual(
    plan.changes.map(({ does, tag }) => [does, tag]),
    [
      ['createTag', 'shop'],
      ['createScript', 'shop'],
    ],
  )
})

test('a change lists each field with its value before and after', () => {
  const plan = planConfig(shop(sink({ geoRegions: 'EU', purchaseValueMode: 'net' })), currentState, options)
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
    formatPlan(plan),
    /~ script shop \/ sink\n {4}geoRegions: EU\n {4}purchaseValueMode: gross → net\n\n1 change\./,
  )
})

test('a field that a script omits is unset, and a field that a tag omits is unchanged', () => {
  const state = stateOf({ ...tagNamed('shop', { gpc: true }), scripts: [scriptNamed('sink', { geoRegions: 'EU' })] })
  const [change, ...others] = shown(planConfig(shop(sink()), state, options))
  assert.deepEqual(change?.differences, [{ field: 'geoRegions', from: 'EU', to: undefined }])
  assert.deepEqual(others, [])
})

test('null, letter case, surrounding spaces and the order of a set are no difference', () => {
  const state = stateOf({
    ...tagNamed('shop', { hosts: ['a.example.com', 'b.example.com'] }),
    scripts: [scriptNamed('sink', { geoRegions: 'EU' })],
  })
  const [tag] = shop(sink({ geoRegions: ' EU ', consentCategory: null, purchaseValueMode: 'gross' })).tags
  const config = {
    tags: [
      {
        ...tag!,
        domain: 'Shop.Example.com',
        hosts: ['B.example.com', 'a.example.com'],
        gpc: null,
        defaultCountry: 'none',
      },
    ],
  }
  assert.deepEqual(planConfig(config, state, options).changes, [])
})

test('a sensitive variable is sealed when it is not set, and sealed again only with --secrets', () => {
  const config = shop(sink({ secrets: { ...url, EVENT_SINK_SECRET: { env: 'SINK' } } }))
  const set = stateOf({
    ...tagNamed('shop'),
    scripts: [scriptNamed('sink', { secrets: secretsOf({ ...url, EVENT_SINK_SECRET: true }) })],
  })
  const difference = { field: 'secrets.EVENT_SINK_SECRET', from: undefined, to: '(sealed)' }
  assert.deepEqual(shown(planConfig(config, currentState, options))[0]?.differences, [difference])
  assert.deepEqual(planConfig(config, set, options).changes, [])
  const again = planConfig(config, set, { ...options, secrets: true })
  assert.deepEqual(shown(again)[0]?.differences, [{ ...difference, from: '(set)' }])
})

test('the value of a visible variable is compared, given in the file or by reference', () => {
  const config = shop(sink({ secrets: { EVENT_SINK_URL: { env: 'SINK_URL' } } }))
  const at = (SINK_URL: string) => ({ ...options, env: { SINK_URL } })
  assert.deepEqual(planConfig(config, currentState, at('https://a.example/in')).changes, [])
  assert.deepEqual(shown(planConfig(config, currentState, at('https://b.example/in')))[0]?.differences, [
    { field: 'secrets.EVENT_SINK_URL', from: 'https://a.example/in', to: 'https://b.example/in' },
  ])
})

test('an empty value unsets an optional variable that is set', () => {
  const config = shop(sink({ secrets: { ...url, EVENT_SINK_SECRET: '', EVENT_SINK_EVENTS: '' } }))
  const set = { ...url, EVENT_SINK_SECRET: true as const, EVENT_SINK_EVENTS: 'Purchase' }
  const state = stateOf({ ...tagNamed('shop'), scripts: [scriptNamed('sink', { secrets: secretsOf(set) })] })
  assert.equal(shown(planConfig(config, state, options))[0]?.differences.length, 2)
  assert.deepEqual(planConfig(config, currentState, options).changes, [])
})

test('a plan contains no sensitive value and no reference to one', () => {
  const secrets = { PIXEL: '42', TOKEN: { env: 'SECRET_TOKEN' } }
  const config = shop({ name: 'fb', providerId: 'facebook', secrets })
  const plan = planConfig(config, stateOf(), { ...options, env: { SECRET_TOKEN: 'hunter2' } })
  const output = formatPlan(plan) + JSON.stringify(toPlanJson(plan))
  assert.doesNotMatch(output, /hunter2|SECRET_TOKEN/)
  assert.match(output, /secrets\.PIXEL: 42/)
})

test('tags and scripts that the file does not name are listed and stay; --prune deletes scripts of its tags', () => {
  const state = stateOf(
    { ...tagNamed('shop'), scripts: [scriptNamed('sink'), scriptNamed('old')] },
    { ...tagNamed('other'), scripts: [scriptNamed('sink')] },
  )
  const config = shop(sink())
  assert.deepEqual(planConfig(config, state, options), {
    changes: [],
    others: [{ tag: 'shop', script: 'old' }, { tag: 'other' }],
    issues: [],
  })
  const pruned = planConfig(config, state, { ...options, prune: true })
  assert.deepEqual(
    shown(pruned).map(({ does, tag, ...more }) => [does, tag, 'script' in more && more.script]),
    [['deleteScript', 'shop', 'old']],
  )
  assert.deepEqual(pruned.others, [{ tag: 'other' }])
})

const issuesOf = (script: ScriptConfig, more: Partial<PlanOptions> = {}) =>
  planConfig(shop(script), currentState, { ...options, ...more }).issues.map(
    ({ path, message }) => `${path} ${message}`,
  )

test('a plan with issues gives each issue with its path', () => {
  const at = 'tags.0.scripts.0'
  const token = sink({ secrets: { ...url, EVENT_SINK_SECRET: 'hunter2' } })
  assert.deepEqual(issuesOf(token), [`${at}.secrets.EVENT_SINK_SECRET is a secret: write {env: NAME} or {file: path}`])
  assert.match(issuesOf(sink({ secrets: { ...url, EVENT_SINK_SERCET: '' } }))[0]!, /did you mean EVENT_SINK_SECRET/)
  assert.match(issuesOf(sink({ secrets: { EVENT_SINK_URL: { env: 'NO' } } }))[0]!, /variable NO is not set/)
  assert.match(issuesOf(sink({ providerId: 'facebook' }))[0]!, /providerId is eventSink on the server/)
  assert.deepEqual(issuesOf(sink({ name: 'new', secrets: {} })), [`${at}.secrets.EVENT_SINK_URL is required`])
})

test('a rule that the file omits stays, null removes it, and another one is a difference', () => {
  const filter = { eventName: 'Purchase' }
  const state = stateOf({
    ...tagNamed('shop'),
    scripts: [scriptNamed('sink', { filter, sample: 0.5, secrets: secretsOf(url) })],
  })
  const planned = (more: Partial<ScriptConfig>) => planConfig(shop(sink(more)), state, options).changes
  assert.deepEqual(planned({}), [])
  assert.deepEqual(planned({ filter: { ...filter }, rename: null }), [])
  const [change] = planned({ filter: null, sample: 0.1 })
  assert.deepEqual(change?.differences, [
    { field: 'filter', from: filter, to: undefined },
    { field: 'sample', from: 0.5, to: 0.1 },
  ])
  assert.deepEqual('body' in change! && 'filter' in change.body && change.body.filter, null)
})
