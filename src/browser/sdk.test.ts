import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChannelRow } from '#contract/edge.ts'
import { type Edge, init, kind, memory, offline, openPage, settled, stored, tagUrl } from './page.fixture.ts'
import { openSdk } from './sdk.ts'

type Given = NonNullable<Parameters<typeof openPage>[0]>
type Sent = { storage: { service?: unknown; data?: unknown }; [field: string]: unknown }
const defaults = { brand: 'service', version: '1.0.0' }

function open(given: Given = {}) {
  const fake = openPage(given)
  return { ...fake, sdk: openSdk(fake.page, { ...defaults, tagUrl }) }
}
const bodiesTo = (on: ReturnType<typeof open>, path: string) => on.to(path).map(({ body }) => body as Sent)

const facebook: ChannelRow = {
  package: 'facebook',
  category: 'advertising',
  purchaseValueMode: 'gross',
  variables: {},
  rules: {
    capture: [
      { type: 'query', key: 'fbclid', persist: 'edge' },
      { type: 'storage', key: '_fbp', persist: 'edge', location: 'cookie' },
    ],
  },
}

describe('an event', () => {
  test('tells the time, the page and what was said, and resolves with what became of it', async () => {
    const on = open({ search: '?a=1' })
    void on.sdk.init()
    const answer = await on.sdk.tag(
      'AddToCart',
      { value: 5 },
      { all: true, facebook: false },
      { userEmail: 'jane@shop.example' },
    )
    const [event] = bodiesTo(on, '/tag')
    assert.deepEqual(event, {
      eventName: 'AddToCart',
      eventId: event!.eventId,
      timestamp: on.at.now,
      data: { value: 5 },
      providers: { all: true, facebook: false },
      userEmail: 'jane@shop.example',
      pageUrl: 'https://shop.example/?a=1',
      pageTitle: 'Shop',
      referrer: '',
      search: '?a=1',
      userAgent: 'Browser',
      storage: { data: {} },
    })
    assert.deepEqual(answer, { eventId: event!.eventId, status: 'accepted' })
  })

  test('that is told before init waits for it, with the time and page of its own', async () => {
    const on = open({ search: '?before' })
    const answer = on.sdk.tag('PageView')
    on.at.now += 60_000
    on.at.search = '?after'
    void on.sdk.init()
    await answer
    const [event] = bodiesTo(on, '/tag')
    assert.deepEqual([event!.timestamp, event!.search], [on.at.now - 60_000, '?before'])
  })

  test('keeps an eventId and a consent that the page gave itself', async () => {
    const on = open()
    void on.sdk.init()
    await on.sdk.consent({ all: true })
    const storage = { service: { consent: { all: false } } }
    await on.sdk.tag('Purchase', {}, undefined, { eventId: 'order-1', storage })
    const [event] = bodiesTo(on, '/tag')
    assert.deepEqual([event!.eventId, event!.storage.service], ['order-1', storage.service])
  })

  test('stands with what setConfig put in place of the page', async () => {
    const on = open()
    void on.sdk.init()
    await on.sdk.setConfig({ pageUrl: 'https://shop.example/checkout' })
    await on.sdk.tag('PageView')
    assert.equal(bodiesTo(on, '/tag')[0]!.pageUrl, 'https://shop.example/checkout')
  })

  test('that the tag refuses is told to the console, and resolves', async () => {
    const on = open({
      edge: (ask) => (ask.path === '/tag' ? { status: 400, json: { message: 'no eventName' } } : kind(ask)),
    })
    void on.sdk.init()
    assert.deepEqual(await on.sdk.tag(''), { status: 'rejected', message: 'no eventName' })
    assert.match(on.warnings.join(), /no eventName/)
  })
})

describe('who the visitor is', () => {
  test('is what the tag says: every call names the user by it', async () => {
    const on = open({ edge: (ask) => (ask.path === '/init' ? init({ userId: 'usr_known' }) : kind(ask)) })
    void on.sdk.init()
    await on.sdk.tag('PageView')
    assert.equal(await on.sdk.getUserId(), 'usr_known')
    assert.equal(await on.sdk.isNewUser(), true)
    assert.equal(on.to('/tag')[0]!.query.get('userId'), 'usr_known')
  })

  test('is an id of its own for who is new, the same on the next page', async () => {
    const local = memory()
    const userIds = [open({ local }), open({ local })].map((on) => {
      void on.sdk.init().catch(() => {})
      return on
    })
    await settled()
    const [first, second] = userIds.map((on) => on.to('/init')[0]!.query.get('userId'))
    assert.match(first!, /^usr_/)
    assert.equal(second, first)
  })

  test('is in the cookie, where the page can read it', async () => {
    const on = open({ cookies: 'a=b; tag_user_id=usr_cookie', local: memory([[`aglet:${tagUrl}:user`, 'usr_local']]) })
    void on.sdk.init({ userId: 'usr_said' })
    await settled()
    assert.equal(on.to('/init')[0]!.query.get('userId'), 'usr_cookie')
  })
})

describe('consent', () => {
  test('goes to the tag, and stands in every event from then on, on the next page too', async () => {
    const local = memory()
    const on = open({ local })
    void on.sdk.init()
    await on.sdk.tag('PageView')
    await on.sdk.consent({ all: true }, { advertising: false })
    await on.sdk.tag('AddToCart')
    const next = open({ local })
    void next.sdk.init()
    await next.sdk.tag('Purchase')
    const given = { consent: { all: true }, consentCategories: { advertising: false } }
    const [{ consentString, consentCategories }] = bodiesTo(on, '/consent') as [Sent]
    assert.deepEqual({ consent: consentString, consentCategories }, given)
    assert.deepEqual(
      [...bodiesTo(on, '/tag'), ...bodiesTo(next, '/tag')].map(({ storage }) => storage.service),
      [undefined, given, given],
    )
  })

  test('that was given elsewhere is learnt from the tag; what was said here and is on its way is newer', async () => {
    const edge: Edge = (ask) => (ask.path === '/init' ? init({ consent: { consent: { all: false } } }) : kind(ask))
    const on = open({ edge, local: memory([[`aglet:${tagUrl}:consent`, '{"consent":{"all":true}}']]) })
    await on.sdk.init()
    assert.deepEqual(await on.sdk.getConsent(), { consent: { all: false } })
    const other = open({ edge })
    void other.sdk.init()
    void other.sdk.consent({ all: true })
    assert.deepEqual(await other.sdk.getConsent(), { consent: { all: true } })
  })

  test('of a page without a banner is everything, and the tag is told so', async () => {
    const on = open()
    void on.sdk.init({ disableConsentCheck: true })
    await on.sdk.tag('PageView')
    assert.equal(on.to('/init')[0]!.query.get('consentDisabled'), 'true')
    assert.deepEqual(bodiesTo(on, '/tag')[0]!.storage.service, { consent: { all: true } })
  })

  test('nobody was asked for is undefined', async () => {
    const on = open()
    void on.sdk.init()
    assert.equal(await on.sdk.getConsent(), undefined)
  })
})

describe('what the channels capture', () => {
  const edge: Edge = (ask) => (ask.path === '/init' ? init({ result: [facebook] }) : kind(ask))

  test('is told to the tag once, and goes along with every event, though it has gone from the address', async () => {
    const on = open({ edge, search: '?fbclid=click-1', cookies: '_fbp=fb.1.2.3' })
    void on.sdk.init()
    on.at.search = ''
    await on.sdk.tag('PageView')
    await on.sdk.tag('AddToCart')
    const found = { facebook: { fbclid: 'click-1', _fbp: 'fb.1.2.3' } }
    const told = bodiesTo(on, '/data').map(({ data }) => data)
    assert.deepEqual(told, [{ 'facebook::fbclid': 'click-1', 'facebook::_fbp': 'fb.1.2.3' }])
    assert.deepEqual(
      bodiesTo(on, '/tag').map(({ storage }) => storage.data),
      [found, found],
    )
  })

  test('is not looked for after a refusal, and what was kept is forgotten', async () => {
    const local = memory()
    const on = open({ edge, local, search: '?fbclid=click-1' })
    void on.sdk.init()
    await on.sdk.tag('PageView')
    await on.sdk.consent({ all: true, facebook: false })
    await on.sdk.tag('AddToCart')
    assert.deepEqual(
      bodiesTo(on, '/tag').map(({ storage }) => storage.data),
      [{ facebook: { fbclid: 'click-1' } }, {}],
    )
    assert.ok(!local.names().some((name) => local.get(name)?.includes('click-1')))
  })
})

describe('a browser module', () => {
  const form: ChannelRow = {
    package: 'autoFormFill',
    category: 'functional',
    purchaseValueMode: 'gross',
    inPage: true,
    variables: { A: 'b' },
    rules: { capture: [] },
  }
  const edge: Edge = (ask) => (ask.path === '/init' ? init({ result: [facebook, form] }) : kind(ask))

  test('starts when there is consent for its channel and category, and hears the events that are meant for it', async () => {
    const on = open({ edge })
    const started: unknown[] = []
    const heard: unknown[] = []
    const start = ({ variables }: { variables: object }) => {
      started.push(variables)
      return ({ eventName }: Record<string, unknown>) => void heard.push(eventName)
    }
    void on.sdk.module('autoFormFill', { start })
    void on.sdk.init()
    await on.sdk.consent({ all: true }, { functional: false })
    assert.deepEqual(started, [])
    await on.sdk.consent({ all: true }, { functional: true })
    await on.sdk.tag('PageView')
    await on.sdk.tag('Search', {}, { facebook: true })
    await on.sdk.consent({ all: false })
    await on.sdk.tag('Lead')
    assert.deepEqual([started, heard], [[{ A: 'b' }], ['PageView']])
    assert.deepEqual(on.loaded, [])
  })

  test('that did not come with the SDK is fetched from the tag, in the version of the SDK', async () => {
    const on = open({ edge })
    await on.sdk.init()
    assert.deepEqual(on.loaded, [`${tagUrl}/load?version=1.0.0&module=autoFormFill`])
  })

  test('of a channel that the browser wants refused neither starts nor captures', async () => {
    const refused = [facebook, form].map((row) => ({ ...row, refused: true as const }))
    const on = open({
      edge: (ask) => (ask.path === '/init' ? init({ result: refused }) : kind(ask)),
      search: '?fbclid=c',
    })
    void on.sdk.module('autoFormFill', { start: () => assert.fail('it was started') })
    await on.sdk.init({ disableConsentCheck: true })
    await on.sdk.tag('PageView')
    assert.ok(!JSON.stringify(on.asked).includes('"fbclid"'))
    assert.deepEqual(on.loaded, [])
  })

  test('hears of an event by the id under which the edge is told of it', async () => {
    const on = open({ edge })
    const heard: unknown[] = []
    void on.sdk.module('autoFormFill', { start: () => (event) => void heard.push(event.eventId) })
    await on.sdk.init({ disableConsentCheck: true })
    await on.sdk.tag('PageView')
    const [told] = on.to('/tag').map(({ body }) => (body as Sent).eventId)
    assert.ok(told)
    assert.deepEqual(heard, [told])
  })

  test('stores keys of the user', async () => {
    const on = open({ edge })
    void on.sdk.module('autoFormFill', {
      start({ user }) {
        user('email', 'jane@shop.example')
        return undefined
      },
    })
    await on.sdk.init({ disableConsentCheck: true })
    await settled()
    const told = bodiesTo(on, '/user').map(({ key, value }) => [key, value])
    assert.deepEqual(told, [['email', 'jane@shop.example']])
  })
})

describe('what is known of the user', () => {
  test('is written by user and data, and read by getData and keys', async () => {
    const edge: Edge = (ask) => {
      if (ask.path === '/data' && !ask.body) return { status: 200, json: { result: { size: 'M', email: true } } }
      if (ask.path === '/keys') return { status: 200, json: { result: ['size', 'email'] } }
      return ask.path === '/init' || ask.path === '/tag' ? kind(ask) : stored
    }
    const on = open({ edge })
    void on.sdk.init()
    assert.equal((await on.sdk.user('email', 'jane@shop.example')).status, 'accepted')
    await on.sdk.data({ size: 'M' })
    assert.deepEqual(await on.sdk.getData(['size', 'email']), { size: 'M', email: true })
    assert.deepEqual(await on.sdk.keys(), ['size', 'email'])
    assert.equal(on.to('/data').at(-1)!.query.get('keys'), 'size,email')
    const [{ key, value }, { data }] = [bodiesTo(on, '/user')[0]!, bodiesTo(on, '/data')[0]!]
    assert.deepEqual([key, value, data], ['email', 'jane@shop.example', { size: 'M' }])
  })

  test('that cannot be read is an error', async () => {
    const on = open({ edge: (ask) => (ask.path === '/keys' ? { status: 403, json: {} } : kind(ask)) })
    void on.sdk.init()
    await assert.rejects(on.sdk.keys(), /403/)
  })
})

describe('init', () => {
  test('is asked again until there is an answer, and what was told meanwhile follows in one', async () => {
    const on = open({ edge: offline })
    void on.sdk.init()
    const answers = ['PageView', 'ViewContent', 'AddToCart'].map((name) => on.sdk.tag(name))
    await settled()
    assert.deepEqual([on.pauses.map(({ ms }) => ms), on.to('/tag')], [[1_000], []])
    on.at.edge = kind
    on.resume()
    await Promise.all(answers)
    assert.deepEqual(on.eventNames(), [['PageView', 'ViewContent', 'AddToCart']])
  })

  test('that the tag refuses is told, and nothing is sent', async () => {
    const on = open({ edge: () => ({ status: 403, json: { message: 'origin' } }) })
    void on.sdk.tag('PageView')
    await assert.rejects(on.sdk.init(), /403/)
    await assert.rejects(on.sdk.getUserId(), /403/)
    assert.deepEqual([on.warnings.length, on.to('/tag')], [1, []])
  })

  test('without an address says what it needs', async () => {
    const { page } = openPage()
    await assert.rejects(openSdk(page, defaults).init(), /tagUrl/)
  })

  test('asked twice is asked once', async () => {
    const on = open()
    assert.equal((await on.sdk.init()).userId, (await on.sdk.init()).userId)
    assert.equal(on.to('/init').length, 1)
  })
})

test('the answer of a repeat is as good as that of the first', async () => {
  const on = open({
    edge: (ask) => (ask.path === '/tag' ? { status: 200, json: { result: { status: 'duplicate' } } } : kind(ask)),
  })
  void on.sdk.init()
  assert.equal((await on.sdk.tag('PageView')).status, 'duplicate')
  assert.deepEqual(on.warnings, [])
})
