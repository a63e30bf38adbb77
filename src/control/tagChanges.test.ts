import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { deliveryIdOf } from '#store/deliveryId.ts'
import { readDue } from '#store/store.fixture.ts'
import aglet from '../../package.json' with { type: 'json' }
import {
  type ControlAnswer,
  type Customer,
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
} from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const production = control.environments.production
const { snapshots, store } = production

const put = ({ tagId, ...as }: Customer, body: Record<string, unknown>) =>
  callControl(control, 'updateTag', { ...as, tagId }, { values: { tagId }, body })
const remove = (as: Customer) => callControl(control, 'deleteTag', as, { values: { tagId: as.tagId } })
const read = async (as: Customer) => (await callControl(control, 'readTag', as, { values: { tagId: as.tagId } })).body
const issuesOf = ({ body }: ControlAnswer) =>
  (body as { attributes: { issues: { path: string }[] } }).attributes.issues.map(({ path }) => path)

test('PUT replaces the listed settings, keeps the others, and is live once it is answered', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  const before = await read(as)
  const change = { consent: 'disabled', gpc: true, allowedOrigins: ['https://shop.example.com'] }
  const { status, body } = await put(as, change)
  assert.equal(status, 200)
  const version = { version: 2, updatedAt: control.clock.now(), updatedBy: body.updatedBy }
  assert.deepEqual(body, { ...before, ...change, ...version })
  assert.deepEqual(await read(as), body)
  const live = snapshots.get(as.tagId)!
  assert.deepEqual(
    [live.number, live.consent, live.gpc, live.allowedOrigins],
    [3, 'disabled', true, change.allowedOrigins],
  )
  assert.deepEqual(
    live.scripts.map((script) => script.scriptId),
    [scriptId],
  )
  assert.deepEqual((await store.deployment(as.tagId))?.snapshot, live)
})

test('null is the same as absent, and an unknown field is ignored and named', async () => {
  const as = await makeCustomer(control)
  const before = await read(as)
  const { status, body } = await put(as, {
    name: null,
    hosts: null,
    consent: null,
    sdkVersion: null,
    plugins: null,
    teamId: 'team_x',
  })
  const version = { version: 2, updatedAt: control.clock.now(), updatedBy: body.updatedBy }
  const warnings = ['"teamId" is not a field here and was ignored']
  assert.deepEqual([status, body], [200, { ...before, ...version, warnings }])
  assert.equal(snapshots.get(as.tagId)?.teamId, as.teamId)
})

test('changing settings publishes no draft', async () => {
  const as = await makeCustomer(control)
  await makeScript(control, as, { shouldDeploy: false })
  await put(as, { gpc: true })
  assert.deepEqual([snapshots.get(as.tagId)?.number, snapshots.get(as.tagId)?.scripts], [2, []])
})

test('a malformed host name, or one of this server’s own, is 400 and changes nothing', async () => {
  const as = await makeCustomer(control)
  const response = await put(as, {
    gpc: true,
    domain: 'a b',
    hosts: ['ok.example.com', 'aglet.example', 'x'],
    allowedOrigins: ['https://a b'],
  })
  assert.deepEqual([response.status, issuesOf(response).at(-1)], [400, 'domain'])
  const corrected = await put(as, {
    domain: 'com',
    hosts: ['ok.example.com', 'aglet.example', 'x'],
    allowedOrigins: ['https://a.com?'],
  })
  assert.deepEqual([corrected.status, issuesOf(corrected)], [400, ['domain', 'hosts.1', 'hosts.2']])
  assert.deepEqual([snapshots.get(as.tagId)?.number, (await read(as)).gpc], [1, false])
})

test('a version is latest or one that the manifest lists', async () => {
  const as = await makeCustomer(control)
  const { body: manifest } = await callControl(control, 'readManifest', as)
  assert.deepEqual(manifest.edgeVersions, [aglet.version])
  assert.equal((await put(as, { edgeVersion: aglet.version })).body.edgeVersion, aglet.version)
  assert.equal(snapshots.get(as.tagId)?.edgeVersion, aglet.version)
  assert.equal((await put(as, { edgeVersion: 'latest' })).body.edgeVersion, 'latest')
  const response = await put(as, { edgeVersion: '0.0.0', sdkVersion: 'nope' })
  assert.deepEqual([response.status, issuesOf(response)], [400, ['sdkVersion', 'edgeVersion']])
})

test('a name of another tag of the team is 409; a tag may keep its own name', async () => {
  const as = await makeCustomer(control)
  await callControl(control, 'createTag', as, { body: { name: 'second', domain: 'a.com' } })
  assert.equal((await put(as, { name: 'second' })).body.error, 'NAME_TAKEN')
  assert.equal((await put(as, { name: 'shop', gpc: true })).status, 200)
  assert.equal((await put(as, { name: 'renamed' })).body.name, 'renamed')
  assert.equal(snapshots.get(as.tagId)?.name, 'renamed')
})

test('DELETE removes the tag with its scripts and deployments from the edge, and frees its names', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  await put(as, { hosts: ['gone.example.com'] })
  const { status, body } = await remove(as)
  assert.deepEqual([status, body], [200, { tagId: as.tagId }])
  assert.equal(snapshots.get(as.tagId), undefined)
  assert.equal((await remove(as)).status, 404)
  assert.equal((await callControl(control, 'readScript', as, { values: { scriptId } })).status, 409)
  assert.equal((await callControl(control, 'listDeployments', as, { values: { tagId: as.tagId } })).status, 404)
  assert.deepEqual(
    (await store.deployments()).filter(({ tagId }) => tagId === as.tagId),
    [],
  )
  const again = { name: 'shop', domain: 'a.com', hosts: ['gone.example.com'] }
  assert.equal((await callControl(control, 'createTag', as, { body: again })).status, 200)
})

/** Plans an event with a waiting delivery for each of these scripts. */
async function plan({ tagId }: Customer, position: number, scriptIds: readonly string[]) {
  const when = { receivedAt: control.clock.now(), consent: { source: 'none' }, place: { source: 'unknown' } } as const
  const deliveries = scriptIds.map((scriptId) => {
    const deliveryId = deliveryIdOf({ ...when, position, index: 0, scriptId })
    return { deliveryId, scriptId, providerId: 'eventSink', status: 'pending' } as const
  })
  await store.journal.plan([{ position, index: 0, tagId, eventName: 'Purchase', userId: 'usr_1', ...when, deliveries }])
}
const statusesAt = async ({ tagId }: Customer, position: number) =>
  (await store.journal.event(tagId, position, 0))?.deliveries.map(({ status, reason }) => [status, reason])

test('every waiting delivery of a deleted tag ends dead: erased, including one whose retry is far in the future', async () => {
  const as = await makeCustomer(control)
  const scriptIds = [await makeScript(control, as), await makeScript(control, as, { name: 'two', shouldDeploy: false })]
  await plan(as, 901, scriptIds)
  const [due] = await readDue(store, scriptIds[0]!, Number.MAX_SAFE_INTEGER, 1)
  await store.journal.settle([
    { deliveryId: due!.deliveryId, status: 'pending', nextAt: control.clock.now() + 86_400_000 },
  ])
  await remove(as)
  assert.deepEqual(await statusesAt(as, 901), [
    ['dead', 'erased'],
    ['dead', 'erased'],
  ])
})

test('every waiting delivery of a deleted script ends dead: erased; those of other scripts stay', async () => {
  const as = await makeCustomer(control)
  const scriptIds = [await makeScript(control, as), await makeScript(control, as, { name: 'two' })]
  for (let position = 1000; position < 1020; position++) await plan(as, position, scriptIds)
  await callControl(control, 'deleteScript', as, { values: { scriptId: scriptIds[0]! } })
  for (const position of [1000, 1019])
    assert.deepEqual(await statusesAt(as, position), [
      ['dead', 'erased'],
      ['pending', undefined],
    ])
})

test('writing a script while its tag is deleted is refused, and not logged as a bug', async () => {
  const as = await makeCustomer(control)
  const body = { name: 'late', providerId: 'eventSink', tagId: as.tagId }
  const scriptId = await makeScript(control, as)
  const [gone, written] = await Promise.all([
    remove(as),
    callControl(control, 'updateScript', as, { values: { scriptId }, body }),
  ])
  assert.deepEqual([gone.status, [200, 409].includes(written.status)], [200, true])
  assert.deepEqual(
    control.lines.filter(({ level }) => level === 'error'),
    [],
  )
})

test('changes of a tag are in the audit with the states before and after, also after the tag is deleted', async () => {
  const as = await makeCustomer(control)
  await put(as, { gpc: true })
  await remove(as)
  const { rows } = await store.audit(as.teamId, { limit: 10 })
  const gpc = (state: object | undefined) => (state as { gpc?: boolean } | undefined)?.gpc
  const entries = rows
    .filter(({ object }) => object === as.tagId)
    .map(({ what, by, before, after }) => [what, by, gpc(before), gpc(after)])
  assert.deepEqual(entries, [
    ['deleteTag', as.tokenId, true, undefined],
    ['updateTag', as.tokenId, false, true],
    ['createTag', 'operator', undefined, false],
  ])
})

test('plugins keep their order and are live at once; an invalid one is 400 with its path and changes nothing', async () => {
  const as = await makeCustomer(control)
  const plugins = [
    { plugin: 'botFilter', settings: { also: ['monitor'] } },
    { plugin: 'eventRename', settings: { names: { Own: 'Lead' } } },
  ]
  const { status, body } = await put(as, { plugins })
  assert.deepEqual([status, body.plugins], [200, plugins])
  assert.deepEqual(snapshots.get(as.tagId)!.plugins, plugins)
  const cases = [
    { plugin: 'nobody' },
    { plugin: 'currencyConversion', settings: { currency: 'euro' } },
    { plugin: 'eventRename' },
  ]
  const refused = await put(as, { plugins: cases })
  assert.equal(refused.status, 400)
  assert.deepEqual(issuesOf(refused), ['plugins.0.plugin', 'plugins.1.settings.currency', 'plugins.2.settings.names'])
  assert.deepEqual((await read(as)).plugins, plugins)
  assert.deepEqual((await put(as, { plugins: [] })).body.plugins, [])
})
