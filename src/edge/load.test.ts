import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { SdkBuild } from '#manifest/sdk.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { aScript } from '../../test/fake/tag.ts'
import { openDoor, tagId } from './edge.fixture.ts'
import { openShelf } from './shelf.ts'

const build = (version: string): SdkBuild => ({
  version,
  core: `sdk("${version}","aglet-brand");`,
  modules: new Map([
    ['autoFormFill', `autoFormFill("${version}");`],
    ['universalAds', `universalAds("${version}");`],
  ]),
})
const sdk = [build('2.0.0'), build('1.0.0')]
const scripts = [
  aScript('1', { providerId: 'universalAds' }),
  aScript('2'),
  aScript('3', { providerId: 'universalAds' }),
]

async function open(t: TestContext, tag: Partial<Snapshot> = { scripts }, on: object = {}) {
  const { port } = await openDoor(t, { tag, on: { sdk, ...on } })
  return async (query = '', headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}/t/${tagId}/load${query}`, { headers })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
}

describe('GET /load', () => {
  test('is the newest SDK with the modules of the live scripts, cacheable for minutes', async (t) => {
    const load = await open(t)
    const { status, headers, text } = await load()
    assert.deepEqual([status, text], [200, 'sdk("2.0.0","service");universalAds("2.0.0");'])
    assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8')
    assert.match(headers.get('cache-control')!, /^public, max-age=300\b/)
    assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin')
    assert.equal(headers.get('set-cookie'), null)
  })

  test('of a version that the manifest lists never changes, and so comes without the modules of today', async (t) => {
    const load = await open(t)
    const { headers, text } = await load('?version=1.0.0')
    assert.equal(text, 'sdk("1.0.0","service");')
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
  })

  test('of a version and a module is that module alone; of none that there is, 404', async (t) => {
    const load = await open(t)
    assert.equal((await load('?version=1.0.0&module=autoFormFill')).text, 'autoFormFill("1.0.0");')
    for (const query of ['?module=nobody', '?version=1.0.0&module=__proto__', '?module='])
      assert.equal((await load(query)).status, 404)
  })

  test('of a version that is gone is the newest, and not for ever', async (t) => {
    const load = await open(t)
    const { status, text, headers } = await load('?version=0.9.0')
    assert.deepEqual([status, text], [200, 'sdk("2.0.0","service");universalAds("2.0.0");'])
    assert.doesNotMatch(headers.get('cache-control')!, /immutable/)
  })

  test('follows the version that the tag was set to, with its modules', async (t) => {
    const load = await open(t, { scripts, sdkVersion: '1.0.0' })
    assert.equal((await load()).text, 'sdk("1.0.0","service");universalAds("1.0.0");')
    const latest = await open(t, { scripts, sdkVersion: 'latest' })
    assert.match((await latest()).text, /2\.0\.0/)
  })

  test('puts the word of the operator in', async (t) => {
    const load = await open(t, { scripts: [] }, { brand: 'AcmeTags' })
    assert.equal((await load()).text, 'sdk("2.0.0","acmeTags");')
  })

  test('is 304 to who has it, in each encoding by its own ETag', async (t) => {
    const load = await open(t)
    const etags = []
    for (const encoding of ['identity', 'gzip', 'gzip, deflate, br']) {
      const first = await load('', { 'accept-encoding': encoding })
      const etag = first.headers.get('etag')!
      const again = await load('', { 'accept-encoding': encoding, 'if-none-match': `"other", W/${etag}` })
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag])
      assert.match(first.headers.get('vary')!, /Accept-Encoding/)
      assert.match(first.text, /^sdk/)
      etags.push(etag)
    }
    assert.equal(new Set(etags).size, 3)
    assert.equal((await load('', { 'if-none-match': '"other"' })).status, 200)
  })

  test('comes as it is to who takes no packing, and to who sends white space for an hour', async (t) => {
    const load = await open(t)
    for (const encoding of ['br;q=0, gzip;q=0', ' \t'.repeat(6_000), ','.repeat(12_000), ';'.repeat(12_000), 'zstd'])
      assert.equal((await load('', { 'accept-encoding': encoding })).headers.get('content-encoding'), null, encoding)
    const refused = await load('', { 'accept-encoding': 'br;q=0, gzip' })
    assert.equal(refused.headers.get('content-encoding'), 'gzip')
  })

  test('is for every page: no token is asked for, and none of it waits while events cannot be taken', async (t) => {
    const load = await open(t, { scripts, serverToken: 'required' }, { busy: () => 5 })
    assert.equal((await load()).status, 200)
    assert.equal((await load('', { origin: 'https://other.example' })).status, 403)
    const listed = await load('', { origin: 'https://www.example.com' })
    assert.equal(listed.headers.get('access-control-allow-origin'), 'https://www.example.com')
  })

  test('is 404 while no SDK was built', async (t) => {
    const load = await open(t, { scripts }, { sdk: [] })
    assert.equal((await load()).status, 404)
  })
})

test('what is served often is packed once', () => {
  const shelf = openShelf(sdk, 'service')
  const [one, other] = [['universalAds', 'facebook'], ['universalAds']].map((providers) => shelf({ providers })!.packed)
  assert.equal(one, other)
  assert.equal(
    gunzipSync(one!.find(({ encoding }) => encoding === 'gzip')!.body).toString(),
    'sdk("2.0.0","service");universalAds("2.0.0");',
  )
})
