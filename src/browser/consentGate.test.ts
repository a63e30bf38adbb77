import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CaptureBeforeConsent, ConsentMaps } from '#contract/edgeResponses.ts'
import {
  acceptingEdge,
  type FakeEdge,
  failToAnswer,
  initReply,
  memoryStorage,
  nextTask,
  openPage,
  tagUrl,
} from './browserPage.fixture.ts'
import { hasGrant } from './consent.ts'
import { openGatedSession } from './consentGate.ts'
import { openSdk } from './sdk.ts'

type Given = NonNullable<Parameters<typeof openPage>[0]>

function open(captureBeforeConsent: CaptureBeforeConsent | undefined, given: Given = {}) {
  const fake = openPage(given)
  const sdk = openSdk(fake.page, openGatedSession, { brand: 'service', version: '1.0.0', tagUrl, captureBeforeConsent })
  void sdk.init()
  return { ...fake, sdk }
}

/** The tag answers with this consent, and with the click id as a rule. */
const edgeOf =
  (consent: ConsentMaps | null): FakeEdge =>
  (ask) =>
    ask.path === '/init'
      ? initReply({
          consent,
          result: [
            {
              package: 'facebook',
              category: 'advertising',
              purchaseValueMode: 'gross',
              variables: {},
              rules: { capture: [{ type: 'query', key: 'fbclid', persist: 'edge' }] },
            },
          ],
        })
      : acceptingEdge(ask)

describe('a tag with captureBeforeConsent `memory`', () => {
  test('stores nothing in the browser and sends nothing before a consent', async () => {
    const [local, session] = [memoryStorage(), memoryStorage()]
    const page = open('memory', { local, session, search: '?fbclid=click', edge: edgeOf(null) })
    void page.sdk.tag('PageView')
    void page.sdk.user('email', 'jane@shop.example')
    void page.sdk.data({ size: 'L' })
    void page.sdk.getUserId()
    await nextTask()
    page.hide()
    assert.deepEqual([page.asked, page.beacons, local.names(), session.names()], [[], [], [], []])
    assert.equal(await page.sdk.getConsent(), undefined)
  })

  test('sends what the page holds once there is a consent, with the time and page of the call and that consent', async () => {
    const page = open('memory', { search: '?fbclid=click', edge: edgeOf(null) })
    const answer = page.sdk.tag('PageView')
    await nextTask()
    const at = page.at.now
    page.at.now += 5_000
    page.at.search = '?later'
    assert.equal((await page.sdk.consent({ all: true })).status, 'accepted')
    assert.equal((await answer).status, 'accepted')
    const [event] = page.to('/tag').map(({ body }) => body as Record<string, unknown>)
    assert.deepEqual([event!.timestamp, event!.search], [at, '?fbclid=click'])
    assert.deepEqual(event!.storage, {
      service: { consent: { all: true } },
      data: { facebook: { fbclid: 'click' } },
    })
    assert.equal(await page.sdk.getUserId(), 'usr_1')
  })

  test('resolves init at once with undefined before a consent, so that a page may wait for it', async () => {
    const page = open('memory')
    assert.equal(await page.sdk.init(), undefined)
    await page.sdk.consent({ all: true })
    assert.equal((await page.sdk.init())?.userId, 'usr_1')
  })

  test('is open on the next page without another answer of the visitor', async () => {
    const [local, session] = [memoryStorage(), memoryStorage()]
    const first = open('memory', { local, session, edge: edgeOf(null) })
    await first.sdk.consent({ all: true })
    await first.sdk.getConsent()
    const next = open('memory', { local, session, edge: edgeOf({ consent: { all: true } }) })
    assert.equal((await next.sdk.tag('PageView')).status, 'accepted')
  })

  test('holds at most 200 calls; later ones are dropped', async () => {
    const page = open('memory')
    const results = Array.from({ length: 201 }, (_, at) => page.sdk.tag(`Event ${at}`))
    await nextTask()
    assert.equal((await results[200]!).status, 'dropped')
    void page.sdk.consent({ all: true })
    await Promise.all(results)
    assert.equal(page.eventNames().flat().length, 200)
  })

  test('waits for nothing where the page has no consent banner', async () => {
    const page = openPage()
    const sdk = openSdk(page.page, openGatedSession, {
      brand: 'service',
      version: '1',
      tagUrl,
      captureBeforeConsent: 'memory',
    })
    assert.equal((await sdk.init({ disableConsentCheck: true }))?.userId, 'usr_1')
  })
})

describe('a refusal', () => {
  test('drops what the page holds and all that follows, and is remembered in the browser alone', async () => {
    const [local, session] = [memoryStorage(), memoryStorage()]
    const page = open('memory', { local, session })
    const early = page.sdk.tag('PageView')
    await nextTask()
    await page.sdk.consent({ all: false })
    assert.deepEqual([await early, await page.sdk.tag('Search')], [{ status: 'dropped' }, { status: 'dropped' }])
    assert.deepEqual(
      local
        .names()
        .map((name) => name.split(':').at(-1))
        .sort(),
      ['answer'],
    )
    const next = open('memory', { local, session })
    assert.deepEqual(await next.sdk.tag('PageView'), { status: 'dropped' })
    assert.deepEqual(await next.sdk.getConsent(), { consent: { all: false } })
    assert.deepEqual([page.asked, next.asked], [[], []])
  })

  test('after a consent is sent, ends the events and removes what was captured', async () => {
    const [local, session] = [memoryStorage(), memoryStorage()]
    const page = open('memory', { local, session, search: '?fbclid=click', edge: edgeOf(null) })
    await page.sdk.consent({ all: true })
    await page.sdk.tag('PageView')
    assert.ok(local.names().some((name) => name.endsWith('captured')))
    await page.sdk.consent({ all: false })
    assert.deepEqual(await page.sdk.tag('Search'), { status: 'dropped' })
    assert.deepEqual(
      page.to('/consent').map(({ body }) => (body as { consentString: unknown }).consentString),
      [{ all: true }, { all: false }],
    )
    assert.deepEqual(
      [...local.names(), ...session.names()].filter((name) => name.endsWith('captured')),
      [],
    )
  })

  test('that the tag did not receive is sent by the next page', async () => {
    const local = memoryStorage()
    const page = open('memory', { local })
    await page.sdk.consent({ all: true })
    page.at.edge = failToAnswer
    void page.sdk.consent({ all: false })
    await nextTask()
    const next = open('memory', { local })
    await next.sdk.getConsent()
    await nextTask()
    assert.deepEqual(
      next.to('/consent').map(({ body }) => (body as { consentString: unknown }).consentString),
      [{ all: false }],
    )
    assert.deepEqual(await next.sdk.tag('PageView'), { status: 'dropped' })
  })

  test('on another site of the tag counts from the moment the tag tells of it', async () => {
    const local = memoryStorage()
    const page = open('memory', { local })
    await page.sdk.consent({ all: true })
    const next = open('memory', { local, edge: edgeOf({ consent: { all: false } }) })
    await next.sdk.getConsent()
    assert.deepEqual(await next.sdk.tag('PageView'), { status: 'dropped' })
    assert.deepEqual(await open('memory', { local }).sdk.tag('PageView'), { status: 'dropped' })
  })
})

test('with `none` a call before a consent is dropped, and a later one is sent', async () => {
  const page = open('none')
  assert.deepEqual(await page.sdk.tag('PageView'), { status: 'dropped' })
  assert.deepEqual([page.asked, page.page.local.names()], [[], []])
  await page.sdk.consent({ all: true })
  await page.sdk.tag('Search')
  assert.deepEqual(page.eventNames(), [['Search']])
})

test('with `all` a call before a consent is stored and sent', async () => {
  const page = open('all')
  assert.equal((await page.sdk.tag('PageView')).status, 'accepted')
  assert.ok(page.page.local.names().length > 0)
})

describe('an SDK that was not loaded with the setting', () => {
  const edgeWith =
    (captureBeforeConsent: CaptureBeforeConsent): FakeEdge =>
    (ask) =>
      ask.query.get('settings') ? { status: 200, json: { captureBeforeConsent } } : acceptingEdge(ask)

  test('asks the tag, without naming the visitor', async () => {
    const page = open(undefined, { edge: edgeWith('memory'), cookies: 'tag_user_id=usr_known' })
    void page.sdk.tag('PageView')
    await nextTask()
    assert.deepEqual(
      page.asked.map(({ path, query, body }) => [path, `${query}`, body]),
      [['/load', 'settings=true', undefined]],
    )
    const free = open(undefined, { edge: edgeWith('all') })
    assert.equal((await free.sdk.tag('PageView')).status, 'accepted')
  })

  test('takes `memory` where the tag does not answer', async () => {
    const page = open(undefined, { edge: failToAnswer })
    void page.sdk.tag('PageView')
    await nextTask()
    assert.deepEqual([page.asked.map(({ path }) => path), page.page.local.names()], [['/load'], []])
  })
})

test('a consent grants something where a provider, and any category besides `necessary`, is allowed', () => {
  const granting: ConsentMaps[] = [
    { consent: { all: true } },
    { consent: { facebook: { shop: true, other: false } } },
    { consentCategories: { analytics: true, advertising: false } },
    { consent: { all: true }, consentCategories: { necessary: true, functional: true } },
  ]
  const refusing: ConsentMaps[] = [
    {},
    { consent: {} },
    { consent: { all: false, facebook: { shop: false } } },
    { consentCategories: { necessary: true, share_pii: true } },
    { consent: { all: true }, consentCategories: { necessary: true, analytics: false } },
    { consent: { all: false }, consentCategories: { analytics: true } },
  ]
  assert.deepEqual(
    [granting.map(hasGrant), refusing.map(hasGrant)],
    [granting.map(() => true), refusing.map(() => false)],
  )
})
