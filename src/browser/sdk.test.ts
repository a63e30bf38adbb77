import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserChannel } from '#contract/edgeResponses.ts'
import {
  acceptingEdge,
  type FakeEdge,
  failToAnswer,
  initReply,
  memoryStorage,
  nextTask,
  openPage,
  storedReply,
  tagUrl,
} from './browserPage.fixture.ts'
import { openSdk } from './sdk.ts'
import { openPageSession } from './session.ts'

type Given = NonNullable<Parameters<typeof openPage>[0]>
type Sent = { storage: { service?: unknown; data?: unknown }; [field: string]: unknown }
const defaults = { brand: 'service', version: '1.0.0' }

function open(given: Given = {}) {
  const fake = openPage(given)
  return { ...fake, sdk: openSdk(fake.page, openPageSession, { ...defaults, tagUrl }) }
}
const bodiesTo = (deps: ReturnType<typeof open>, path: string) => deps.to(path).map(({ body }) => body as Sent)

const facebook: BrowserChannel = {
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
  test('has the time, the page and the fields of the call, and resolves with its result', async () => {
    const opened = open({ search: '?a=1' })
    void opened.sdk.init()
    const answer = await opened.sdk.tag(
      'AddToCart',
      { value: 5 },
      { all: true, facebook: false },
      { userEmail: 'jane@shop.example' },
    )
    const [event] = bodiesTo(opened, '/tag')
    assert.deepEqual(event, {
      eventName: 'AddToCart',
      eventId: event!.eventId,
      timestamp: opened.at.now,
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

  test('that is sent before init waits for it, with the time and page of the call', async () => {
    const opened = open({ search: '?before' })
    const answer = opened.sdk.tag('PageView')
    opened.at.now += 60_000
    opened.at.search = '?after'
    void opened.sdk.init()
    await answer
    const [event] = bodiesTo(opened, '/tag')
    assert.deepEqual([event!.timestamp, event!.search], [opened.at.now - 60_000, '?before'])
  })

  test('keeps an eventId and a consent that the page sets', async () => {
    const opened = open()
    void opened.sdk.init()
    await opened.sdk.consent({ all: true })
    const storage = { service: { consent: { all: false } } }
    await opened.sdk.tag('Purchase', {}, undefined, { eventId: 'order-1', storage })
    const [event] = bodiesTo(opened, '/tag')
    assert.deepEqual([event!.eventId, event!.storage.service], ['order-1', storage.service])
  })

  test('has the fields of setConfig instead of those of the page', async () => {
    const opened = open()
    void opened.sdk.init()
    await opened.sdk.setConfig({ pageUrl: 'https://shop.example/checkout' })
    await opened.sdk.tag('PageView')
    assert.equal(bodiesTo(opened, '/tag')[0]!.pageUrl, 'https://shop.example/checkout')
  })

  test('that the tag refuses is logged to the console, and resolves', async () => {
    const opened = open({
      edge: (ask) => (ask.path === '/tag' ? { status: 400, json: { message: 'no eventName' } } : acceptingEdge(ask)),
    })
    void opened.sdk.init()
    assert.deepEqual(await opened.sdk.tag(''), { status: 'rejected', message: 'no eventName' })
    assert.match(opened.warnings.join(), /no eventName/)
  })
})

describe('the user id', () => {
  test('is the one of the tag, and every call has it', async () => {
    const opened = open({
      edge: (ask) => (ask.path === '/init' ? initReply({ userId: 'usr_known' }) : acceptingEdge(ask)),
    })
    void opened.sdk.init()
    await opened.sdk.tag('PageView')
    assert.equal(await opened.sdk.getUserId(), 'usr_known')
    assert.equal(await opened.sdk.isNewUser(), true)
    assert.equal(opened.to('/tag')[0]!.query.get('userId'), 'usr_known')
  })

  test('of a new visitor is created, and is the same on the next page', async () => {
    const local = memoryStorage()
    const userIds = [open({ local }), open({ local })].map((deps) => {
      void deps.sdk.init().catch(() => {})
      return deps
    })
    await nextTask()
    const [first, second] = userIds.map((deps) => deps.to('/init')[0]!.query.get('userId'))
    assert.match(first!, /^usr_/)
    assert.equal(second, first)
  })

  test('is read from the cookie where the page can read it', async () => {
    const opened = open({
      cookies: 'a=b; tag_user_id=usr_cookie',
      local: memoryStorage([[`aglet:${tagUrl}:user`, 'usr_local']]),
    })
    void opened.sdk.init({ userId: 'usr_said' })
    await nextTask()
    assert.equal(opened.to('/init')[0]!.query.get('userId'), 'usr_cookie')
  })
})

describe('consent', () => {
  test('is sent to the tag, and is in every later event, on the next page too', async () => {
    const local = memoryStorage()
    const opened = open({ local })
    void opened.sdk.init()
    await opened.sdk.tag('PageView')
    await opened.sdk.consent({ all: true }, { advertising: false })
    await opened.sdk.tag('AddToCart')
    const next = open({ local })
    void next.sdk.init()
    await next.sdk.tag('Purchase')
    const given = { consent: { all: true }, consentCategories: { advertising: false } }
    const [{ consentString, consentCategories }] = bodiesTo(opened, '/consent') as [Sent]
    assert.deepEqual({ consent: consentString, consentCategories }, given)
    assert.deepEqual(
      [...bodiesTo(opened, '/tag'), ...bodiesTo(next, '/tag')].map(({ storage }) => storage.service),
      [undefined, given, given],
    )
  })

  test('that was given elsewhere comes from the tag, unless a consent of this page is still in the queue', async () => {
    const edge: FakeEdge = (ask) =>
      ask.path === '/init' ? initReply({ consent: { consent: { all: false } } }) : acceptingEdge(ask)
    const opened = open({ edge, local: memoryStorage([[`aglet:${tagUrl}:consent`, '{"consent":{"all":true}}']]) })
    await opened.sdk.init()
    assert.deepEqual(await opened.sdk.getConsent(), { consent: { all: false } })
    const other = open({ edge })
    void other.sdk.init()
    void other.sdk.consent({ all: true })
    assert.deepEqual(await other.sdk.getConsent(), { consent: { all: true } })
  })

  test('of a page without a banner allows everything, and the tag gets that consent', async () => {
    const opened = open()
    void opened.sdk.init({ disableConsentCheck: true })
    await opened.sdk.tag('PageView')
    assert.deepEqual(bodiesTo(opened, '/tag')[0]!.storage.service, { consent: { all: true } })
  })

  test('that the visitor has not given yet is told by each event until there is an answer', async () => {
    const opened = open()
    void opened.sdk.init()
    assert.deepEqual(await opened.sdk.consent('default', { advertising: false }), { status: 'ignored' })
    await opened.sdk.tag('PageView')
    assert.deepEqual(opened.to('/consent'), [])
    assert.equal(await opened.sdk.getConsent(), undefined)
    await opened.sdk.consent({ all: true })
    await opened.sdk.tag('PageView')
    await opened.sdk.consent('default')
    await opened.sdk.tag('PageView')
    const agreed = { consent: { all: true } }
    assert.deepEqual(
      bodiesTo(opened, '/tag').map(({ storage }) => storage.service),
      [{ consentState: 'unanswered' }, agreed, agreed],
    )
  })

  test('that was never given is undefined', async () => {
    const opened = open()
    void opened.sdk.init()
    assert.equal(await opened.sdk.getConsent(), undefined)
  })
})

describe('a captured value', () => {
  const edge: FakeEdge = (ask) => (ask.path === '/init' ? initReply({ result: [facebook] }) : acceptingEdge(ask))

  test('is sent to the tag once, and is in every event even when it is no longer in the address', async () => {
    const opened = open({ edge, search: '?fbclid=click-1', cookies: '_fbp=fb.1.2.3' })
    void opened.sdk.init()
    opened.at.search = ''
    await opened.sdk.tag('PageView')
    await opened.sdk.tag('AddToCart')
    const found = { facebook: { fbclid: 'click-1', _fbp: 'fb.1.2.3' } }
    const bodies = bodiesTo(opened, '/data').map(({ data }) => data)
    assert.deepEqual(bodies, [{ 'facebook::fbclid': 'click-1', 'facebook::_fbp': 'fb.1.2.3' }])
    assert.deepEqual(
      bodiesTo(opened, '/tag').map(({ storage }) => storage.data),
      [found, found],
    )
  })

  test('is not read after a refusal, and stored ones are deleted', async () => {
    const local = memoryStorage()
    const opened = open({ edge, local, search: '?fbclid=click-1' })
    void opened.sdk.init()
    await opened.sdk.tag('PageView')
    await opened.sdk.consent({ all: true, facebook: false })
    await opened.sdk.tag('AddToCart')
    assert.deepEqual(
      bodiesTo(opened, '/tag').map(({ storage }) => storage.data),
      [{ facebook: { fbclid: 'click-1' } }, {}],
    )
    assert.ok(!local.names().some((name) => local.get(name)?.includes('click-1')))
  })
})

describe('a browser module', () => {
  const form: BrowserChannel = {
    package: 'autoFormFill',
    category: 'functional',
    purchaseValueMode: 'gross',
    inPage: true,
    variables: { A: 'b' },
    rules: { capture: [] },
  }
  const edge: FakeEdge = (ask) => (ask.path === '/init' ? initReply({ result: [facebook, form] }) : acceptingEdge(ask))

  test('starts with consent for its channel and category, and gets the events for its channel', async () => {
    const opened = open({ edge })
    const started: unknown[] = []
    const events: unknown[] = []
    const start = ({ variables }: { variables: object }) => {
      started.push(variables)
      return ({ eventName }: Record<string, unknown>) => void events.push(eventName)
    }
    void opened.sdk.module('autoFormFill', { start })
    void opened.sdk.init()
    await opened.sdk.consent({ all: true }, { functional: false })
    assert.deepEqual(started, [])
    await opened.sdk.consent({ all: true }, { functional: true })
    await opened.sdk.tag('PageView')
    await opened.sdk.tag('Search', {}, { facebook: true })
    await opened.sdk.consent({ all: false })
    await opened.sdk.tag('Lead')
    assert.deepEqual([started, events], [[{ A: 'b' }], ['PageView']])
    assert.deepEqual(opened.loaded, [])
  })

  test('that is not part of the SDK is fetched from the tag, in the version of the SDK', async () => {
    const opened = open({ edge })
    await opened.sdk.init()
    assert.deepEqual(opened.loaded, [`${tagUrl}/load?version=1.0.0&module=autoFormFill`])
  })

  test('of a refused channel neither starts nor captures', async () => {
    const refused = [facebook, form].map((row) => ({ ...row, refused: true as const }))
    const opened = open({
      edge: (ask) => (ask.path === '/init' ? initReply({ result: refused }) : acceptingEdge(ask)),
      search: '?fbclid=c',
    })
    void opened.sdk.module('autoFormFill', { start: () => assert.fail('it was started') })
    await opened.sdk.init({ disableConsentCheck: true })
    await opened.sdk.tag('PageView')
    assert.ok(!JSON.stringify(opened.asked).includes('"fbclid"'))
    assert.deepEqual(opened.loaded, [])
  })

  test('gets an event with the same id as the edge', async () => {
    const opened = open({ edge })
    const events: unknown[] = []
    void opened.sdk.module('autoFormFill', { start: () => (event) => void events.push(event.eventId) })
    await opened.sdk.init({ disableConsentCheck: true })
    await opened.sdk.tag('PageView')
    const [bodies] = opened.to('/tag').map(({ body }) => (body as Sent).eventId)
    assert.ok(bodies)
    assert.deepEqual(events, [bodies])
  })

  test('stores keys of the user', async () => {
    const opened = open({ edge })
    void opened.sdk.module('autoFormFill', {
      start({ user }) {
        user('email', 'jane@shop.example')
        return undefined
      },
    })
    await opened.sdk.init({ disableConsentCheck: true })
    await nextTask()
    const bodies = bodiesTo(opened, '/user').map(({ key, value }) => [key, value])
    assert.deepEqual(bodies, [['email', 'jane@shop.example']])
  })
})

describe('the data of the user', () => {
  test('is written by user and data, and read by getData and keys', async () => {
    const edge: FakeEdge = (ask) => {
      if (ask.path === '/data' && !ask.body) return { status: 200, json: { result: { size: 'M', email: true } } }
      if (ask.path === '/keys') return { status: 200, json: { result: ['size', 'email'] } }
      return ask.path === '/init' || ask.path === '/tag' ? acceptingEdge(ask) : storedReply
    }
    const opened = open({ edge })
    void opened.sdk.init()
    assert.equal((await opened.sdk.user('email', 'jane@shop.example')).status, 'accepted')
    await opened.sdk.data({ size: 'M' })
    assert.deepEqual(await opened.sdk.getData(['size', 'email']), { size: 'M', email: true })
    assert.deepEqual(await opened.sdk.keys(), ['size', 'email'])
    assert.equal(opened.to('/data').at(-1)!.query.get('keys'), 'size,email')
    const [{ key, value }, { data }] = [bodiesTo(opened, '/user')[0]!, bodiesTo(opened, '/data')[0]!]
    assert.deepEqual([key, value, data], ['email', 'jane@shop.example', { size: 'M' }])
  })

  test('that cannot be read is an error', async () => {
    const opened = open({ edge: (ask) => (ask.path === '/keys' ? { status: 403, json: {} } : acceptingEdge(ask)) })
    void opened.sdk.init()
    await assert.rejects(opened.sdk.keys(), /403/)
  })
})

describe('init', () => {
  test('is retried until there is a response, and the calls that waited follow in one request', async () => {
    const opened = open({ edge: failToAnswer })
    void opened.sdk.init()
    const answers = ['PageView', 'ViewContent', 'AddToCart'].map((name) => opened.sdk.tag(name))
    await nextTask()
    assert.deepEqual([opened.pauses.map(({ ms }) => ms), opened.to('/tag')], [[1_000], []])
    opened.at.edge = acceptingEdge
    opened.resume()
    await Promise.all(answers)
    assert.deepEqual(opened.eventNames(), [['PageView', 'ViewContent', 'AddToCart']])
  })

  test('that the tag refuses is logged, and nothing is sent', async () => {
    const opened = open({ edge: () => ({ status: 403, json: { message: 'origin' } }) })
    void opened.sdk.tag('PageView')
    await assert.rejects(opened.sdk.init(), /403/)
    await assert.rejects(opened.sdk.getUserId(), /403/)
    assert.deepEqual([opened.warnings.length, opened.to('/tag')], [1, []])
  })

  test('without a tagUrl is an error that names it', async () => {
    const { page } = openPage()
    await assert.rejects(openSdk(page, openPageSession, defaults).init(), /tagUrl/)
  })

  test('called twice sends one request', async () => {
    const opened = open()
    assert.equal((await opened.sdk.init())!.userId, (await opened.sdk.init())!.userId)
    assert.equal(opened.to('/init').length, 1)
  })
})

test('a duplicate resolves like the first call', async () => {
  const opened = open({
    edge: (ask) =>
      ask.path === '/tag' ? { status: 200, json: { result: { status: 'duplicate' } } } : acceptingEdge(ask),
  })
  void opened.sdk.init()
  assert.equal((await opened.sdk.tag('PageView')).status, 'duplicate')
  assert.deepEqual(opened.warnings, [])
})
