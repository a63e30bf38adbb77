import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredShop } from '#store/snapshot.ts'
import { until } from '../../test/fake/clock.ts'
import { acceptEvents, type DeliveryHarness, keys, openDeliveryHarness } from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const minute = 60_000
const shop: StoredShop = { source: 'shopify', shop: 'potter.myshopify.com', secrets: {} }
const openShop = (scripts = [aScript('scr_1')], more: object = {}) =>
  openDeliveryHarness(aTag(scripts, { shops: [shop], ...more }))

/** One half of the purchase, as the pixel or the webhook sends it. */
const purchase = (deps: DeliveryHarness, value: number, join = 'token', more: object = {}) =>
  anEvent(deps.clock.now(), {
    eventName: 'Purchase',
    eventId: 'purchase-7',
    data: { value, currency: 'EUR', orderId: '7' },
    source: { name: 'shopify', join },
    ...more,
  })
const fromPage = (deps: DeliveryHarness, join?: string, more: object = {}) =>
  acceptEvents(deps, purchase(deps, 1, join, more))
const fromShop = (deps: DeliveryHarness, join?: string) =>
  acceptEvents(deps, purchase(deps, 119, join), { trusted: true })

/** The delivery states of the page's half or the shop's half. */
async function stateOf({ disk }: DeliveryHarness, trusted: boolean, script = 0) {
  const place = await disk.stream.find(keys.team('team_1').eventKey('tag_1', 'purchase-7', trusted))
  const event = place && (await disk.store.journal.event('tag_1', place.position, place.index))
  const delivery = event?.deliveries[script]
  return delivery && [delivery.status, delivery.reason].filter(Boolean).join(' ')
}
const waitFor = (deps: DeliveryHarness, trusted: boolean, state: string, script = 0) =>
  until(`the half is ${state}`, async () => (await stateOf(deps, trusted, script)) === state)
const values = (deps: DeliveryHarness) =>
  deps.sent.map(({ json }) => (json as unknown as { data?: { value: number } }).data?.value)

test('the page’s half of a purchase waits for the shop’s, which alone is sent', async () => {
  const harness = await openShop()
  harness.start()
  await fromPage(harness)
  await waitFor(harness, false, 'held duplicate')
  await fromShop(harness)
  await waitFor(harness, true, 'delivered')
  await harness.clock.turn(2 * minute)
  await waitFor(harness, false, 'skipped duplicate')
  assert.equal(harness.sent.length, 1)
})

test('the page’s half is sent where the shop’s does not come within the time, and the shop’s is a duplicate later', async () => {
  const harness = await openShop()
  harness.start()
  await fromPage(harness)
  await waitFor(harness, false, 'held duplicate')
  await harness.clock.turn(2 * minute)
  await waitFor(harness, false, 'delivered')
  await harness.clock.turn(60 * minute)
  await fromShop(harness)
  await waitFor(harness, true, 'skipped duplicate')
  assert.equal(harness.sent.length, 1)
})

test('the shop’s half completes the channels that did not get the page’s', async () => {
  const harness = await openShop([aScript('scr_1'), aScript('scr_2')])
  harness.start()
  const { scripts } = harness.snapshots.get('tag_1')!
  await fromPage(harness, 'token', {
    providers: { all: false, [scripts[0]!.providerId]: { [scripts[0]!.name]: true } },
  })
  await waitFor(harness, false, 'held duplicate', 0)
  await harness.clock.turn(2 * minute)
  await waitFor(harness, false, 'delivered', 0)
  await fromShop(harness)
  await waitFor(harness, true, 'skipped duplicate', 0)
  await waitFor(harness, true, 'delivered', 1)
  assert.equal(harness.sent.length, 2)
})

test('a stranger’s event with the id of an order stops nothing, because it does not know the checkout', async () => {
  const harness = await openShop()
  harness.start()
  await fromPage(harness, 'guess')
  await waitFor(harness, false, 'held duplicate')
  await harness.clock.turn(2 * minute)
  await waitFor(harness, false, 'delivered')
  await fromShop(harness)
  await waitFor(harness, true, 'delivered')
})

test('a purchase that names no checkout, and one of a tag without a shop, do not wait', async () => {
  const plain = await openShop()
  plain.start()
  await acceptEvents(plain, purchase(plain, 1, ''))
  await waitFor(plain, false, 'delivered')
  const other = await openShop([aScript('scr_1')], { shops: [] })
  other.start()
  await fromPage(other)
  await waitFor(other, false, 'delivered')
})

test('a half that waits is decided after a crash as well', async () => {
  const harness = await openShop()
  harness.start()
  await fromPage(harness)
  await waitFor(harness, false, 'held duplicate')
  await harness.crash()
  harness.start()
  await harness.clock.turn(2 * minute)
  await waitFor(harness, false, 'delivered')
  assert.deepEqual(values(harness).length, 1)
})
