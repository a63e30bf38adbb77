import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken } from '#account/token.ts'
import type { Script } from '#contract/script.ts'
import { openSecrets } from '#script/secret.ts'
import type { StoreChange } from '#store/store.ts'
import {
  type ControlRequest,
  type Customer,
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
  type Plain,
  sealPlain,
  sinkBody,
} from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const production = control.environments.production
const url = 'https://sink.example/in'

const post = async (as: Customer, more: Record<string, unknown> = {}) =>
  callControl(control, 'createScript', as, { body: await sinkBody(control, as, more) })
const put = (as: Customer, scriptId: string, more: Record<string, unknown> = {}) => {
  const body = { name: 'sink', providerId: 'eventSink', tagId: as.tagId, ...more }
  return callControl(control, 'updateScript', as, { values: { scriptId }, body })
}
const remove = (as: Customer, scriptId: string) => callControl(control, 'deleteScript', as, { values: { scriptId } })
const read = async (as: Customer, scriptId: string) => {
  const { status, body } = await callControl(control, 'readScript', as, { values: { scriptId } })
  assert.equal(status, 200)
  return body as unknown as Script
}
const live = ({ tagId }: Customer) => production.snapshots.get(tagId)!
const liveScript = (as: Customer, scriptId: string) => live(as).scripts.find((each) => each.scriptId === scriptId)
const secrets = (as: Customer, ...plain: Plain[]) => sealPlain(control, as, 'eventSink', ...plain)
const paths = (response: { body: ControlRequest['body'] }) =>
  (response.body as { attributes: { issues: { path: string }[] } }).attributes.issues.map(({ path }) => path)

/** The decrypted live secrets of a script. */
async function liveSecrets(as: Customer, scriptId: string) {
  const opened = await openSecrets(liveScript(as, scriptId)!.secrets, { ...production, teamId: as.teamId })
  return Object.fromEntries(Object.entries(opened).map(([variable, secret]) => [variable, secret.open()]))
}

test('GET returns a script as it was written, with the state of every variable of the catalogue', async () => {
  const as = await makeCustomer(control)
  const entries = await secrets(
    as,
    ['EVENT_SINK_URL', 'TEXT', url],
    ['EVENT_SINK_SECRET', 'PASSWORD', 'hunter2-canary'],
  )
  const scriptId = await makeScript(control, as, {
    geoRegions: ' EU,-DE ',
    consentCategory: 'analytics',
    secrets: entries,
  })
  const { secrets: states, ...script } = await read(as, scriptId)
  assert.deepEqual(script, {
    scriptId,
    name: 'sink',
    providerId: 'eventSink',
    createdAt: '2026-11-20',
    consentCategory: 'analytics',
    geoRegions: 'EU,-DE',
    purchaseValueMode: 'gross',
    version: 1,
    updatedAt: control.clock.now(),
    updatedBy: as.tokenId,
  })
  const { secretId, setAt: _, ...address } = states!.EVENT_SINK_URL!
  assert.match(secretId!, /^sec_/)
  assert.deepEqual(address, { type: 'TEXT', optional: false, isSet: true, value: url })
  assert.equal(states!.EVENT_SINK_SECRET?.isSet, true)
  assert.equal('value' in states!.EVENT_SINK_SECRET!, false)
  assert.deepEqual(states!.EVENT_SINK_EVENTS, { type: 'TEXT', optional: true, isSet: false })
  assert.doesNotMatch(JSON.stringify([states, control.lines]), /hunter2-canary/)
})

test('GET leaves out unset strings; null is the same as absent', async () => {
  const as = await makeCustomer(control)
  const nulls = { consentCategory: null, geoRegions: null, purchaseValueMode: null, shouldDeploy: null }
  const { secrets: _, ...script } = await read(as, await makeScript(control, as, nulls))
  const { version: __, updatedAt: ___, updatedBy: ____, ...shown } = script
  assert.deepEqual(Object.keys(shown), ['scriptId', 'name', 'providerId', 'createdAt', 'purchaseValueMode'])
})

test('PUT replaces the settings, unsets those it omits, and keeps the secrets it does not list', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, {
    geoRegions: 'US',
    consentCategory: 'analytics',
    purchaseValueMode: 'net',
  })
  const before = await read(as, scriptId)
  assert.equal(before.purchaseValueMode, 'net')
  assert.deepEqual((await put(as, scriptId, { name: 'new' })).body, { scriptId })
  const after = await read(as, scriptId)
  assert.deepEqual(
    [after.name, after.geoRegions, after.consentCategory, after.purchaseValueMode, after.createdAt],
    ['new', undefined, undefined, 'gross', before.createdAt],
  )
  assert.deepEqual(after.secrets, before.secrets)
})

test('rewriting a secret keeps its id, and makes the new value live', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  const before = await read(as, scriptId)
  await put(as, scriptId, { secrets: await secrets(as, ['EVENT_SINK_URL', 'TEXT', `${url}/2`]) })
  const after = await read(as, scriptId)
  assert.equal(after.secrets?.EVENT_SINK_URL?.secretId, before.secrets?.EVENT_SINK_URL?.secretId)
  assert.equal(after.secrets?.EVENT_SINK_URL?.value, `${url}/2`)
  assert.deepEqual(await liveSecrets(as, scriptId), { EVENT_SINK_URL: `${url}/2` })
})

test('an empty plaintext unsets an optional variable; setting it again gives a new id', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  const write = async (text: string) => {
    const response = await put(as, scriptId, { secrets: await secrets(as, ['EVENT_SINK_EVENTS', 'TEXT', text]) })
    assert.equal(response.status, 200)
    return (await read(as, scriptId)).secrets!.EVENT_SINK_EVENTS!
  }
  const first = await write('Purchase')
  assert.deepEqual(await write(''), { type: 'TEXT', optional: true, isSet: false })
  assert.deepEqual(await liveSecrets(as, scriptId), { EVENT_SINK_URL: url })
  const again = await write('Lead')
  assert.notEqual(again.secretId, first.secretId)
  assert.equal(again.value, 'Lead')
})

test('an empty plaintext for a required variable is 400, on POST and PUT', async () => {
  const as = await makeCustomer(control)
  const empty = await secrets(as, ['EVENT_SINK_URL', 'TEXT', ''])
  const created = await post(as, { secrets: empty })
  assert.deepEqual([created.status, paths(created)], [400, ['secrets.0']])
  const updated = await put(as, await makeScript(control, as), { secrets: empty })
  assert.deepEqual([updated.status, paths(updated)], [400, ['secrets.0']])
})

test('an invalid script is 400 with every issue, and nothing is written', async () => {
  const as = await makeCustomer(control)
  const [entry] = await secrets(as, ['EVENT_SINK_URL', 'TEXT', url])
  const cases: [Record<string, unknown>, string[]][] = [
    [{ providerId: 'acme' }, ['providerId']],
    [{ name: ' ' }, ['name']],
    [{ purchaseValueMode: 'both' }, ['purchaseValueMode']],
    [{ consentCategory: 'marketing', geoRegions: 'Narnia' }, ['consentCategory', 'geoRegions']],
    [{ secrets: [] }, ['secrets']],
    [{ secrets: [entry, { ...entry, variable: 'NOPE' }] }, ['secrets.1.variable']],
    [{ secrets: [entry, entry] }, ['secrets.1.variable']],
    [{ secrets: [{ ...entry, type: 'PASSWORD' }] }, ['secrets.0.type']],
    [{ secrets: await secrets(as, ['EVENT_SINK_URL', 'TEXT', 'no address']) }, ['secrets.0']],
  ]
  for (const [more, expected] of cases) {
    const response = await post(as, more)
    assert.deepEqual([response.status, response.body.error, paths(response)], [400, 'BAD_REQUEST', expected])
  }
  assert.deepEqual((await callControl(control, 'listScripts', as, { values: { tagId: as.tagId } })).body, {
    scripts: [],
  })
  assert.equal(live(as).number, 1)
})

test('a secret that is sealed for another context is refused, and the response does not tell why', async () => {
  const as = await makeCustomer(control)
  const stranger = await makeCustomer(control)
  const [good] = await secrets(as, ['EVENT_SINK_URL', 'TEXT', url])
  const [moved] = await secrets(stranger, ['EVENT_SINK_URL', 'TEXT', url])
  const [other] = await sealPlain(control, as, 'webhook', ['EVENT_SINK_URL', 'TEXT', url])
  const [elsewhere] = await secrets({ ...as, environment: 'sandbox' }, ['EVENT_SINK_URL', 'TEXT', url])
  const broken = [moved, other, elsewhere, { ...good, data: 'AAAA' }, { ...good, key: 'x.y' }, { ...good, iv: '!' }]
  const responses = await Promise.all(broken.map((entry) => post(as, { secrets: [entry] })))
  for (const each of responses) {
    assert.equal(each.body.error, 'SECRET_REFUSED')
    assert.deepEqual(each.body, responses[0]!.body)
  }
})

test('secrets need the scope secret:write; without secrets script:write is enough', async () => {
  const as = await makeCustomer(control, { scopes: ['script:write', 'script:read'] })
  const response = await post(as)
  assert.deepEqual([response.status, response.body.attributes], [403, { missing: ['secret:write'] }])
  const none = await post(as, { secrets: [], providerId: 'facebook' })
  assert.equal(none.status, 400)
})

test('PUT: a taken name and another provider are 400, another tag is 409', async () => {
  const as = await makeCustomer(control)
  const [first, second] = [await makeScript(control, as), await makeScript(control, as, { name: 'two' })]
  const taken = await put(as, second, { name: 'sink' })
  assert.deepEqual([taken.status, paths(taken)], [400, ['name']])
  const changed = await put(as, first, { providerId: 'facebook' })
  assert.deepEqual([changed.status, paths(changed)], [400, ['providerId']])
  const { body: tag } = await callControl(control, 'createTag', as, { body: { name: 'other', domain: 'example.org' } })
  const moved = await put(as, first, { tagId: tag.tagId })
  assert.deepEqual([moved.status, moved.body.error], [409, 'SCRIPT_OR_TAG_NOT_FOUND'])
})

test('a write is live once it is answered; shouldDeploy false saves a draft that no other write publishes', async () => {
  const as = await makeCustomer(control)
  const first = await makeScript(control, as)
  assert.equal(live(as).number, 2)
  const draft = await makeScript(control, as, { name: 'draft', shouldDeploy: false })
  await put(as, first, { name: 'renamed', shouldDeploy: false })
  assert.deepEqual([live(as).number, live(as).scripts.length, liveScript(as, first)?.name], [2, 1, 'sink'])
  assert.equal((await read(as, first)).name, 'renamed')

  await makeScript(control, as, { name: 'third' })
  assert.deepEqual(
    live(as).scripts.map(({ name }) => name),
    ['sink', 'third'],
  )
  await put(as, draft, { name: 'published' })
  assert.equal(liveScript(as, draft)?.name, 'published')
  assert.deepEqual(live(as), (await production.store.deployment(as.tagId))?.snapshot)
})

test('a draft of a secret is not live until it is deployed, and a write that does not name it names it as not live', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  const entries = await secrets(as, ['EVENT_SINK_URL', 'TEXT', `${url}/draft`])
  await put(as, scriptId, { secrets: entries, shouldDeploy: false })
  assert.equal((await read(as, scriptId)).secrets?.EVENT_SINK_URL?.value, `${url}/draft`)
  assert.deepEqual(await liveSecrets(as, scriptId), { EVENT_SINK_URL: url })
  const notLive = [{ name: 'secrets.EVENT_SINK_URL', before: url, after: `${url}/draft` }]
  assert.deepEqual((await put(as, scriptId)).body, { scriptId, notLive })
  assert.deepEqual((await read(as, scriptId)).notLive, notLive)
  assert.deepEqual(await liveSecrets(as, scriptId), { EVENT_SINK_URL: url })
  await callControl(control, 'deployTag', as, { values: { tagId: as.tagId } })
  assert.deepEqual(await liveSecrets(as, scriptId), { EVENT_SINK_URL: `${url}/draft` })
})

test('a new key after a roll-back leaves what was rolled back, and names it', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { geoRegions: 'EU' })
  await put(as, scriptId, { geoRegions: 'US' })
  await callControl(control, 'activateDeployment', as, { values: { tagId: as.tagId, number: 2 } })
  const entries = await secrets(as, ['EVENT_SINK_URL', 'TEXT', `${url}/new`])
  const { body } = await callControl(control, 'patchScript', as, { values: { scriptId }, body: { secrets: entries } })
  assert.equal(liveScript(as, scriptId)?.geoRegions, 'EU')
  assert.deepEqual(await liveSecrets(as, scriptId), { EVENT_SINK_URL: `${url}/new` })
  const { token } = await createToken(production, { teamId: as.teamId, scopes: ['script:write'] }, 'operator')
  const unread = await callControl(control, 'patchScript', { ...as, token }, { values: { scriptId }, body: {} })
  assert.deepEqual(unread.body.notLive, [{ name: 'geoRegions' }], 'the values are for who may read scripts')
  const notLive = body.notLive as { name: string; before?: unknown; after?: unknown }[]
  assert.deepEqual(
    notLive.filter(({ name }) => name === 'geoRegions'),
    [{ name: 'geoRegions', before: 'EU', after: 'US' }],
  )
})

test('a discarded draft leaves the saved script and tag as they are live, and later versions of a secret are not used again', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  const write = async (to: string, shouldDeploy: boolean) => {
    const entries = await secrets(as, ['EVENT_SINK_URL', 'TEXT', to])
    return callControl(control, 'patchScript', as, { values: { scriptId }, body: { secrets: entries, shouldDeploy } })
  }
  await write(`${url}/draft`, false)
  const { body } = await callControl(control, 'discardDraft', as, { values: { tagId: as.tagId } })
  assert.deepEqual(body.values, { settings: [], scripts: [] })
  assert.equal((await read(as, scriptId)).secrets?.EVENT_SINK_URL?.value, url)
  assert.equal((await write(`${url}/next`, true)).status, 200)
  assert.deepEqual(await liveSecrets(as, scriptId), { EVENT_SINK_URL: `${url}/next` })
})

test('DELETE removes the script from the edge at once; a second DELETE is 406, and the name is free again', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as)
  assert.deepEqual(await remove(as, scriptId).then(({ status, body }) => [status, body]), [200, { errors: [] }])
  assert.deepEqual([live(as).number, live(as).scripts], [3, []])
  assert.deepEqual((await remove(as, scriptId)).status, 406)
  assert.equal((await post(as)).status, 200)
})

test('concurrent writes on one tag all go live, each with a different number', async () => {
  const as = await makeCustomer(control)
  const responses = await Promise.all(Array.from({ length: 12 }, (_, at) => post(as, { name: `sink ${at}` })))
  assert.ok(responses.every(({ status }) => status === 200))
  assert.deepEqual([live(as).number, live(as).scripts.length], [13, 12])
  const same = await Promise.all(Array.from({ length: 6 }, () => post(as, { name: 'same' })))
  assert.deepEqual(same.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
})

test('every change has an audit entry with actor, operation, object and IP address, in the same write', async () => {
  const as = await makeCustomer(control)
  const writes: StoreChange[][] = []
  const { write } = production.store
  production.store.write = async (changes) => {
    writes.push([...changes])
    return write(changes)
  }
  try {
    const scriptId = await makeScript(control, as)
    await put(as, scriptId, { name: 'new', shouldDeploy: false })
    await remove(as, scriptId)
    const audits = writes.map((changes) => changes.find((each) => 'add' in each && each.add === 'audit')?.row)
    const row = { at: control.clock.now(), by: as.tokenId, teamId: as.teamId, object: scriptId, from: '127.0.0.1' }
    const [{ after: first }] = audits as unknown as [{ after: object }]
    assert.deepEqual(audits, [
      { ...row, what: 'createScript', after: first },
      { ...row, what: 'updateScript', before: { name: 'sink' }, after: { name: 'new' } },
      { ...row, what: 'deleteScript', before: { ...first, name: 'new' } },
    ])
    const { EVENT_SINK_URL } = (first as { secrets: Record<string, object> }).secrets
    assert.deepEqual(Object.keys(EVENT_SINK_URL!), ['secretId', 'version'])
  } finally {
    production.store.write = write
  }
})

test('a failed write stores nothing and deploys nothing', async () => {
  const as = await makeCustomer(control)
  const { write } = production.store
  production.store.write = async () => {
    throw new Error('the disk is full')
  }
  const response = await post(as).finally(() => {
    production.store.write = write
  })
  assert.deepEqual([response.status, response.body.error, live(as).number], [500, 'INTERNAL', 1])
  assert.equal((await post(as)).status, 200)
})

test('the pages of a list have no gaps and no repeats', async () => {
  const as = await makeCustomer(control)
  const created = await Promise.all(Array.from({ length: 5 }, (_, at) => makeScript(control, as, { name: `s${at}` })))
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const values = { tagId: as.tagId, limit: 2, ...(cursor && { cursor }) }
    const { body } = await callControl(control, 'listScripts', as, { values })
    const page = body as { scripts: Script[]; next?: string }
    assert.ok(page.scripts.length <= 2)
    seen.push(...page.scripts.map(({ scriptId }) => scriptId))
    cursor = page.next
  } while (cursor)
  assert.deepEqual(seen.sort(), created.sort())
  const broken = await callControl(control, 'listScripts', as, { values: { tagId: as.tagId, cursor: '!' } })
  assert.deepEqual([broken.status, paths(broken)], [400, ['cursor']])
})

test('an address by a name that leads to a private address is 400 as a literal is; one that does not resolve is accepted with a warning', async () => {
  const as = await makeCustomer(control)
  control.names.set('inside.example.com', '10.0.0.7')
  const write = async (url: string) => {
    return post(as, { name: url, secrets: await secrets(as, ['EVENT_SINK_URL', 'TEXT', url]) })
  }
  for (const host of ['inside.example.com', '10.0.0.7']) {
    const { status, body } = await write(`https://${host}/in`)
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /EVENT_SINK_URL: .*AGLET_ALLOW_PRIVATE_DESTINATIONS/)
  }
  const { status, body } = await write('https://not-yet.example.com/in')
  assert.equal(status, 200)
  assert.deepEqual(body.warnings, [
    'EVENT_SINK_URL: not-yet.example.com does not resolve; deliveries wait until it does',
  ])
})
