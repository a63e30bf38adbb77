import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EventContext } from '#event/record.ts'
import type { Provider } from '#provider/form/provider.ts'
import { plainFields } from '#provider/form/userRule.ts'
import { maxClaims } from '#store/store.ts'
import { until } from '../../test/fake/clock.ts'
import {
  acceptEvents,
  type DeliveryHarness,
  journeyOf,
  openDeliveryHarness,
  waitForStatus,
} from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const userEmail = 'jane@example.com'
const consent = (maps: object) => ({ storage: { service: { consent: maps } } })
const granted = consent({ all: true })
const click = (fbclid: string) => ({ search: `?fbclid=${fbclid}` })
const page = (userId: string): Partial<EventContext> => ({ origin: 'https://shop.example', userId })
const shop = (userId: string): Partial<EventContext> => ({ userId, hasExplicitUserId: false, trusted: true })

/** A vendor that gets the user id, the identity keys and the click id. */
const identified: Partial<Provider> = {
  captures: [{ query: 'fbclid' }],
  user: plainFields,
  request: ({ event, user, captured }) => ({
    url: 'https://vendor.example/',
    json: { eventId: event.eventId, user, click: captured.fbclid?.value },
  }),
}

/** A harness of a tag with these scripts. */
async function open(more: Parameters<typeof aTag>[1] = {}, scripts = [aScript('scr_1')]) {
  const harness = await openDeliveryHarness(aTag(scripts, { consent: 'enabled', ...more }), identified)
  harness.start()
  return harness
}

let eventCount = 0
/**
 * Sends an event, waits until it is decided, and returns its status, its journey and what the vendor received about
 * its user.
 */
async function sendEvent(deps: DeliveryHarness, more: object, context: Partial<EventContext>) {
  const eventId = `event-${++eventCount}`
  await acceptEvents(deps, anEvent(deps.clock.now() + eventCount, { eventId, ...more }), context)
  const isDecided = async () =>
    (await journeyOf(deps, eventId))?.deliveries.every(({ status }) =>
      ['skipped', 'delivered', 'held'].includes(status),
    )
  await until(`${eventId} is decided`, isDecided)
  const journey = (await journeyOf(deps, eventId))!
  const { user, click } = (deps.sent.find(({ json }) => json.eventId === eventId)?.json ?? {}) as {
    user?: { userId: string; phone?: string; city?: string }
    click?: string
  }
  return { status: journey.deliveries[0]?.status, user, click, journey }
}

describe('a stranger who claims an e-mail first', () => {
  test('contributes no id, no keys and no consent to an offline purchase with the e-mail when its owner refuses', async () => {
    const harness = await open()
    await sendEvent(harness, { userEmail, userPhone: '+666', ...granted, ...click('stolen') }, page('usr_stranger'))
    await sendEvent(harness, { userEmail, ...consent({ all: false }) }, page('usr_jane'))
    const refused = await sendEvent(harness, { userEmail }, shop('usr_1'))
    assert.equal(refused.status, 'skipped')
    const lent = await sendEvent(harness, { userEmail, ...granted }, shop('usr_2'))
    assert.deepEqual([lent.status, lent.user?.phone], ['delivered', undefined])
    assert.equal(lent.user?.userId, 'usr_1')
  })

  test('does not become the user of the e-mail: a trusted call with an id confirms its own user, whose keys are used', async () => {
    const harness = await open()
    await sendEvent(harness, { userEmail, userPhone: '+666', ...granted }, page('usr_stranger'))
    await sendEvent(harness, { userEmail, userCity: 'Bonn', ...granted }, { userId: 'usr_jane', trusted: true })
    const { user, journey } = await sendEvent(harness, { userEmail, ...granted }, shop('usr_1'))
    assert.deepEqual([user?.userId, user?.city, user?.phone], ['usr_jane', 'Bonn', undefined])
    assert.equal(journey.emailMatch, 'usr_jane')
    await sendEvent(harness, { userEmail, userPhone: '+667', ...granted }, page('usr_stranger'))
    await sendEvent(harness, { userEmail, ...granted }, { userId: 'usr_late', trusted: true })
    assert.equal((await sendEvent(harness, { userEmail, ...granted }, shop('usr_2'))).user?.userId, 'usr_jane')
  })

  test('adds nothing to the page events of its owner, and gets nothing of the owner in its own', async () => {
    const harness = await open()
    await sendEvent(harness, { userEmail, userPhone: '+666', ...granted }, page('usr_stranger'))
    const own = await sendEvent(harness, { userEmail, userCity: 'Bonn', ...granted }, page('usr_jane'))
    assert.deepEqual([own.user?.userId, own.user?.phone], ['usr_jane', undefined])
    const his = await sendEvent(harness, { userEmail, ...granted }, page('usr_stranger'))
    assert.deepEqual([his.user?.userId, his.user?.city], ['usr_stranger', undefined])
    const alone = await sendEvent(harness, { userEmail, ...granted }, { userId: 'usr_fresh', hasExplicitUserId: false })
    assert.deepEqual([alone.user?.userId, alone.user?.city, alone.user?.phone], ['usr_fresh', undefined, undefined])
  })
})

describe('a trusted event with only an e-mail', () => {
  test('belongs to a user of its own, who is the same the next time and keeps its profile', async () => {
    const harness = await open()
    await sendEvent(harness, { userEmail, ...granted }, page('usr_browser'))
    const first = await sendEvent(harness, { userEmail, userCity: 'Bonn', ...granted }, shop('usr_1'))
    const second = await sendEvent(harness, { userEmail }, shop('usr_2'))
    assert.deepEqual([first.user?.userId, second.user?.userId, second.user?.city], ['usr_1', 'usr_1', 'Bonn'])
    assert.deepEqual([first.journey.emailMatch, second.journey.emailMatch], [undefined, 'usr_1'])
    assert.deepEqual(second.journey.consent.source, 'stored')
  })

  test('goes to the channels that all claimants of the e-mail allow; no stored consent counts as none', async () => {
    const harness = await open()
    await sendEvent(harness, { userEmail }, page('usr_unasked'))
    assert.equal((await sendEvent(harness, { userEmail }, shop('usr_1'))).journey.consent.source, 'none')
    await sendEvent(harness, { userEmail, ...granted }, page('usr_agreed'))
    assert.equal((await sendEvent(harness, { userEmail }, shop('usr_2'))).status, 'delivered')
    await sendEvent(harness, { userEmail, ...consent({ all: true, eventSink: false }) }, page('usr_refused'))
    assert.equal((await sendEvent(harness, { userEmail }, shop('usr_3'))).status, 'skipped')
  })

  test('carries the click id of the claimant seen last among those whose own consent allows the channel', async () => {
    const scripts = [aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })]
    const harness = await open({}, scripts)
    await sendEvent(harness, { userEmail, ...granted, ...click('first') }, page('usr_a'))
    await sendEvent(
      harness,
      { userEmail, ...consent({ all: true, eventSink: false }), ...click('second') },
      page('usr_b'),
    )
    await sendEvent(harness, { userEmail, ...granted }, page('usr_without'))
    const { click: carried, journey } = await sendEvent(harness, { userEmail, ...granted }, shop('usr_1'))
    assert.equal(carried, 'first')
    const joined = journey.deliveries.map(({ scriptId, attempts }) => [scriptId, attempts[0]?.joined])
    assert.deepEqual(joined, [
      ['scr_1', 'usr_a'],
      ['scr_2', 'usr_b'],
    ])
  })

  test('carries its own click id or that of its user, and then nothing of another user', async () => {
    const harness = await open()
    await sendEvent(harness, { userEmail, ...granted, ...click('claimed') }, page('usr_a'))
    const own = await sendEvent(harness, { userEmail, ...granted, ...click('own') }, shop('usr_1'))
    const next = await sendEvent(harness, { userEmail, ...granted }, shop('usr_2'))
    assert.deepEqual([own.click, next.click], ['own', 'own'])
    assert.equal(next.journey.deliveries[0]?.attempts[0]?.joined, undefined)
  })

  test('has the location of the claimants of the e-mail if they share a country', async () => {
    const harness = await openDeliveryHarness(aTag([aScript('scr_1')]), identified)
    const countries: Record<string, string> = { '192.0.2.1': 'DE', '192.0.2.2': 'US' }
    harness.start({ locate: (ip) => ({ country: countries[ip]! }) })
    await sendEvent(harness, { userEmail }, { ...page('usr_a'), ip: '192.0.2.1' })
    assert.deepEqual((await sendEvent(harness, { userEmail }, shop('usr_1'))).journey.place, {
      country: 'DE',
      source: 'user',
    })
    await sendEvent(harness, { userEmail }, { ...page('usr_stranger'), ip: '192.0.2.2' })
    assert.deepEqual((await sendEvent(harness, { userEmail }, shop('usr_2'))).journey.place, { source: 'unknown' })
  })

  test('is held, on a tag that holds events, until all claimants of the e-mail consent', async () => {
    const harness = await open({ hold: 30 })
    const { status, journey } = await sendEvent(harness, { userEmail }, shop('usr_1'))
    assert.equal(status, 'held')
    await acceptEvents(
      harness,
      anEvent(harness.clock.now(), { eventId: 'agrees', userEmail, ...granted }),
      page('usr_a'),
    )
    await waitForStatus(harness, 'delivered 1', `event-${eventCount}`)
    assert.equal((await journeyOf(harness, `event-${eventCount}`))?.position, journey.position)
  })
})

describe('a flood of users who claim an e-mail', () => {
  test('grants nothing: if there are more claimants than are kept, their consents allow nothing', async () => {
    const harness = await open()
    await sendEvent(harness, { userEmail, ...consent({ all: false }) }, page('usr_jane'))
    const flood = Array.from({ length: 3 * maxClaims }, (_, n) => page(`usr_flood${n}`))
    for (const from of flood) await sendEvent(harness, { userEmail, ...granted }, from)
    assert.equal((await sendEvent(harness, { userEmail }, shop('usr_1'))).status, 'skipped')
    for (const from of flood) await sendEvent(harness, { userEmail, ...consent({ all: true, facebook: false }) }, from)
    const crowded = await sendEvent(harness, { userEmail }, shop('usr_2'))
    assert.deepEqual([crowded.status, crowded.journey.consent.decided], ['skipped', { consent: { all: false } }])
    const own = await sendEvent(harness, { userEmail, ...granted }, page('usr_new'))
    assert.equal(own.status, 'delivered', 'what the event states is not restricted by claims')
    const trusted = await sendEvent(harness, { userEmail, ...granted }, shop('usr_3'))
    assert.deepEqual([trusted.status, trusted.click], ['delivered', undefined])
    assert.equal((await sendEvent(harness, { userEmail }, shop('usr_4'))).status, 'delivered')
  })
})
