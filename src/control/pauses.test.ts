import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Customer, callControl, makeCustomer, makeScript, openTestControl } from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const { snapshots, store } = control.environments.production

const pause = (as: Customer, scriptId: string) => callControl(control, 'pauseScript', as, { values: { scriptId } })
const resume = (as: Customer, scriptId: string) => callControl(control, 'resumeScript', as, { values: { scriptId } })
const shown = async (as: Customer, scriptId: string) =>
  (await callControl(control, 'readScript', as, { values: { scriptId } })).body
const live = ({ tagId }: Customer) => snapshots.get(tagId)!

test('a script is paused on the edge and in its GET once the call returns; resuming restores it', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { geoRegions: 'EU' })
  const before = { live: live(as).scripts, shown: await shown(as, scriptId) }
  const { status, body } = await pause(as, scriptId)
  assert.deepEqual([status, body], [200, { scriptId, paused: true }])
  assert.ok(snapshots.isPaused(scriptId))
  assert.deepEqual(await shown(as, scriptId), { ...before.shown, paused: true })
  assert.deepEqual((await resume(as, scriptId)).body, { scriptId, paused: false })
  assert.equal(snapshots.isPaused(scriptId), false)
  assert.deepEqual([live(as).scripts, await shown(as, scriptId)], [before.live, before.shown])
})

test('pausing publishes no draft, neither of the script nor of another', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  await makeScript(control, as, { name: 'draft', shouldDeploy: false })
  const body = { name: 'renamed', providerId: 'eventSink', tagId: as.tagId, shouldDeploy: false }
  await callControl(control, 'updateScript', as, { values: { scriptId }, body })
  await pause(as, scriptId)
  assert.deepEqual(
    live(as).scripts.map(({ name }) => name),
    ['sink'],
  )
  assert.ok(snapshots.isPaused(scriptId))
})

test('writing a paused script leaves it paused', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  await pause(as, scriptId)
  const body = { name: 'renamed', providerId: 'eventSink', tagId: as.tagId }
  await callControl(control, 'updateScript', as, { values: { scriptId }, body })
  assert.deepEqual([live(as).scripts[0]?.name, snapshots.isPaused(scriptId)], ['renamed', true])
  assert.equal((await shown(as, scriptId)).paused, true)
})

test('a pause is no deployment; a draft that is paused goes live paused', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { shouldDeploy: false })
  const other = await makeScript(control, as, { name: 'live' })
  for (const each of [scriptId, other]) await pause(as, each)
  assert.equal(live(as).number, 2)
  await callControl(control, 'deployTag', as, { values: { tagId: as.tagId } })
  assert.ok(snapshots.isPaused(scriptId))
})

test('pausing a paused script or resuming a running one changes nothing', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  assert.equal((await resume(as, scriptId)).status, 200)
  await Promise.all([pause(as, scriptId), pause(as, scriptId), pause(as, scriptId)])
  const { rows } = await store.audit(as.teamId, { limit: 10 })
  const entries = rows.filter(({ what }) => what === 'pauseScript' || what === 'resumeScript')
  assert.deepEqual(
    entries.map(({ what, object, before, after }) => [what, object, before, after]),
    [['pauseScript', scriptId, { paused: false }, { paused: true }]],
  )
})

test('no hook is called for a pause', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  await callControl(control, 'createHook', as, { body: { url: 'https://ci.example.com/' } })
  control.hooks.answer = { status: 500, headers: {}, body: '', durationMs: 1 }
  const calls = control.hooks.asked.length
  assert.equal((await pause(as, scriptId)).status, 200)
  assert.equal(control.hooks.asked.length, calls)
  assert.ok(snapshots.isPaused(scriptId))
})

test("an unknown script or another team's script is 409", async () => {
  const [as, other] = [await makeCustomer(control), await makeCustomer(control)]
  const scriptId = await makeScript(control, as)
  for (const response of [await pause(other, scriptId), await resume(other, scriptId), await pause(as, 'scr_nope')])
    assert.deepEqual([response.status, response.body.error], [409, 'SCRIPT_OR_TAG_NOT_FOUND'])
  assert.equal(snapshots.isPaused(scriptId), false)
})

test('a deleted script is not paused when an older deployment brings it back', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  await pause(as, scriptId)
  await callControl(control, 'deleteScript', as, { values: { scriptId } })
  await callControl(control, 'activateDeployment', as, { values: { tagId: as.tagId, number: 2 } })
  assert.deepEqual([live(as).scripts[0]?.scriptId, snapshots.isPaused(scriptId)], [scriptId, false])
})
