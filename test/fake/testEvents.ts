import { dedupKeys } from '#event/dedupKeys.ts'
import { sealRecord } from '#event/record.ts'
import { newUserId } from '#kit/id.ts'
import { deliveryIdOf } from '#store/deliveryId.ts'
import type { Customer, TestControl } from './testControl.ts'

/** An accepted event of the customer; planned with one delivery unless it still waits. */
export async function makeEvent(
  { environments }: TestControl,
  { environment, teamId, tagId }: Customer,
  eventId: string,
  { isPlanned = true, trusted = false, data }: { isPlanned?: boolean; trusted?: boolean; data?: object } = {},
): Promise<string> {
  const { stream, store, keys, clock } = environments[environment]
  const receivedAt = clock.now()
  const context = { tagId, teamId, userId: 'usr_1', hasExplicitUserId: true, trusted, receivedAt }
  const body = Buffer.from(JSON.stringify({ eventName: 'Purchase', eventId, timestamp: receivedAt, data }))
  const taken = dedupKeys([eventId], context, keys)
  await stream.append({ tagId, payload: sealRecord([{ context, body }], context, keys), ...taken })
  const place = await stream.find(taken.keys[0]!)
  if (!place) throw new Error('the event was not stored')
  const planned = { ...place, tagId, eventName: 'Purchase', userId: 'usr_1', receivedAt }
  const deliveryId = deliveryIdOf({ ...place, receivedAt, scriptId: 'scr_1' })
  const delivery = { deliveryId, scriptId: 'scr_1', providerId: 'eventSink' } as const
  const consent = { source: 'event', decided: { all: true } } as const
  if (isPlanned) {
    const deliveries = [{ ...delivery, status: 'skipped', reason: 'consent' } as const]
    await store.journal.plan([{ ...planned, consent, place: { source: 'unknown' }, deliveries }])
  }
  return eventId
}

/** Creates a user of the tag. */
export async function makeUser(
  { environments }: TestControl,
  { environment, teamId, tagId }: Customer,
): Promise<string> {
  const { profiles, clock } = environments[environment]
  const userId = newUserId()
  const profile = { keys: { city: 'Bonn' }, custom: {}, captured: {}, seenAt: clock.now() }
  await (await profiles.change({ tag: { teamId, tagId }, userId }, () => profile)).written
  return userId
}
