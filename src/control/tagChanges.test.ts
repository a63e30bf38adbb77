import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '#kit/id.ts'
import aglet from '../../package.json' with { type: 'json' }
import { ask, type Customer, makeCustomer, makeScript, openControl, type Told } from '../../test/fake/control.ts'

const control = await openControl()
after(control.close)
const on = control.worlds.production
const { snapshots, store } = on

const put = ({ tagId, ...as }: Customer, body: Record<string, unknown>) =>
  ask(control, 'updateTag', { ...as, tagId }, { values: { tagId }, body })
const remove = (as: Customer) => ask(control, 'deleteTag', as, { values: { tagId: as.tagId } })
const read = async (as: Customer) => (await ask(control, 'readTag', as, { values: { tagId: as.tagId } })).body
const issuesOf = ({ body }: Told) =>
  (body as { attributes: { issues: { path: string }[] } }).attributes.issues.map(({ path }) => path)

test('PUT replaces what it lists, keeps the rest, and is live when it is answered', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  const before = await read(as)
  const change = { consent: 'disabled', gpc: true, allowedOrigins: ['https://shop.example.com'] }
  const { status, body } = await put(as, change)
  assert.equal(status, 200)
  assert.deepEqual(body, { ...before, ...change })
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

test('null is the same as absent, and an unknown field changes nothing', async () => {
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
  assert.deepEqual([status, body], [200, before])
  assert.equal(snapshots.get(as.tagId)?.teamId, as.teamId)
})

test('a change of settings publishes no draft', async () => {
  const as = await makeCustomer(control)
  await makeScript(control, as, { shouldDeploy: false })
  await put(as, { gpc: true })
  assert.deepEqual([snapshots.get(as.tagId)?.number, snapshots.get(as.tagId)?.scripts], [2, []])
})

test('what is no host name, or a name of this server, is 400 and changes nothing', async () => {
  const as = await makeCustomer(control)
  const told = await put(as, {
    gpc: true,
    domain: 'a b',
    hosts: ['ok.example.com', 'aglet.example', 'x'],
    allowedOrigins: ['https://a b'],
  })
  assert.deepEqual([told.status, issuesOf(told).at(-1)], [400, 'domain'])
  const meant = await put(as, {
    domain: 'com',
    hosts: ['ok.example.com', 'aglet.example', 'x'],
    allowedOrigins: ['https://a.com?'],
  })
  assert.deepEqual([meant.status, issuesOf(meant)], [400, ['domain', 'hosts.1', 'hosts.2']])
  assert.deepEqual([snapshots.get(as.tagId)?.number, (await read(as)).gpc], [1, false])
})

test('a version is latest or one that the manifest lists', async () => {
  const as = await makeCustomer(control)
  const { body: manifest } = await ask(control, 'readManifest', as)
  assert.deepEqual(manifest.edgeVersions, [aglet.version])
  assert.equal((await put(as, { edgeVersion: aglet.version })).body.edgeVersion, aglet.version)
  assert.equal(snapshots.get(as.tagId)?.edgeVersion, aglet.version)
  assert.equal((await put(as, { edgeVersion: 'latest' })).body.edgeVersion, 'latest')
  const told = await put(as, { edgeVersion: '0.0.0', sdkVersion: 'nope' })
  assert.deepEqual([told.status, issuesOf(told)], [400, ['sdkVersion', 'edgeVersion']])
})

test('a name that another tag of the team has is 409; its own it may keep', async () => {
  const as = await makeCustomer(control)
  await ask(control, 'createTag', as, { body: { name: 'second', domain: 'a.com' } })
  assert.equal((await put(as, { name: 'second' })).body.error, 'NAME_TAKEN')
  assert.equal((await put(as, { name: 'shop', gpc: true })).status, 200)
  assert.equal((await put(as, { name: 'renamed' })).body.name, 'renamed')
  assert.equal(snapshots.get(as.tagId)?.name, 'renamed')
})

test('DELETE takes the tag with its scripts and deployments off the edge; its names are free again', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  await put(as, { hosts: ['gone.example.com'] })
  const { status, body } = await remove(as)
  assert.deepEqual([status, body], [200, { tagId: as.tagId }])
  assert.equal(snapshots.get(as.tagId), undefined)
  assert.equal((await remove(as)).status, 404)
  assert.equal((await ask(control, 'readScript', as, { values: { scriptId } })).status, 409)
  assert.equal((await ask(control, 'listDeployments', as, { values: { tagId: as.tagId } })).status, 404)
  assert.deepEqual(
    (await store.deployments()).filter(({ tagId }) => tagId === as.tagId),
    [],
  )
  const again = { name: 'shop', domain: 'a.com', hosts: ['gone.example.com'] }
  assert.equal((await ask(control, 'createTag', as, { body: again })).status, 200)
})

/** An event with a delivery that waits for each of these scripts. */
async function plan({ tagId }: Customer, position: number, scriptIds: readonly string[]) {
  const deliveries = scriptIds.map((scriptId) => {
    return { deliveryId: newId('dlv', position), scriptId, providerId: 'eventSink', status: 'pending' } as const
  })
  const when = { receivedAt: control.clock.now(), consent: { source: 'none' }, place: { source: 'unknown' } } as const
  await store.journal.plan([{ position, index: 0, tagId, eventName: 'Purchase', userId: 'usr_1', ...when, deliveries }])
}
const standing = async ({ tagId }: Customer, position: number) =>
  (await store.journal.event(tagId, position, 0))?.deliveries.map(({ status, reason }) => [status, reason])

test('what waits for a deleted tag ends dead: erased, also what was to be tried again much later', async () => {
  const as = await makeCustomer(control)
  const scriptIds = [await makeScript(control, as), await makeScript(control, as, { name: 'two', shouldDeploy: false })]
  await plan(as, 901, scriptIds)
  const [due] = await store.journal.due(scriptIds[0]!, Number.MAX_SAFE_INTEGER, 1)
  await store.journal.settle([
    { deliveryId: due!.deliveryId, status: 'pending', nextAt: control.clock.now() + 86_400_000 },
  ])
  await remove(as)
  assert.deepEqual(await standing(as, 901), [
    ['dead', 'erased'],
    ['dead', 'erased'],
  ])
})

test('what waits for a deleted script ends dead: erased, what waits for another stays', async () => {
  const as = await makeCustomer(control)
  const scriptIds = [await makeScript(control, as), await makeScript(control, as, { name: 'two' })]
  for (let position = 1000; position < 1020; position++) await plan(as, position, scriptIds)
  await ask(control, 'deleteScript', as, { values: { scriptId: scriptIds[0]! } })
  for (const position of [1000, 1019])
    assert.deepEqual(await standing(as, position), [
      ['dead', 'erased'],
      ['pending', undefined],
    ])
})

test('a script that is written while its tag is deleted is refused, never a bug', async () => {
  const as = await makeCustomer(control)
  const body = { name: 'late', providerId: 'eventSink', tagId: as.tagId }
  const scriptId = await makeScript(control, as)
  const [gone, written] = await Promise.all([
    remove(as),
    ask(control, 'updateScript', as, { values: { scriptId }, body }),
  ])
  assert.deepEqual([gone.status, [200, 409].includes(written.status)], [200, true])
  assert.deepEqual(
    control.lines.filter(({ level }) => level === 'error'),
    [],
  )
})

test('changes of a tag are in the audit, before and after, and outlive it', async () => {
  const as = await makeCustomer(control)
  await put(as, { gpc: true })
  await remove(as)
  const { rows } = await store.audit(as.teamId, { limit: 10 })
  const gpc = (state: object | undefined) => (state as { gpc?: boolean } | undefined)?.gpc
  const told = rows
    .filter(({ object }) => object === as.tagId)
    .map(({ what, by, before, after }) => [what, by, gpc(before), gpc(after)])
  assert.deepEqual(told, [
    ['deleteTag', as.tokenId, true, undefined],
    ['updateTag', as.tokenId, false, true],
    ['createTag', 'operator', undefined, false],
  ])
})

test('plugins are taken in their order and are live at once; a wrong one is a 400 that says where, and changes nothing', async () => {
  const as = await makeCustomer(control)
  const plugins = [
    { plugin: 'botFilter', settings: { also: ['monitor'] } },
    { plugin: 'eventRename', settings: { names: { Own: 'Lead' } } },
  ]
  const { status, body } = await put(as, { plugins })
  assert.deepEqual([status, body.plugins], [200, plugins])
  assert.deepEqual(snapshots.get(as.tagId)!.plugins, plugins)
  const wrong = [
    { plugin: 'nobody' },
    { plugin: 'currencyConversion', settings: { currency: 'euro' } },
    { plugin: 'eventRename' },
  ]
  const refused = await put(as, { plugins: wrong })
  assert.equal(refused.status, 400)
  assert.deepEqual(issuesOf(refused), ['plugins.0.plugin', 'plugins.1.settings.currency', 'plugins.2.settings.names'])
  assert.deepEqual((await read(as)).plugins, plugins)
  assert.deepEqual((await put(as, { plugins: [] })).body.plugins, [])
})
