import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Priority } from '#store/store.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { openDeliveryQueues } from './deliveryQueues.ts'

type Step = { add: Priority; key?: string } | { take: number } | { forget: number } | 'evict'
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ add: fc.constantFrom<Priority>('new', 'retry', 'replay'), key: fc.constantFrom('a', 'b') }),
  fc.record({ add: fc.constantFrom<Priority>('new', 'retry', 'replay') }),
  fc.record({ take: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ forget: fc.nat(5) }),
  fc.constant('evict' as const),
)

test('for any history each delivery is queued, in flight or gone, and of one order key at most one is in flight', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queues = openDeliveryQueues()
      const inFlight: ReturnType<typeof queues.take>[] = []
      for (const [n, each] of steps.entries()) {
        if (each === 'evict') queues.evict()
        else if ('add' in each)
          queues.add(aDelivery(`dlv_${n}`, 'scr_1', { priority: each.add, ...(each.key && { orderKey: each.key }) }))
        else if ('take' in each) {
          const batch = queues.take(each.take)
          if (batch.length > 0) inFlight.push(batch)
        } else for (const batch of inFlight.splice(0, each.forget)) queues.forget(batch)
        const flying = inFlight.flat()
        assert.equal(queues.inMemory(), queues.queued() + flying.length)
        for (const { deliveryId } of flying) assert.ok(queues.has(deliveryId))
        const keys = flying.flatMap(({ orderKey }) => orderKey ?? [])
        assert.equal(new Set(keys).size, keys.length)
      }
    }),
  )
})

test('what is evicted stays in the store, and new deliveries of its priority wait behind it', () => {
  const queues = openDeliveryQueues()
  queues.add(aDelivery('dlv_1', 'scr_1'))
  assert.deepEqual([queues.hasStored('new'), queues.evict(), queues.hasStored('new')], [false, 1, true])
  assert.deepEqual([queues.has('dlv_1'), queues.hasStored('retry'), queues.wantsRefill('new')], [false, false, true])
})

test('a row that was read before its delivery ended or was queued is not new', () => {
  const queues = openDeliveryQueues()
  const [ended, queued, other] = ['dlv_1', 'dlv_2', 'dlv_3'].map((id) => aDelivery(id, 'scr_1'))
  queues.add(ended!)
  const taken = queues.take(1)
  const read = queues.read('new')
  queues.forget(taken)
  queues.add(queued!)
  assert.deepEqual([ended!, queued!, other!].map(read.isNew), [false, false, true])
  queues.markStored('new')
  read.end(false)
  assert.equal(queues.hasStored('new'), true)
})
