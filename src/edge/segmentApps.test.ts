import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { now, openTestEdge, tagId } from './edge.fixture.ts'
import type { EdgeDeps } from './edgeDeps.ts'
import { at, basic, iso, key, openSource } from './source.fixture.ts'

const device = '6b1f4a0e-0c3b-4a55-9d2e-3f6a5b7c8d90'
const idfa = 'AECE52E7-03EE-455A-B3C4-E57283966239'
const idfv = '2A3B4C5D-03EE-455A-B3C4-E57283966239'

/** The fields that Segment's SDK for iOS adds to each message. */
const onPhone = (more: object = {}) => ({
  app: { name: 'Shop', version: '2.1', build: 210, namespace: 'example.shop' },
  device: { id: idfv, type: 'ios', model: 'iPhone15,2', manufacturer: 'Apple', adTrackingEnabled: true, ...more },
  os: { name: 'iOS', version: '17.4' },
  screen: { width: 390, height: 844, density: 3 },
  locale: 'en-US',
  timezone: 'Europe/Berlin',
  userAgent: 'Mozilla/5.0 (iPhone)',
})
const track = (more: object = {}) => ({
  type: 'track',
  event: 'Product Searched',
  messageId: 'msg-1',
  anonymousId: device,
  timestamp: iso(now),
  context: onPhone(),
  ...more,
})

/** Sends like the SDKs for apps: gzip, text/plain, the key only in the body. */
async function openApps(t: TestContext, tag: object = {}) {
  const edge = await openSource(t, 'segment', ['event:write'], tag)
  const post = (batch: readonly unknown[], body: object = {}, headers = {}) =>
    edge.ask({
      method: 'POST',
      path: at('/v1/b'),
      headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip', ...headers },
      body: gzipSync(JSON.stringify({ batch, sentAt: iso(now), writeKey: tagId, ...body })),
    })
  return { ...edge, post }
}

test('an SDK of Segment finds the address of the tag in the settings of its own key', async (t) => {
  const { send } = await openSource(t, 'segment')
  for (const path of [`/v1/projects/${tagId}/settings`, `/projects/${tagId}/settings`]) {
    const got = await send(path, undefined, {}, 'GET')
    assert.equal(got.status, 200, got.text)
    assert.equal(got.headers['cache-control'], 'public, max-age=300')
    assert.deepEqual(got.json, {
      integrations: { 'Segment.io': { apiKey: tagId, apiHost: `aglet.example/t/${tagId}/v1` } },
      plan: {},
      edgeFunction: {},
      metrics: { sampleRate: 0 },
      middlewareSettings: {},
    })
  }
})

test('on a host name of the tag the settings name that host, whatever else the request says', async (t) => {
  const { ask } = await openSource(t, 'segment', ['event:write'], { hosts: ['d.example.com'] })
  const headers = { host: 'd.example.com', 'x-forwarded-host': 'evil.example', 'x-forwarded-prefix': '/evil' }
  const got = await ask({ method: 'GET', path: `/v1/projects/${tagId}/settings`, headers })
  assert.equal(got.json.integrations['Segment.io'].apiHost, 'd.example.com/v1')
})

test('the secret key of a server has settings too, which no shared cache keeps', async (t) => {
  const { send } = await openSource(t, 'segment')
  const got = await send(`/v1/projects/${key}/settings`, undefined, {}, 'GET')
  assert.equal(got.headers['cache-control'], 'private, max-age=300')
  assert.equal(got.json.integrations['Segment.io'].apiKey, key)
})

test('an unknown key has no settings, and is looked up as a known one is', async (t) => {
  const asked: (string | undefined)[] = []
  const deps: Partial<EdgeDeps> = {
    authenticate: async (authorization) => {
      asked.push(authorization)
      return { by: 'tok_1', teamId: 'team_other', application: 'operator', scopes: new Set(['event:write']) }
    },
  }
  const { ask } = await openTestEdge(t, { tag: { sources: ['segment'] }, deps })
  for (const [path, status] of [
    [`/projects/${tagId}/settings`, 200],
    ['/projects/tag_01jd0000000000000000000009/settings', 404],
    ['/v1/projects/x/settings', 404],
    [`/projects/${'x'.repeat(401)}/settings`, 404],
    ['/projects//settings', 404],
    [`/projects/${tagId}/settings/x`, 404],
  ] as const)
    assert.equal((await ask({ method: 'GET', path: at(path) })).status, status, path)
  assert.equal(asked.length, 3, 'each key of a possible length is looked up once')
})

test('there are no settings where the tag does not take the source', async (t) => {
  const edge = await openTestEdge(t, { tag: { sources: ['ga4'] } })
  for (const path of [`/projects/${tagId}/settings`, '/sourceConfig'])
    assert.equal((await edge.ask({ method: 'GET', path: at(path) })).status, 404)
})

test('an SDK of RudderStack finds the address of the tag in its source configuration', async (t) => {
  const { send } = await openSource(t, 'segment')
  const got = await send('/sourceConfig/?p=android&v=1.27.0&bv=17', undefined, basic(tagId), 'GET')
  assert.equal(got.status, 200, got.text)
  const plane = [{ url: `https://aglet.example/t/${tagId}`, default: true }]
  assert.deepEqual(got.json.source.dataplanes, { EU: plane, US: plane })
  assert.deepEqual([got.json.source.writeKey, got.json.source.enabled], [tagId, true])
  assert.deepEqual(got.json.source.destinations, [])
  assert.equal(got.headers['cache-control'], 'private, max-age=300')
  for (const headers of [{}, basic('another'), { authorization: 'Basic !' }])
    assert.equal((await send('/sourceConfig', undefined, headers, 'GET')).status, 404)
})

test('a batch of an app in gzip and text/plain is taken with the key in its body, and the key is stored nowhere', async (t) => {
  const { post, events } = await openApps(t, { serverToken: 'required' })
  assert.equal((await post([track()], { writeKey: key })).status, 200)
  assert.equal(events()[0]!.context.trusted, true)
  assert.doesNotMatch(JSON.stringify(events()), new RegExp(key))
  const refused = await post([track({ messageId: 'msg-2' })])
  assert.equal(refused.status, 403, 'the public key proves nothing')
  assert.equal((await post([track({ messageId: 'msg-3' })], { writeKey: 'wrong' })).status, 401)
})

test('the key of the request counts where that of the body is another one, and the difference is told', async (t) => {
  const { post, events } = await openApps(t)
  const got = await post([track()], { writeKey: 'another' }, basic(key))
  assert.equal(got.status, 200, got.text)
  assert.match(`${got.json.result[0].warnings}`, /writeKey in the body differs/)
  assert.equal(events()[0]!.context.trusted, true)
  assert.doesNotMatch(JSON.stringify(events()), /another"/)
})

test('a page needs no key, so that the one in its body is not read', async (t) => {
  const { post, events } = await openApps(t)
  const got = await post([track()], { writeKey: 'key of another product' }, { origin: 'https://example.com' })
  assert.equal(got.status, 200, got.text)
  assert.equal(events()[0]!.context.trusted, false)
})

test('facts of app and device become fields of the event, and ids by the names that providers read', async (t) => {
  const { post, events } = await openApps(t)
  await post([track({ context: onPhone({ advertisingId: idfa }), properties: { query: 'shoes' } })])
  const { app, data, userAgent } = events()[0]!.event
  assert.deepEqual(app, {
    ...{ platform: 'ios', id: 'example.shop', name: 'Shop', version: '2.1', build: '210', osVersion: '17.4' },
    ...{ model: 'iPhone15,2', manufacturer: 'Apple', locale: 'en-US', timezone: 'Europe/Berlin' },
    ...{ screenWidth: '390', screenHeight: '844', screenDensity: '3', adTracking: true },
  })
  assert.deepEqual([data?.idfa, data?.idfv], [idfa, idfv])
  assert.equal(userAgent, 'Mozilla/5.0 (iPhone)')
})

test('the advertising id counts only where the person allows tracking, and an id of zeros is none', async (t) => {
  const { post, events } = await openApps(t)
  const zeros = '00000000-0000-0000-0000-000000000000'
  const devices = [
    { advertisingId: idfa, adTrackingEnabled: false },
    { advertisingId: idfa, adTrackingEnabled: undefined },
    { advertisingId: idfa, adTrackingEnabled: 'true' },
    { advertisingId: zeros, id: zeros },
    { advertisingId: { $ne: 1 }, id: ['x'] },
    { type: 'android', advertisingId: idfa, id: 'made by the SDK' },
  ]
  await post(devices.map((each, n) => track({ messageId: `m-${n}`, context: onPhone(each) })))
  assert.deepEqual(
    events().map(({ event }) => Object.keys(event.data ?? {})),
    [['idfv'], ['idfv'], ['idfv'], [], [], ['gaid']],
  )
})

test('a page or a server has no facts of an app, whatever device it names', async (t) => {
  const { post, events } = await openApps(t)
  const contexts = [{ device: { type: 'ios' } }, { app: { name: 'x' } }, { app: { name: 'x' }, os: { name: 'Linux' } }]
  await post(contexts.map((context, n) => track({ messageId: `m-${n}`, context })))
  for (const { event } of events()) assert.equal(event.app, undefined)
})

test('click ids are read from the link that opened the app; only a link of the web is a page', async (t) => {
  const { post, events } = await openApps(t)
  const opened = (messageId: string, event: string, url: unknown) => track({ messageId, event, properties: { url } })
  await post([
    opened('m-1', 'Deep Link Opened', 'shop://product/1?fbclid=Click-1#top?x=1'),
    opened('m-2', 'Application Opened', 'https://shop.example/sale?ttclid=Click-2'),
    opened('m-3', 'Product Shared', 'https://shop.example/?fbclid=theirs'),
    opened('m-4', 'Deep Link Opened', { a: 1 }),
  ])
  assert.deepEqual(
    events().map(({ event }) => [event.pageUrl, event.search]),
    [
      [undefined, '?fbclid=Click-1'],
      ['https://shop.example/sale?ttclid=Click-2', '?ttclid=Click-2'],
      [undefined, undefined],
      [undefined, undefined],
    ],
  )
})

test('the answer of a consent manager is stored as the consent of its event, which goes to no channel', async (t) => {
  const { post, events } = await openApps(t)
  const consent = { categoryPreferences: { Advertising: false, Analytics: true } }
  await post([track({ event: 'Segment Consent Preference Updated', context: { ...onPhone(), consent } })])
  const { providers, storage } = events()[0]!.event
  assert.deepEqual(providers, { all: false })
  assert.deepEqual(storage, { service: { consentCategories: { advertising: false, analytics: true } } })
})

test('a device whose clock is years off sends events of now', async (t) => {
  const { post, events } = await openApps(t)
  for (const [n, years] of [-7, 12].entries()) {
    const clock = now + years * 365 * 86_400_000
    const got = await post([track({ messageId: `m-${n}`, timestamp: iso(clock - 5_000) })], { sentAt: iso(clock) })
    assert.equal(got.status, 200, got.text)
    assert.equal(events()[n]!.event.timestamp, now - 5_000)
  }
})
