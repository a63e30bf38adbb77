import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { SdkBuild } from '#manifest/sdkBuilds.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { aScript } from '../../test/fake/tag.ts'
import { openTestEdge, tagId } from './edge.fixture.ts'
import { openSdkAssets } from './sdkAssets.ts'

const build = (version: string): SdkBuild => ({
  version,
  core: `sdk("${version}","aglet-brand");`,
  gatedCore: `gated("${version}","aglet-brand","aglet-capture");`,
  modules: new Map([
    ['autoFormFill', `autoFormFill("${version}");`],
    ['universalAds', `universalAds("${version}");`],
  ]),
  adapterBase: 'base("aglet-primary","aglet-pass-event-id");',
  adapters: new Map(['dataLayer', 'gtag', 'fbq'].map((name) => [name, `${name}("${version}");`])),
})
const sdk = [build('2.0.0'), build('1.0.0')]
const scripts = [
  aScript('1', { providerId: 'universalAds' }),
  aScript('2'),
  aScript('3', { providerId: 'universalAds' }),
]

async function open(t: TestContext, tag: Partial<Snapshot> = { scripts }, deps: object = {}) {
  const { port } = await openTestEdge(t, { tag, deps: { sdk, ...deps } })
  return async (query = '', headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}/t/${tagId}/load${query}`, { headers })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
}

describe('GET /load', () => {
  test('returns the SDK with the setting of the tag for the time before a consent', async (t) => {
    const load = await open(t, { scripts: [], consent: 'enabled', captureBeforeConsent: 'memory' })
    assert.equal((await load()).text, 'gated("2.0.0","service","memory");')
  })

  test('returns the setting alone to an SDK that was loaded without it, and sets no cookie', async (t) => {
    const settingOf = async (tag: Partial<Snapshot>) => {
      const { status, headers, text } = await (await open(t, tag))('?settings=true')
      assert.deepEqual([status, headers.get('set-cookie')], [200, null])
      assert.match(headers.get('cache-control')!, /^public, max-age=300\b/)
      return JSON.parse(text)
    }
    assert.deepEqual(
      [
        await settingOf({ consent: 'enabled', captureBeforeConsent: 'none' }),
        await settingOf({ consent: 'enabled' }),
        await settingOf({ consent: 'disabled', captureBeforeConsent: 'memory' }),
      ],
      [{ captureBeforeConsent: 'none' }, { captureBeforeConsent: 'all' }, { captureBeforeConsent: 'all' }],
    )
  })

  test('returns the newest SDK with the modules of the deployed scripts, cacheable for five minutes', async (t) => {
    const load = await open(t)
    const { status, headers, text } = await load()
    assert.deepEqual([status, text], [200, 'sdk("2.0.0","service");universalAds("2.0.0");'])
    assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8')
    assert.match(headers.get('cache-control')!, /^public, max-age=300\b/)
    assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin')
    assert.equal(headers.get('set-cookie'), null)
  })

  test('returns a version of the manifest without modules, so that the response never changes', async (t) => {
    const load = await open(t)
    const { headers, text } = await load('?version=1.0.0')
    assert.equal(text, 'gated("1.0.0","service","");')
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
  })

  test('returns a single module of a version, and 404 for an unknown module', async (t) => {
    const load = await open(t)
    assert.equal((await load('?version=1.0.0&module=autoFormFill')).text, 'autoFormFill("1.0.0");')
    for (const query of ['?module=nobody', '?version=1.0.0&module=__proto__', '?module='])
      assert.equal((await load(query)).status, 404)
  })

  test('returns the newest SDK for an unknown version, and it is not immutable', async (t) => {
    const load = await open(t)
    const { status, text, headers } = await load('?version=0.9.0')
    assert.deepEqual([status, text], [200, 'sdk("2.0.0","service");universalAds("2.0.0");'])
    assert.doesNotMatch(headers.get('cache-control')!, /immutable/)
  })

  test('returns the version that the tag prefers, with its modules', async (t) => {
    const load = await open(t, { scripts, sdkVersion: '1.0.0' })
    assert.equal((await load()).text, 'sdk("1.0.0","service");universalAds("1.0.0");')
    const latest = await open(t, { scripts, sdkVersion: 'latest' })
    assert.match((await latest()).text, /2\.0\.0/)
  })

  describe('with adapters', () => {
    const tag = {
      scripts: [],
      adapters: ['fbq', 'dataLayer'],
      primaryAdapter: 'dataLayer',
      passEventId: false,
    } as const
    const settings = 'base("dataLayer","false");'

    test('returns those of the tag behind the SDK, the primary one first', async (t) => {
      const load = await open(t, { ...tag, scripts: [...tag.scripts], adapters: [...tag.adapters] })
      assert.equal((await load()).text, `sdk("2.0.0","service");${settings}dataLayer("2.0.0");fbq("2.0.0");`)
    })

    test('returns those that the URL names instead, in one order, for whatever order it names them in', async (t) => {
      const load = await open(t, { ...tag, scripts: [], adapters: ['fbq'] })
      for (const query of ['?adapters=gtag,dataLayer', '?adapters=dataLayer,,gtag,dataLayer']) {
        const { text, headers } = await load(query)
        assert.equal(text, `sdk("2.0.0","service");${settings}dataLayer("2.0.0");gtag("2.0.0");`)
        assert.match(headers.get('cache-control')!, /^public, max-age=300\b/)
      }
      assert.equal((await load('?adapters=')).text, 'sdk("2.0.0","service");')
    })

    test('takes only names of adapters from the URL, and the page is warned of others', async (t) => {
      const load = await open(t, { scripts: [] })
      for (const name of ['fbx', '__proto__', 'constructor', '"+alert(1)+"', '</script>', 'x'.repeat(8_000)]) {
        const { status, text } = await load(`?adapters=fbq,${encodeURIComponent(name)}`)
        assert.equal(status, 200)
        assert.match(text, /^sdk\("2.0.0","service"\);base\("none","true"\);fbq\("2.0.0"\);console\.warn\("[^"]+"\);$/)
        assert.ok(!text.includes(name))
      }
    })

    test('of a pinned version are those of the URL alone, without the settings of the tag', async (t) => {
      const load = await open(t, { ...tag, scripts: [], adapters: ['fbq'] })
      const pinned = 'gated("1.0.0","service","");'
      assert.equal((await load('?version=1.0.0')).text, pinned)
      assert.equal((await load('?version=1.0.0&adapters=fbq')).text, `${pinned}base("none","true");fbq("1.0.0");`)
      assert.equal((await load('?module=autoFormFill&adapters=fbq')).text, 'autoFormFill("2.0.0");')
    })

    test('that the version does not have yet are left out', async (t) => {
      const older = { ...build('0.9.0'), adapters: new Map<string, string>(), adapterBase: '' }
      const load = await open(t, { scripts: [], adapters: ['fbq'] }, { sdk: [older] })
      assert.equal((await load()).text, 'sdk("0.9.0","service");')
    })

    test('that a URL names are not compressed by brotli, which takes too long for every set that a stranger can name', async (t) => {
      const load = await open(t, { scripts: [], adapters: ['fbq'] })
      const encodingOf = async (query: string) =>
        (await load(query, { 'accept-encoding': 'gzip, br' })).headers.get('content-encoding')
      assert.deepEqual([await encodingOf(''), await encodingOf('?adapters=gtag')], ['br', 'gzip'])
    })
  })

  test('inserts the brand of the operator', async (t) => {
    const load = await open(t, { scripts: [] }, { brand: 'AcmeTags' })
    assert.equal((await load()).text, 'sdk("2.0.0","acmeTags");')
  })

  test('is 304 for a known ETag, of which each encoding has its own', async (t) => {
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

  test('is not compressed for a client that accepts no compression or sends a hostile Accept-Encoding', async (t) => {
    const load = await open(t)
    for (const encoding of ['br;q=0, gzip;q=0', ' \t'.repeat(6_000), ','.repeat(12_000), ';'.repeat(12_000), 'zstd'])
      assert.equal((await load('', { 'accept-encoding': encoding })).headers.get('content-encoding'), null, encoding)
    const refused = await load('', { 'accept-encoding': 'br;q=0, gzip' })
    assert.equal(refused.headers.get('content-encoding'), 'gzip')
  })

  test('requires no token, and answers while events cannot be accepted', async (t) => {
    const load = await open(t, { scripts, serverToken: 'required' }, { retryAfterSeconds: () => 5 })
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

test('a script is compressed once', () => {
  const assets = openSdkAssets(sdk, 'service')
  const [one, other] = [['universalAds', 'facebook'], ['universalAds']].map(
    (providers) => assets({ providers, captureBeforeConsent: 'all', adapters: { names: [] } })!.encoded,
  )
  assert.equal(one, other)
  assert.equal(
    gunzipSync(one!.find(({ encoding }) => encoding === 'gzip')!.body).toString(),
    'sdk("2.0.0","service");universalAds("2.0.0");',
  )
})
