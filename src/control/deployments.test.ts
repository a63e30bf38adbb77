import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Deployment, DeploymentDetail, type Draft } from '#contract/deployment.ts'
import { compileValidator } from '#contract/validator.ts'
import {
  type Customer,
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
  sealPlain,
} from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const { snapshots, store } = control.environments.production

const tagValues = ({ tagId }: Customer, more: Record<string, string | number> = {}) => ({ values: { tagId, ...more } })
const deploy = async (as: Customer) =>
  (await callControl(control, 'deployTag', as, tagValues(as))).body as unknown as Deployment
const activate = (as: Customer, number: number | string) =>
  callControl(control, 'activateDeployment', as, tagValues(as, { number }))
const list = async (as: Customer, more = {}) =>
  (await callControl(control, 'listDeployments', as, tagValues(as, more))).body as {
    deployments: Deployment[]
    next?: string
  }
const put = (as: Customer, scriptId: string, more: Record<string, unknown>) => {
  const body = { name: 'sink', providerId: 'eventSink', tagId: as.tagId, ...more }
  return callControl(control, 'updateScript', as, { values: { scriptId }, body })
}
const liveNames = ({ tagId }: Customer) => snapshots.get(tagId)!.scripts.map(({ name }) => name)

test('deploy publishes all drafts in one deployment, and returns the changes', async () => {
  const as = await makeCustomer(control)
  const first = await makeScript(control, as)
  const second = await makeScript(control, as, { name: 'two', shouldDeploy: false })
  await put(as, first, { geoRegions: 'EU', shouldDeploy: false })
  assert.deepEqual(liveNames(as), ['sink'])
  const deployed = await deploy(as)
  assert.deepEqual(deployed, {
    number: 3,
    at: control.clock.now(),
    by: as.tokenId,
    isLive: true,
    changes: {
      settings: [],
      scripts: [
        { scriptId: first, name: 'sink', change: 'changed', fields: ['geoRegions'] },
        { scriptId: second, name: 'two', change: 'added', fields: [] },
      ],
    },
  })
  assert.deepEqual([snapshots.get(as.tagId)?.number, liveNames(as)], [3, ['sink', 'two']])
  assert.deepEqual((await list(as)).deployments[0], deployed)
})

test('deployments are listed newest first, in pages, each with its changes since the one before', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  await put(as, scriptId, { name: 'renamed' })
  await callControl(control, 'deleteScript', as, { values: { scriptId } })
  const seen: Deployment[] = []
  let cursor: string | undefined
  do {
    const { deployments, next } = await list(as, { limit: 1, ...(cursor && { cursor }) })
    seen.push(...deployments)
    cursor = next
  } while (cursor)
  assert.deepEqual(
    seen.map(({ number, isLive, changes }) => [number, isLive, changes.scripts.map(({ change }) => change)]),
    [
      [4, true, ['removed']],
      [3, false, ['changed']],
      [2, false, ['added']],
      [1, false, []],
    ],
  )
  assert.ok(seen.at(-1)!.changes.settings.includes('domain'))
  assert.deepEqual((await list(as)).deployments, seen)
})

test('activating an older deployment makes a new deployment with its content and leaves the saved scripts unchanged', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  const old = snapshots.get(as.tagId)!
  const entries = await sealPlain(control, as, 'eventSink', ['EVENT_SINK_URL', 'TEXT', 'https://new.example/in'])
  await put(as, scriptId, { name: 'new', secrets: entries })
  await callControl(control, 'updateTag', as, { ...tagValues(as), body: { gpc: true } })
  const saved = await store.script(scriptId)

  const { status, body } = await activate(as, 2)
  assert.equal(status, 200)
  assert.deepEqual([body.number, body.activates, body.isLive], [5, 2, true])
  assert.deepEqual(snapshots.get(as.tagId), { ...old, number: 5 })
  assert.deepEqual(await store.script(scriptId), saved)
  assert.equal((await callControl(control, 'readTag', as, tagValues(as))).body.gpc, true)

  await deploy(as)
  assert.deepEqual([liveNames(as), snapshots.get(as.tagId)?.gpc], [['new'], true])
})

test('activating an older deployment makes a deleted script live again, with its secrets, until the next deploy', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  await callControl(control, 'deleteScript', as, { values: { scriptId } })
  await activate(as, 2)
  const [script] = snapshots.get(as.tagId)!.scripts
  assert.equal(script?.scriptId, scriptId)
  assert.ok(await store.secret(script!.secrets.EVENT_SINK_URL!))
  await deploy(as)
  assert.deepEqual(snapshots.get(as.tagId)?.scripts, [])
})

test('activating an older deployment does not restore its host names and pauses', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  const hosts = (names: string[]) => callControl(control, 'updateTag', as, { ...tagValues(as), body: { hosts: names } })
  await hosts(['one.example.com'])
  await hosts(['two.example.com'])
  await callControl(control, 'pauseScript', as, { values: { scriptId } })
  await activate(as, 3)
  const live = snapshots.get(as.tagId)!
  assert.deepEqual([live.hosts, snapshots.isPaused(scriptId)], [['two.example.com'], true])
})

test('an unknown or malformed deployment number is 404 and makes no deployment', async () => {
  const as = await makeCustomer(control)
  for (const number of [0, 2, -1, 'x', '1e0', '99999999999999999999']) {
    const response = await activate(as, number)
    assert.deepEqual([response.status, response.body.error], [404, 'DEPLOYMENT_UNKNOWN'], String(number))
  }
  assert.equal(snapshots.get(as.tagId)?.number, 1)
})

test('concurrent writes, deploys and activations each get a different number', async () => {
  const as = await makeCustomer(control)
  const all = [1, 2, 3, 4].flatMap((n) => [
    makeScript(control, as, { name: `s${n}` }),
    deploy(as),
    activate(as, 1).then(({ status }) => assert.equal(status, 200)),
  ])
  await Promise.all(all)
  const { deployments } = await list(as, { limit: 200 })
  assert.deepEqual(
    deployments.map(({ number }) => number),
    Array.from({ length: 13 }, (_, n) => 13 - n),
  )
  assert.equal(snapshots.get(as.tagId)?.number, 13)
})

test('each deployment is in the audit with its actor', async () => {
  const as = await makeCustomer(control)
  await deploy(as)
  await activate(as, 1)
  const { rows } = await store.audit(as.teamId, { limit: 2 })
  assert.deepEqual(
    rows.map(({ what, by, object, after }) => [what, by, object, after]),
    [
      ['activateDeployment', as.tokenId, as.tagId, { activates: 1 }],
      ['deployTag', as.tokenId, as.tagId, undefined],
    ],
  )
})

test('a script whose saved state is not live is shown as a draft until it is deployed', async () => {
  const as = await makeCustomer(control)
  const isDraft = async (scriptId: string) =>
    (await callControl(control, 'readScript', as, { values: { scriptId } })).body.isDraft
  const live = await makeScript(control, as, { name: 'live' })
  const draft = await makeScript(control, as, { name: 'draft', shouldDeploy: false })
  assert.deepEqual([await isDraft(live), await isDraft(draft)], [undefined, true])
  await callControl(control, 'pauseScript', as, { values: { scriptId: live } })
  assert.equal(await isDraft(live), undefined, 'a pause is no difference')
  await callControl(control, 'deployTag', as, { values: { tagId: as.tagId } })
  assert.equal(await isDraft(draft), undefined)
  await callControl(control, 'activateDeployment', as, { values: { tagId: as.tagId, number: 1 } })
  assert.deepEqual([await isDraft(live), await isDraft(draft)], [true, true])
})

test('a deployment shows each changed value before and after, and of a sensitive secret its version alone', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  const secret = 'a secret that nobody may read'
  const url = await sealPlain(control, as, 'eventSink', ['EVENT_SINK_URL', 'TEXT', 'https://new.example/in'])
  const key = await sealPlain(control, as, 'eventSink', ['EVENT_SINK_SECRET', 'PASSWORD', secret])
  await put(as, scriptId, { geoRegions: 'EU', secrets: [...url, ...key] })
  const { status, body } = await callControl(control, 'readDeployment', as, tagValues(as, { number: 3 }))
  assert.equal(status, 200)
  assert.deepEqual(compileValidator(DeploymentDetail)(body), [])
  const { values } = body as unknown as DeploymentDetail
  assert.deepEqual(values.settings, [])
  assert.deepEqual(
    values.scripts.map(({ scriptId: id, change }) => [id, change]),
    [[scriptId, 'changed']],
  )
  const changed = new Map(values.scripts[0]!.values.map((value) => [value.name, value]))
  assert.deepEqual(changed.get('geoRegions'), { name: 'geoRegions', after: 'EU' })
  assert.equal(changed.get('secrets.EVENT_SINK_URL')?.after, 'https://new.example/in')
  const hidden = { name: 'secrets.EVENT_SINK_SECRET', after: 1, isHidden: true }
  assert.deepEqual(changed.get('secrets.EVENT_SINK_SECRET'), hidden)
  assert.ok(!JSON.stringify(body).includes(secret))
})

test('the draft shows what a deployment would change, and nothing after it', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  await put(as, scriptId, { name: 'renamed', shouldDeploy: false })
  const draft = async () => (await callControl(control, 'readDraft', as, tagValues(as))).body as unknown as Draft
  const { live, values } = await draft()
  assert.equal(live, 2)
  assert.deepEqual(values.scripts[0]?.values, [{ name: 'name', before: 'sink', after: 'renamed' }])
  await deploy(as)
  assert.deepEqual((await draft()).values, { settings: [], scripts: [] })
})
