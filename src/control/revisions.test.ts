import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseIfMatch } from '#contract/revision.ts'
import {
  type ControlRequest,
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
  sinkBody,
} from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const as = await makeCustomer(control)
const { tagId } = as
const call = (id: Parameters<typeof callControl>[1], asked: ControlRequest) => callControl(control, id, as, asked)
const ifMatch = (version: number) => ({ 'if-match': `"${version}"` })
const read = async (scriptId: string) => (await call('readScript', { values: { scriptId } })).body

test('a new script has version 1, and each save counts, with its time and author; a pause is no save', async () => {
  const scriptId = await makeScript(control, as, { name: 'counted' })
  const first = await read(scriptId)
  assert.deepEqual([first.version, first.updatedAt, first.updatedBy], [1, control.clock.now(), as.tokenId])
  await control.clock.turn(1_000)
  await call('updateScript', { values: { scriptId }, body: await sinkBody(control, as, { name: 'counted again' }) })
  await call('pauseScript', { values: { scriptId } })
  await call('resumeScript', { values: { scriptId } })
  const last = await read(scriptId)
  assert.deepEqual([last.version, last.updatedAt], [2, control.clock.now()])
  const { scripts } = (await call('listScripts', { values: { tagId } })).body as unknown as {
    scripts: { version: number }[]
  }
  assert.equal(scripts[0]?.version, 2)
})

test('of two people who edit one script the second is refused, with who saved it and which version it has', async () => {
  const scriptId = await makeScript(control, as, { name: 'edited' })
  const save = async (name: string, version: number) =>
    call('updateScript', {
      values: { scriptId },
      body: await sinkBody(control, as, { name }),
      headers: ifMatch(version),
    })
  assert.equal((await save('first', 1)).status, 200)
  const second = await save('second', 1)
  assert.deepEqual([second.status, second.body.error], [409, 'CHANGED_MEANWHILE'])
  assert.deepEqual(second.body.attributes, { version: 2, updatedAt: control.clock.now(), updatedBy: as.tokenId })
  assert.equal((await read(scriptId)).name, 'first')
  assert.equal((await save('second', 2)).status, 200)
  const stale = await call('deleteScript', { values: { scriptId }, headers: ifMatch(2) })
  assert.equal(stale.status, 409)
  assert.equal((await call('deleteScript', { values: { scriptId }, headers: ifMatch(3) })).status, 200)
})

test('a tag has a version too; a write without If-Match, or with *, is never refused for its version', async () => {
  const update = (version: string | undefined) =>
    call('updateTag', { values: { tagId }, body: { gpc: true }, headers: { 'if-match': version } })
  const answers = [await update('"1"'), await update('"1"'), await update(undefined), await update('*')]
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.version]),
    [
      [200, 2],
      [409, undefined],
      [200, 3],
      [200, 4],
    ],
  )
  const { body } = await call('readTag', { values: { tagId } })
  assert.deepEqual([body.version, body.updatedBy], [4, as.tokenId])
})

test('two writes of the same version at the same time save one of them', async () => {
  const scriptId = await makeScript(control, as, { name: 'raced' })
  const writes = ['a', 'b', 'c'].map(async (name) =>
    call('updateScript', { values: { scriptId }, body: await sinkBody(control, as, { name }), headers: ifMatch(1) }),
  )
  const statuses = (await Promise.all(writes)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [200, 409, 409])
})

test('the secret of a script tells when it was set', async () => {
  const scriptId = await makeScript(control, as, { name: 'sealed' })
  const setAt = control.clock.now()
  await control.clock.turn(5_000)
  await call('updateScript', { values: { scriptId }, body: { name: 'sealed', providerId: 'eventSink', tagId } })
  const { secrets } = (await read(scriptId)) as unknown as { secrets: Record<string, { setAt?: number }> }
  assert.deepEqual([secrets.EVENT_SINK_URL?.setAt, secrets.EVENT_SINK_SECRET?.setAt], [setAt, undefined])
})

test('If-Match is a version in quotes or *, and anything else is refused', () => {
  assert.deepEqual(['"3"', '3', 'W/"3"', ' "12" ', '*', undefined].map(parseIfMatch), [
    3,
    3,
    3,
    12,
    undefined,
    undefined,
  ])
  for (const wrong of ['', '"x"', '"3", "4"', '-1', '"9999999999999999"'])
    assert.equal(parseIfMatch(wrong), null, wrong)
})
