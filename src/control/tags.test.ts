import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, makeCustomer, openControl } from '../../test/fake/control.ts'

const control = await openControl()
after(control.close)
const as = await makeCustomer(control)
const { snapshots } = control.worlds.production
const post = (body: Record<string, unknown>) => ask(control, 'createTag', as, { body })

test('a new tag is as safe as it can be, and live at once without scripts', async () => {
  const { status, body } = await post({ name: 'site', domain: 'Example.COM' })
  assert.equal(status, 200)
  const { tagId, tagUrl, ...tag } = body
  assert.match(String(tagId), /^tag_/)
  assert.equal(tagUrl, `https://aglet.example/t/${tagId}`)
  assert.deepEqual(tag, {
    name: 'site',
    domain: 'example.com',
    hosts: [],
    hostStates: [],
    allowedOrigins: [],
    consent: 'enabled',
    gpc: false,
    sameSite: 'Lax',
    serverToken: 'optional',
    hold: 'off',
    sdkVersion: 'latest',
    edgeVersion: 'latest',
    plugins: [],
    createdAt: '2026-11-20',
  })
  const live = snapshots.get(String(tagId))
  assert.deepEqual([live?.number, live?.teamId, live?.domain, live?.scripts], [1, as.teamId, 'example.com', []])
})

test('what a tag is made with is what is read', async () => {
  const settings = { consent: 'disabled', gpc: true, sameSite: 'None', serverToken: 'required' }
  const asked = { name: 'all', domain: 'localhost', allowedOrigins: ['http://localhost:3000'], ...settings }
  const { body: made } = await post(asked)
  const { body: read } = await ask(control, 'readTag', as, { values: { tagId: String(made.tagId) } })
  assert.deepEqual(read, made)
  for (const [name, value] of Object.entries(asked)) assert.deepEqual(read[name], value)
})

test('a domain or an origin that is none is 400 and makes nothing', async () => {
  for (const body of [
    { domain: 'https://a.com' },
    { domain: 'a.com:80' },
    { domain: 'a.com', allowedOrigins: ['https://a b'] },
  ]) {
    const told = await post({ name: 'bad', ...body })
    assert.deepEqual([told.status, told.body.error], [400, 'BAD_REQUEST'])
  }
  assert.equal((await post({ name: 'bad', domain: 'a.com' })).status, 200)
})

test('a name is used once in a team, and another team may use it too', async () => {
  assert.equal((await post({ name: 'shop', domain: 'a.com' })).status, 409)
  const other = await makeCustomer(control)
  const told = await ask(control, 'createTag', other, { body: { name: 'site', domain: 'a.com' } })
  assert.equal(told.status, 200)
})

test('the tags of a team are listed in pages, those of another team are not', async () => {
  const own = await makeCustomer(control)
  for (const name of ['b', 'c']) await ask(control, 'createTag', own, { body: { name, domain: 'a.com' } })
  const first = await ask(control, 'listTags', own, { values: { limit: 2 } })
  const { tags, next } = first.body as { tags: { name: string }[]; next: string }
  const second = await ask(control, 'listTags', own, { values: { limit: 2, cursor: next } })
  const names = [...tags, ...(second.body.tags as { name: string }[])].map(({ name }) => name)
  assert.deepEqual(names.sort(), ['b', 'c', 'shop'])
  assert.equal(second.body.next, undefined)
})

test('GET /me shows team, environment, scopes, tags and the key to seal for; GET /user/me the same', async () => {
  const own = await makeCustomer(control, { environment: 'sandbox', scopes: ['tag:read', 'script:read'] })
  const { body } = await ask(control, 'readMe', own, { headers: { 'team-id': undefined } })
  assert.deepEqual([body.teamId, body.environment, body.scopes], [own.teamId, 'sandbox', ['script:read', 'tag:read']])
  assert.deepEqual(body.tags, [
    { tagId: own.tagId, name: 'shop', tagUrl: `https://aglet.example/sandbox/t/${own.tagId}` },
  ])
  assert.deepEqual(body.encryptionKey, control.worlds.sandbox.sealingKeys.active())
  assert.deepEqual((await ask(control, 'readUserMe', own)).body, body)
})

test('GET /jwks.json and /manifest have an ETag and answer 304 to who has it', async () => {
  for (const id of ['readKeys', 'readManifest'] as const) {
    const { headers, body } = await ask(control, id, as)
    assert.notDeepEqual(body, {})
    const again = await ask(control, id, as, { headers: { 'if-none-match': String(headers.etag) } })
    assert.deepEqual([again.status, again.body], [304, {}])
  }
  const { headers, body } = await ask(control, 'readKeys', as, { headers: { authorization: undefined } })
  assert.equal(headers['cache-control'], 'public, max-age=300')
  assert.deepEqual(body, { keys: control.worlds.production.sealingKeys.published() })
})
