import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, type Customer, makeCustomer, makeScript, openControl } from '../../test/fake/control.ts'

const control = await openControl()
after(control.close)
const { snapshots, store } = control.worlds.production

const pause = (as: Customer, scriptId: string) => ask(control, 'pauseScript', as, { values: { scriptId } })
const resume = (as: Customer, scriptId: string) => ask(control, 'resumeScript', as, { values: { scriptId } })
const shown = async (as: Customer, scriptId: string) =>
  (await ask(control, 'readScript', as, { values: { scriptId } })).body
const live = ({ tagId }: Customer) => snapshots.get(tagId)!

test('a paused script is paused on the edge when the call answers, and is read so; resumed it is as before', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { geoRegions: 'EU' })
  const before = { live: live(as).scripts, shown: await shown(as, scriptId) }
  const { status, body } = await pause(as, scriptId)
  assert.deepEqual([status, body], [200, { scriptId, paused: true, errors: [] }])
  assert.ok(snapshots.isPaused(scriptId))
  assert.deepEqual(await shown(as, scriptId), { ...before.shown, paused: true })
  assert.deepEqual((await resume(as, scriptId)).body, { scriptId, paused: false, errors: [] })
  assert.equal(snapshots.isPaused(scriptId), false)
  assert.deepEqual([live(as).scripts, await shown(as, scriptId)], [before.live, before.shown])
})

test('pausing publishes no draft of the script and of no other', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  await makeScript(control, as, { name: 'draft', shouldDeploy: false })
  const body = { name: 'renamed', providerId: 'eventSink', tagId: as.tagId, shouldDeploy: false }
  await ask(control, 'updateScript', as, { values: { scriptId }, body })
  await pause(as, scriptId)
  assert.deepEqual(
    live(as).scripts.map(({ name, paused }) => [name, paused]),
    [['sink', true]],
  )
})

test('a write of a paused script leaves it paused', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  await pause(as, scriptId)
  const body = { name: 'renamed', providerId: 'eventSink', tagId: as.tagId }
  await ask(control, 'updateScript', as, { values: { scriptId }, body })
  assert.deepEqual([live(as).scripts[0]?.name, live(as).scripts[0]?.paused], ['renamed', true])
})

test('a draft that is paused makes no deployment, and goes live paused', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { shouldDeploy: false })
  await pause(as, scriptId)
  assert.equal(live(as).number, 1)
  await ask(control, 'deployTag', as, { values: { tagId: as.tagId } })
  assert.ok(snapshots.isPaused(scriptId))
})

test('pausing twice, or resuming what goes on, changes nothing', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  assert.equal((await resume(as, scriptId)).status, 200)
  assert.equal(live(as).number, 2)
  await Promise.all([pause(as, scriptId), pause(as, scriptId), pause(as, scriptId)])
  assert.equal(live(as).number, 3)
  const { rows } = await store.audit(as.teamId, { limit: 10 })
  const told = rows.filter(({ what }) => what === 'pauseScript' || what === 'resumeScript')
  assert.deepEqual(
    told.map(({ what, object, before, after }) => [what, object, before, after]),
    [['pauseScript', scriptId, { paused: false }, { paused: true }]],
  )
})

test('no hook stops a pause: it is told which objected', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  await ask(control, 'createHook', as, { body: { url: 'https://ci.example.com/' } })
  control.hooks.answer = { status: 500, headers: {}, body: '', durationMs: 1 }
  const { status, body } = await pause(as, scriptId)
  assert.deepEqual([status, body.errors], [200, ['https://ci.example.com/: It answered 500.']])
  assert.ok(snapshots.isPaused(scriptId))
})

test("a script that is not there, or another team's, is 409", async () => {
  const [as, other] = [await makeCustomer(control), await makeCustomer(control)]
  const scriptId = await makeScript(control, as)
  for (const told of [await pause(other, scriptId), await resume(other, scriptId), await pause(as, 'scr_nope')])
    assert.deepEqual([told.status, told.body.error], [409, 'SCRIPT_OR_TAG_NOT_FOUND'])
  assert.equal(snapshots.isPaused(scriptId), false)
})
