import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { createSnapshots } from '#script/snapshot.ts'
import type { Store } from '#store/store.ts'
import { until } from '../../test/fake/clock.ts'
import {
  acceptEvents,
  type DeliveryHarness,
  keys,
  openDeliveryHarness,
  waitForStatus,
} from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const tag = aTag([aScript('scr_1')])

/** The store of a worker, which has the tag. */
const storeWithTag = ({ disk: { store } }: DeliveryHarness): Store => ({
  ...store,
  deployment: async () => ({ tagId: 'tag_1', number: 1, snapshot: tag, createdAt: 1, by: 'tok_1' }),
})

test('a record whose tag and team key this worker has not heard of is delivered as soon as the store has them', async () => {
  const harness = await openDeliveryHarness(tag)
  const late = openKeyring(Buffer.alloc(32, 7), 'production', {
    environmentKey: keys.sealedEnvironmentKey(),
    readTeamKey: async () => keys.sealedTeamKey('team_1'),
  })
  harness.start({ keys: late, snapshots: createSnapshots(), store: storeWithTag(harness) })
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'delivered 1')
  assert.ok(!harness.lines.some(({ message }) => message === 'could not decrypt a record'))
})

test('a team key that reaches the store after several seconds makes no event dead while the store does not answer', async () => {
  const harness = await openDeliveryHarness(tag)
  let isAway = true
  const late = openKeyring(Buffer.alloc(32, 7), 'production', {
    environmentKey: keys.sealedEnvironmentKey(),
    async readTeamKey() {
      if (isAway) throw new Error('the database is away')
      return keys.sealedTeamKey('team_1')
    },
  })
  harness.start({ keys: late, store: storeWithTag(harness) })
  await acceptEvents(harness, anEvent(harness.clock.now()))
  for (let seconds = 0; seconds < 10; seconds++) await harness.clock.turn(1_000)
  await until('it was asked for', () =>
    harness.lines.some(({ message }) => message.startsWith('could not read the tag of a record')),
  )
  isAway = false
  await harness.clock.turn(1_000)
  await waitForStatus(harness, 'delivered 1')
})
