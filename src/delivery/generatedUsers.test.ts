import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EventContext } from '#event/record.ts'
import {
  acceptEvents,
  type DeliveryHarness,
  openDeliveryHarness,
  waitForStatus,
} from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const tag = aTag([aScript('scr_1')])
const user = { tag, userId: 'usr_made' }
const generated: Partial<EventContext> = { userId: 'usr_made', hasExplicitUserId: false }
const returning: Partial<EventContext> = { userId: 'usr_made', hasExplicitUserId: true }

async function openHarness(): Promise<DeliveryHarness> {
  const harness = await openDeliveryHarness(tag)
  harness.start()
  return harness
}
async function deliver(deps: DeliveryHarness, eventId: string, more: object, context: Partial<EventContext>) {
  await acceptEvents(deps, anEvent(deps.clock.now(), { eventId, ...more }), context)
  await waitForStatus(deps, 'delivered 1', eventId)
}
const storedRow = ({ disk }: DeliveryHarness) => disk.store.users.get(tag.tagId, user.userId)

describe('a user whose id was made for an event', () => {
  test('is stored when the id comes back, with what the first event said', async () => {
    const harness = await openHarness()
    await deliver(harness, 'first', { userPhone: '+4930123456', userFirstName: 'Jane' }, generated)
    assert.equal(await storedRow(harness), undefined)
    const known = await harness.disk.profiles.get(user)
    assert.deepEqual(known?.keys, { phone: '+4930123456', firstName: 'Jane' })
    assert.ok(known?.session, 'its event is activity of its session')

    await deliver(harness, 'second', { userLastName: 'Doe' }, returning)
    await harness.disk.profiles.find(user)
    assert.ok(await storedRow(harness))
    const { keys } = (await harness.disk.profiles.get(user))!
    assert.deepEqual(keys, { phone: '+4930123456', firstName: 'Jane', lastName: 'Doe' })
  })

  test('is stored at once with what is needed for longer than events are kept, or with what finds a user', async () => {
    const kept: [object, Partial<EventContext>][] = [
      [{ storage: { kv: { tier: 'gold' } } }, generated],
      [{ userEmail: 'jane@example.com' }, { ...generated, trusted: true }],
      [{ userEmail: 'jane@example.com' }, { ...generated, origin: 'https://shop.example' }],
      [{ userCustomerId: 'customer-1' }, generated],
    ]
    for (const [more, context] of kept) {
      const harness = await openHarness()
      await deliver(harness, 'first', more, context)
      assert.ok(await harness.disk.profiles.get(user), JSON.stringify(more))
      assert.ok(await storedRow(harness), JSON.stringify(more))
    }
  })

  test('is unknown once it is erased, or the event is', async () => {
    const harness = await openHarness()
    await deliver(harness, 'first', { userFirstName: 'Jane' }, generated)
    const at = harness.clock.now()
    await harness.disk.profiles.forget(user, () =>
      harness.disk.store.write([{ erase: 'user', tagId: tag.tagId, userId: user.userId, at }]),
    )
    assert.equal(await harness.disk.profiles.get(user), undefined)
  })

  test('is stored with the facts of all events of the body, where it has several', async () => {
    const harness = await openHarness()
    const events = ['Jane', 'Joan'].map((userFirstName, n) =>
      anEvent(harness.clock.now(), { eventId: `event-${n}`, userFirstName }),
    )
    await acceptEvents(harness, events, generated)
    await waitForStatus(harness, 'delivered 1', 'event-1')
    assert.equal((await harness.disk.profiles.get(user))?.keys.firstName, 'Joan')
    assert.ok(await storedRow(harness))
  })
})
