import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeGpp } from '#consent/gppString.fixture.ts'
import type { EventContext } from '#event/record.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { plain } from '#provider/form/userRule.ts'
import { until } from '../../test/fake/clock.ts'
import {
  acceptEvents,
  type DeliveryHarness,
  down,
  journeyOf,
  ok,
  openDeliveryHarness,
  waitForStatus,
} from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const granted = { storage: { service: { consent: { all: true } } } }
const refused = { storage: { service: { consent: { all: false } } } }
const jane = { userEmail: 'jane@example.com' }
const openHarness = async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')], { consent: 'enabled' }))
  harness.start()
  return harness
}

/** Californian GPP strings: one with an opt-out of sale, one with an opt-out of sale and sharing. */
const [soldOut, sharedOut] = [{ SaleOptOut: 1 }, { SaleOptOut: 1, SharingOptOut: 1 }].map(
  (fields) => encodeGpp([['usca', fields]]).text,
) as [string, string]

let eventCount = 0
/** Sends an event, waits until it is decided and returns its status. */
async function outcome(deps: DeliveryHarness, more: object, context: Partial<EventContext> = {}): Promise<string> {
  const eventId = `event-${++eventCount}`
  await acceptEvents(deps, anEvent(deps.clock.now() + eventCount, { eventId, ...more }), context)
  await waitForStatus(deps, await decided(deps, eventId), eventId)
  return (await journeyOf(deps, eventId))!.deliveries[0]!.status
}
async function decided(deps: DeliveryHarness, eventId: string): Promise<string> {
  for (;;) {
    const delivery = (await journeyOf(deps, eventId))?.deliveries[0]
    if (delivery?.status === 'skipped') return 'skipped consent 0'
    if (delivery?.status === 'delivered') return 'delivered 1'
    await new Promise(setImmediate)
  }
}
const browser: Partial<EventContext> = { origin: 'https://shop.example', userId: 'usr_browser' }
const offline: Partial<EventContext> = { hasExplicitUserId: false, userId: 'usr_server' }

describe('the consent of an event', () => {
  test('is stored if the caller presented the user id, and applies to the next event without a consent', async () => {
    const harness = await openHarness()
    assert.equal(await outcome(harness, {}, browser), 'skipped')
    assert.equal(await outcome(harness, granted, browser), 'delivered')
    assert.equal(await outcome(harness, {}, browser), 'delivered')
    assert.equal(await outcome(harness, refused, browser), 'skipped')
    assert.equal(await outcome(harness, {}, browser), 'skipped')
  })

  test('is not stored if the caller presented no user id, and applies to that event only', async () => {
    const harness = await openHarness()
    assert.equal(await outcome(harness, granted, offline), 'delivered')
    assert.equal(await outcome(harness, {}, { ...offline, hasExplicitUserId: true }), 'skipped')
  })

  test('is not overridden by a refusal that is only claimed with the e-mail, and is not stored for the claimant', async () => {
    const harness = await openHarness()
    await outcome(harness, { ...jane, ...refused }, browser)
    assert.equal(await outcome(harness, { ...jane, ...granted }, offline), 'delivered')
    assert.equal(await outcome(harness, { ...jane, ...granted }, { userId: 'usr_other' }), 'delivered')
    assert.equal(await outcome(harness, jane, { userId: 'usr_other' }), 'delivered')
    assert.equal(await outcome(harness, {}, browser), 'skipped')
  })

  test('of a trusted call is stored for the user of the e-mail, and changes nothing for its claimants', async () => {
    const harness = await openHarness()
    await outcome(harness, { ...jane, ...refused }, browser)
    assert.equal(await outcome(harness, { ...jane, ...granted }, { ...offline, trusted: true }), 'delivered')
    assert.equal(await outcome(harness, jane, { ...offline, trusted: true }), 'delivered')
    assert.equal(await outcome(harness, {}, browser), 'skipped')
  })

  test('of a page is stored, but the consent of the confirmed user of the e-mail takes precedence', async () => {
    const harness = await openHarness()
    await outcome(harness, { ...jane, ...refused }, { ...offline, trusted: true })
    assert.equal(await outcome(harness, { ...jane, ...granted }, browser), 'skipped')
    await outcome(harness, { ...jane, ...granted }, { ...offline, trusted: true })
    assert.equal(await outcome(harness, { ...jane, ...granted }, browser), 'delivered')
  })

  test('that objects to sale alone is sent whole for limited use where the tag is set so, to vendors that have one', async () => {
    const ads = { consentCategory: 'advertising' } as const
    const tag = aTag([aScript('scr_1', ads), aScript('scr_2', { ...ads, providerId: 'facebook' })], {
      consent: 'disabled',
      saleOptOut: 'limitedUse',
    })
    const harness = await openDeliveryHarness(tag, {
      limitedUse: true,
      user: { email: plain('email') },
      request: ({ user, consent }) => ({ url: 'https://eventSink.example/', json: { user, consent } }),
    })
    harness.start()
    const accept = (eventId: string, gpp: string) => {
      const more = { eventId, ...jane, storage: { service: { consentTexts: { gpp } } } }
      return acceptEvents(harness, anEvent(harness.clock.now(), more), { ...browser, trusted: true })
    }
    await accept('sale', soldOut)
    await waitForStatus(harness, 'delivered 1', 'sale', 0)
    await waitForStatus(harness, 'skipped consent 0', 'sale', 1)
    const { user, consent } = harness.sent[0]!.json as unknown as Pick<RequestContext, 'user' | 'consent'>
    assert.deepEqual([user, consent.advertising, consent.sharePii], [{ email: jane.userEmail }, 'denied', 'unknown'])
    await accept('sharing', sharedOut)
    await waitForStatus(harness, 'skipped consent 0', 'sharing', 0)
  })

  test('that is given after the event came holds back what is not yet sent: a refused channel, or personal data', async () => {
    const harness = await openDeliveryHarness(
      aTag([aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })], { consent: 'enabled' }),
    )
    harness.vendor.answer = () => down
    harness.start()
    await acceptEvents(harness, anEvent(harness.clock.now(), { ...granted, ...jane }))
    for (const script of [0, 1]) await waitForStatus(harness, 'pending vendorDown 1', 'event-1', script)
    await harness.clock.turn(1_000)
    const maps = { consent: { all: true, facebook: false }, consentCategories: { all: true, share_pii: false } }
    const withdrawn = { eventId: 'withdrawn', storage: { service: maps } }
    await acceptEvents(harness, anEvent(harness.clock.now(), withdrawn), { kind: 'consent' })
    await until('it is planned', async () => (await harness.disk.stream.waiting()) === 0)
    harness.vendor.answer = () => ok
    harness.sent.length = 0
    await harness.clock.turn(60_000)
    await waitForStatus(harness, 'skipped consent 1', 'event-1', 1)
    await waitForStatus(harness, 'skipped consent 1', 'event-1', 0)
    assert.equal(harness.sent.length, 0)
  })

  test('that is given later and refuses personal data holds back no event that is sent without it', async () => {
    const harness = await openHarness()
    harness.vendor.answer = () => down
    const consentCategories = { all: true, share_pii: false }
    const storage = { service: { consent: { all: true }, consentCategories } }
    await acceptEvents(harness, anEvent(harness.clock.now(), { ...jane, storage }))
    await waitForStatus(harness, 'pending vendorDown 1')
    await harness.clock.turn(1_000)
    const later = { service: { consent: { all: true, facebook: false }, consentCategories } }
    const change = anEvent(harness.clock.now(), { eventId: 'later', storage: later })
    await acceptEvents(harness, change, { kind: 'consent' })
    await until('it is planned', async () => (await harness.disk.stream.waiting()) === 0)
    harness.vendor.answer = () => ok
    await harness.clock.turn(60_000)
    await waitForStatus(harness, 'delivered 2')
  })
})

test('an offline purchase uses the consent of the browser user that claims its e-mail, and its journey has the time of that consent', async () => {
  const harness = await openHarness()
  for (const trusted of [false, true]) assert.equal(await outcome(harness, jane, { ...offline, trusted }), 'skipped')
  const at = harness.clock.now()
  await outcome(harness, { ...jane, ...granted }, browser)
  for (const trusted of [false, true]) {
    assert.equal(await outcome(harness, jane, { ...offline, trusted }), 'delivered')
    const { consent } = (await journeyOf(harness, `event-${eventCount}`))!
    assert.deepEqual(consent, { source: 'stored', at, decided: { consent: { all: true } }, joinedBy: 'email' })
  }
})
