import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import type { ProviderId } from '#contract/providerIds.ts'
import { cases } from '../../test/fake/cases.ts'
import {
  type Customer,
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
  type Plain,
  sealPlain,
} from '../../test/fake/testControl.ts'
import { readAllPages } from './pagination.ts'

const control = await openTestControl()
after(control.close)
const { store, snapshots } = control.environments.production
control.names.set('sink.example', '93.184.215.14')

/** All data of a team that a tag change may touch. */
async function stateOf({ teamId }: Customer) {
  const tags = await readAllPages((page) => store.tags(teamId, page))
  const ofTags = tags.map(async ({ tagId }) => ({
    scripts: await readAllPages((page) => store.scripts(tagId, page)),
    deployment: await store.deployment(tagId),
    live: snapshots.get(tagId),
  }))
  const audit = await store.audit(teamId, { limit: 200 })
  return { tags, ofTags: await Promise.all(ofTags), audit: audit.rows.length }
}

type ScriptCase = { script: Record<string, unknown>; plain?: Plain[] }
const address = (url: string): Plain => ['EVENT_SINK_URL', 'TEXT', url]
const sink = (more: Record<string, unknown> = {}, url = 'https://sink.example/in'): ScriptCase => ({
  script: { name: 'new', providerId: 'eventSink', ...more },
  plain: [address(url)],
})
const playground = (code: string): ScriptCase => ({
  script: { name: 'code', providerId: 'playground' },
  plain: [['PLAYGROUND_CODE', 'TEXT', code]],
})

/** Valid scripts, and scripts that each break a different rule. */
const scriptCases: Readonly<Record<string, (keptId: string) => ScriptCase>> = {
  new: () => sink(),
  anotherNew: () => sink({ name: 'another', geoRegions: 'EU,-DE', purchaseValueMode: 'net' }),
  updated: (scriptId) => ({
    script: { scriptId, name: 'kept', providerId: 'eventSink', consentCategory: 'analytics' },
  }),
  goodCode: () => playground('async tag() {}'),
  unresolved: () => sink({ name: 'unresolved' }, 'https://nowhere.example/in'),
  takenName: () => sink({ name: 'kept' }),
  unknownScript: () => ({ script: { scriptId: 'scr_nope', name: 'lost', providerId: 'eventSink' } }),
  otherProvider: (scriptId) => ({ script: { scriptId, name: 'kept', providerId: 'facebook' } }),
  wrongCategory: () => sink({ name: 'category', consentCategory: 'telepathy' }),
  wrongRegion: () => sink({ name: 'region', geoRegions: 'EU,Atlantis' }),
  privateAddress: () => sink({ name: 'private' }, 'https://10.0.0.1/in'),
  badCode: () => playground('async tag( {'),
  noAddress: () => ({ script: { name: 'empty', providerId: 'eventSink' } }),
  unknownVariable: () => ({ script: { name: 'variable', providerId: 'eventSink' }, plain: [['NOPE', 'TEXT', 'x']] }),
}
const tagCases: readonly (Record<string, unknown> | undefined)[] = [
  undefined,
  { gpc: true, captureBeforeConsent: 'none' },
  { sources: ['segment'], hosts: ['d.shop.example'] },
  { name: 'taken' },
  { domain: 'no domain' },
  { sdkVersion: '99.0.0' },
  { plugins: [{ plugin: 'nope' }] },
  { sources: ['carrier pigeon'] },
]
const weighted = <Value>(good: readonly Value[], bad: readonly Value[]) =>
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...good) }, { weight: 1, arbitrary: fc.constantFrom(...bad) })
const [goodScripts, badScripts] = [Object.keys(scriptCases).slice(0, 5), Object.keys(scriptCases).slice(5)]
const writes = fc.record({
  isNew: fc.boolean(),
  tag: weighted(tagCases.slice(0, 3), tagCases.slice(3)),
  scripts: fc.uniqueArray(weighted(goodScripts, badScripts), { maxLength: 4 }),
  removed: weighted<string[]>([[], ['kept']], [['nope']]),
  shouldDeploy: fc.boolean(),
})
type WriteCase = typeof writes extends fc.Arbitrary<infer Value> ? Value : never

/** A customer with the tags `shop` and `taken`, and the script `kept`. */
async function makeOwner() {
  const as = await makeCustomer(control)
  await callControl(control, 'createTag', as, { body: { name: 'taken', domain: 'taken.example' } })
  return { as, keptId: await makeScript(control, as, { name: 'kept' }) }
}

async function toBody({ as, keptId }: Awaited<ReturnType<typeof makeOwner>>, asked: WriteCase) {
  const scripts = asked.scripts.map(async (name) => {
    const { script, plain = [] } = scriptCases[name]!(keptId)
    const secrets = await sealPlain(control, as, script.providerId as ProviderId, ...plain)
    return { ...script, ...(secrets.length > 0 && { secrets }) }
  })
  const tag = asked.isNew ? { name: 'made', domain: 'made.example', ...asked.tag } : asked.tag
  return {
    ...(!asked.isNew && { tagId: as.tagId }),
    ...(tag && { tag }),
    scripts: await Promise.all(scripts),
    removedScriptIds: asked.removed.map((name) => (name === 'kept' ? keptId : 'scr_nope')),
    shouldDeploy: asked.shouldDeploy,
  }
}

test('what a check accepts is applied, and what it refuses is refused with the same error and changes nothing', async () => {
  const seen = new Set<number>()
  await fc.assert(
    fc.asyncProperty(writes, async (asked) => {
      const owner = await makeOwner()
      const body = await toBody(owner, asked)
      const before = await stateOf(owner.as)
      const checked = await callControl(control, 'checkTagConfig', owner.as, { body })
      assert.deepEqual(await stateOf(owner.as), before, 'a check changes nothing')
      const applied = await callControl(control, 'applyTagConfig', owner.as, { body })
      assert.equal(applied.status, checked.status, JSON.stringify([checked.body, applied.body]))
      seen.add(applied.status)
      if (checked.status !== 200) {
        assert.deepEqual(applied.body, checked.body)
        return assert.deepEqual(await stateOf(owner.as), before)
      }
      assert.deepEqual(applied.body.warnings, checked.body.warnings)
      const tagId = String(applied.body.tagId)
      const { rows } = await store.scripts(tagId, { limit: 200 })
      for (const { name } of body.scripts as { name?: string }[]) assert.ok(rows.some((row) => row.name === name))
      const live = snapshots.get(tagId)!
      assert.deepEqual(live, (await store.deployment(tagId))?.snapshot)
      for (const { scriptId } of applied.body.scripts as { scriptId: string }[])
        if (scriptId !== owner.keptId)
          assert.equal(
            live.scripts.some((script) => script.scriptId === scriptId),
            asked.shouldDeploy,
          )
      if (asked.removed.length > 0) assert.ok(!rows.some(({ scriptId }) => scriptId === owner.keptId))
    }),
    { numRuns: cases(150, 25) },
  )
  assert.ok(seen.has(200) && seen.size > 1, `accepted and refused ones were tried: ${[...seen]}`)
})

test('a tag and its scripts are one deployment, and each change has its row in the audit', async () => {
  const { as, keptId } = await makeOwner()
  const asked = {
    isNew: false,
    tag: { gpc: true },
    scripts: ['new', 'goodCode'],
    removed: ['kept'],
    shouldDeploy: true,
  }
  const body = await toBody({ as, keptId }, asked)
  const number = snapshots.get(as.tagId)!.number
  assert.equal((await callControl(control, 'applyTagConfig', as, { body })).status, 200)
  const live = snapshots.get(as.tagId)!
  assert.deepEqual([live.number, live.gpc, live.scripts.map(({ name }) => name)], [number + 1, true, ['new', 'code']])
  const { rows } = await store.audit(as.teamId, { limit: 4 })
  assert.deepEqual(rows.map(({ what }) => what).sort(), ['createScript', 'createScript', 'deleteScript', 'updateTag'])
})

test('a new tag with scripts is deployment 1, and deploy hooks see it before it is there', async () => {
  const { as, keptId } = await makeOwner()
  await callControl(control, 'createHook', as, { body: { url: 'https://ci.example.com/' } })
  control.hooks.asked.length = 0
  const body = await toBody({ as, keptId }, { isNew: true, tag: {}, scripts: ['new'], removed: [], shouldDeploy: true })
  const { body: made } = await callControl(control, 'applyTagConfig', as, { body })
  const { number, scripts } = snapshots.get(String(made.tagId))!
  assert.deepEqual([number, scripts.map(({ name }) => name)], [1, ['new']])
  const [asked] = control.hooks.asked
  assert.equal(control.hooks.asked.length, 1)
  assert.match(String(asked?.body), new RegExp(`"tagId":"${made.tagId}".*"name":"new"`))
})

test('a limit counts every new tag and script of the caller', async () => {
  const { as } = await makeOwner()
  const tag = { name: 'one more', domain: 'more.example' }
  const check = (newTags: number) => callControl(control, 'checkTagConfig', as, { body: { tag, newTags } })
  const { limits } = control.environments.production
  const room = limits.tagsPerTeam - 2
  assert.equal((await check(room - 1)).status, 200)
  assert.equal((await check(room)).body.error, 'TOO_MANY_TAGS')
  assert.equal((await check(room + 5)).body.error, 'TOO_MANY_TAGS')
})

test('a removal frees the name of a script for a new one', async () => {
  const { as, keptId } = await makeOwner()
  const asked = { isNew: false, tag: undefined, scripts: ['takenName'], removed: ['kept'], shouldDeploy: true }
  const body = await toBody({ as, keptId }, asked)
  const { status, body: told } = await callControl(control, 'applyTagConfig', as, { body })
  assert.equal(status, 200, JSON.stringify(told))
  assert.deepEqual(
    snapshots.get(as.tagId)!.scripts.map(({ name, scriptId }) => [name, scriptId !== keptId]),
    [['kept', true]],
  )
})
