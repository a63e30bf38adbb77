import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { callControl, makeCustomer, openTestControl } from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const as = await makeCustomer(control)
const { snapshots } = control.environments.production
const post = (body: Record<string, unknown>) => callControl(control, 'createTag', as, { body })

test('a new tag has the safest settings, and is live at once without scripts', async () => {
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
    saleOptOut: 'refuse',
    sameSite: 'Lax',
    serverToken: 'optional',
    hold: 'off',
    adapters: [],
    passEventId: true,
    captureBeforeConsent: 'memory',
    sources: [],
    sdkVersion: 'latest',
    edgeVersion: 'latest',
    plugins: [],
    createdAt: '2026-11-20',
    version: 1,
    updatedAt: control.clock.now(),
    updatedBy: as.tokenId,
  })
  const live = snapshots.get(String(tagId))
  assert.deepEqual([live?.number, live?.teamId, live?.domain, live?.scripts], [1, as.teamId, 'example.com', []])
})

test('GET returns the values that a tag was created with', async () => {
  const settings = { consent: 'disabled', gpc: true, sameSite: 'None', serverToken: 'required' }
  const body = { name: 'all', domain: 'localhost', allowedOrigins: ['http://localhost:3000'], ...settings }
  const { body: created } = await post(body)
  const { body: read } = await callControl(control, 'readTag', as, { values: { tagId: String(created.tagId) } })
  assert.deepEqual(read, created)
  for (const [name, value] of Object.entries(body)) assert.deepEqual(read[name], value)
})

test('a malformed domain or origin is 400 and makes no tag', async () => {
  for (const body of [
    { domain: 'https://a.com' },
    { domain: 'a.com:80' },
    { domain: 'a.com', allowedOrigins: ['https://a b'] },
  ]) {
    const response = await post({ name: 'bad', ...body })
    assert.deepEqual([response.status, response.body.error], [400, 'BAD_REQUEST'])
  }
  assert.equal((await post({ name: 'bad', domain: 'a.com' })).status, 200)
})

test('a tag has a default country, which is an ISO 3166-1 code, and gives it up for none', async () => {
  const own = await makeCustomer(control)
  const put = (defaultCountry: string) =>
    callControl(control, 'updateTag', own, { values: { tagId: own.tagId }, body: { defaultCountry } })
  assert.equal((await put('DE')).body.defaultCountry, 'DE')
  assert.equal(snapshots.get(own.tagId)?.defaultCountry, 'DE')
  for (const text of ['de', 'Germany', 'ZZ', '']) assert.equal((await put(text)).status, 400, text)
  const { status, body } = await put('none')
  assert.deepEqual([status, 'defaultCountry' in body], [200, false])
})

test('a tag name is unique in a team; another team may use it too', async () => {
  assert.equal((await post({ name: 'shop', domain: 'a.com' })).status, 409)
  const other = await makeCustomer(control)
  const response = await callControl(control, 'createTag', other, { body: { name: 'site', domain: 'a.com' } })
  assert.equal(response.status, 200)
})

test('the tags of a team are listed in pages, without those of another team', async () => {
  const own = await makeCustomer(control)
  for (const name of ['b', 'c']) await callControl(control, 'createTag', own, { body: { name, domain: 'a.com' } })
  const first = await callControl(control, 'listTags', own, { values: { limit: 2 } })
  const { tags, next } = first.body as { tags: { name: string }[]; next: string }
  const second = await callControl(control, 'listTags', own, { values: { limit: 2, cursor: next } })
  const names = [...tags, ...(second.body.tags as { name: string }[])].map(({ name }) => name)
  assert.deepEqual(names.sort(), ['b', 'c', 'shop'])
  assert.equal(second.body.next, undefined)
})

test('GET /me and GET /user/me show team, environment, scopes, tags and the encryption key', async () => {
  const own = await makeCustomer(control, { environment: 'sandbox', scopes: ['tag:read', 'script:read'] })
  const { body } = await callControl(control, 'readMe', own, { headers: { 'team-id': undefined } })
  assert.deepEqual([body.teamId, body.environment, body.scopes], [own.teamId, 'sandbox', ['script:read', 'tag:read']])
  assert.deepEqual(body.tags, [
    { tagId: own.tagId, name: 'shop', tagUrl: `https://aglet.example/sandbox/t/${own.tagId}` },
  ])
  assert.deepEqual(body.encryptionKey, control.environments.sandbox.sealingKeys.active())
  assert.deepEqual((await callControl(control, 'readUserMe', own)).body, body)
})

test('GET /jwks.json and /manifest have an ETag and return 304 for it', async () => {
  for (const id of ['readKeys', 'readManifest'] as const) {
    const { headers, body } = await callControl(control, id, as)
    assert.notDeepEqual(body, {})
    const again = await callControl(control, id, as, { headers: { 'if-none-match': String(headers.etag) } })
    assert.deepEqual([again.status, again.body], [304, {}])
  }
  const { headers, body } = await callControl(control, 'readKeys', as, { headers: { authorization: undefined } })
  assert.equal(headers['cache-control'], 'public, max-age=300')
  assert.deepEqual(body, { keys: control.environments.production.sealingKeys.published() })
})
