import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryOutcome } from '#store/store.ts'
import { until } from '../../test/fake/clock.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { lingerMs, maxUnstoredCalls } from './channel.ts'
import { concurrencyCaps } from './concurrencyLimits.ts'
import { windowSizes } from './concurrencyWindow.ts'
import { delivered, openTestDispatcher } from './dispatcher.fixture.ts'
import { openDispatcher } from './dispatcher.ts'
import { pollDue } from './duePoller.ts'

const many = (count: number, scriptId: string) =>
  Array.from({ length: count }, (_, number) => aDelivery(`${scriptId}-${number}`, scriptId))

/** Lets all pending work proceed. */
const nextTurns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}
const never = new Promise<DeliveryOutcome>(() => {})

test('an attempt of a delivery that was read from the store is counted before it is made', async () => {
  const { offer, rows, attempted } = openTestDispatcher((delivery) => {
    assert.equal(rows.get(delivery.deliveryId)!.attempts, 1)
    return delivered(delivery)
  })
  offer(many(3, 'scr_1'))
  await until('all are delivered', () => [...rows.values()].every(({ status }) => status === 'delivered'))
  assert.deepEqual(attempted, ['scr_1-0', 'scr_1-1', 'scr_1-2'])
})

test('the first attempt of a delivery that was just planned is made without a write before it', async () => {
  const { journal, offer, statuses } = openTestDispatcher(delivered)
  journal.markInFlight = () => Promise.reject(new Error('nothing is to be written'))
  offer(many(3, 'scr_1').map((each) => ({ ...each, planned: { isWritten: false, written: Promise.resolve(true) } })))
  await until('all are delivered', () => statuses().every((status) => status === 'delivered'))
})

test('deliveries that are offered together are counted by one write, and outcomes that arrive together are written by one', async () => {
  const { journal, offer, statuses } = openTestDispatcher(delivered)
  const writes: string[] = []
  const { markInFlight, settle } = journal
  journal.markInFlight = async (started) => {
    writes.push(`begin ${started.length}`)
    await markInFlight(started)
  }
  journal.settle = async (outcomes) => {
    writes.push(`settle ${outcomes.length}`)
    await settle(outcomes)
  }
  offer([...many(16, 'scr_1'), ...many(16, 'scr_2')])
  await until('all are delivered', () => statuses().every((status) => status === 'delivered'))
  assert.deepEqual(writes, ['begin 32', 'settle 32'])
})

test('a caller who waits for a delivery is notified once its outcome is written', async () => {
  const { statuses, notified, offer } = openTestDispatcher(delivered)
  offer(many(2, 'scr_1'))
  await until('both are notified', () => notified.length === 2)
  assert.deepEqual(statuses(), ['delivered', 'delivered'])
})

test('while outcomes cannot be stored a channel starts no more calls, so that a crash repeats few', async () => {
  const { journal, offer, attempted, statuses } = openTestDispatcher(delivered)
  const { settle } = journal
  const stored = Promise.withResolvers<void>()
  journal.settle = (outcomes) => stored.promise.then(() => settle(outcomes))
  offer(many(900, 'scr_1').map((each) => ({ ...each, planned: { isWritten: false, written: Promise.resolve(true) } })))
  await until('the channel waits', () => attempted.length === maxUnstoredCalls)
  await nextTurns()
  assert.equal(attempted.length, maxUnstoredCalls)
  stored.resolve()
  await until('all are delivered', () => statuses().every((status) => status === 'delivered'))
})

test('a dead channel does not delay another, and has no more calls in flight than its window', async () => {
  const { dispatcher, offer, rows, attempted } = openTestDispatcher((delivery) =>
    delivery.scriptId === 'dead' ? never : delivered(delivery),
  )
  offer([...many(900, 'dead'), ...many(900, 'alive')])
  await until('the other channel is done', () => attempted.filter((id) => id.startsWith('alive')).length === 900)
  assert.equal(attempted.filter((id) => id.startsWith('dead')).length, windowSizes.initial)
  await until('its last one has ended', () => dispatcher.busy() === windowSizes.initial)
  await until('its outcomes are written, and only its', () =>
    [...rows.values()].every(({ scriptId, status }) => (status === 'delivered') === (scriptId === 'alive')),
  )
})

test('channels take turns', async () => {
  const { offer, attempted } = openTestDispatcher(delivered)
  offer([...many(60, 'a'), ...many(2, 'b'), ...many(1, 'c')])
  await until('all were tried', () => attempted.length === 63)
  assert.deepEqual(attempted.slice(0, 6), ['a-0', 'b-0', 'c-0', 'a-1', 'b-1', 'a-2'])
})

test('the channels of a team together have no more calls in flight than the maximum of a team', async () => {
  const { dispatcher, offer, attempted } = openTestDispatcher(() => never)
  for (let channel = 0; channel < 200; channel++) offer(many(windowSizes.initial, `scr_${channel}`))
  await until('the maximum of calls is in flight', () => attempted.length === concurrencyCaps.perTeam)
  assert.equal(dispatcher.busy(), concurrencyCaps.perTeam)
})

test('a delivery that finds a full queue stays in the store and is delivered from there once', async () => {
  const { pollerDeps, offer, statuses, attempted } = openTestDispatcher(delivered)
  const stop = new AbortController()
  const polling = pollDue(pollerDeps, stop.signal)
  offer(many(5_000, 'scr_1'))
  await until('all are delivered', () => statuses().every((status) => status === 'delivered'))
  assert.equal(attempted.length, 5_000)
  assert.equal(new Set(attempted).size, 5_000)
  stop.abort()
  await polling
})

test('a large backlog of one channel does not hide deliveries of another from before the start', async () => {
  const backlog = [...many(3_000, 'dead'), ...many(100, 'alive')]
  const { pollerDeps, attempted } = openTestDispatcher(
    (delivery) => (delivery.scriptId === 'dead' ? never : delivered(delivery)),
    backlog,
  )
  const stop = new AbortController()
  const polling = pollDue(pollerDeps, stop.signal)
  await until('the other channel is done', () => attempted.filter((id) => id.startsWith('alive')).length === 100)
  stop.abort()
  await polling
})

test('a retry is sent when it is due, not before', async () => {
  const { clock, pollerDeps, rows, attempted, offer } = openTestDispatcher((delivery) =>
    delivery.attempts > 0
      ? delivered(delivery)
      : { deliveryId: delivery.deliveryId, status: 'pending', nextAt: clock.now() + 5_000 },
  )
  const stop = new AbortController()
  const polling = pollDue(pollerDeps, stop.signal)
  offer([aDelivery('dlv_1', 'scr_1')])
  await until('it is pending again', () => rows.get('dlv_1')!.nextAt === clock.now() + 5_000)
  await clock.turn(4_999)
  assert.deepEqual(attempted, ['dlv_1'])
  await clock.turn(1)
  await until('it is delivered', () => rows.get('dlv_1')!.status === 'delivered')
  assert.deepEqual(attempted, ['dlv_1', 'dlv_1'])
  stop.abort()
  await polling
})

test('a clock that is set back a day delays no retry', async () => {
  const { clock, pollerDeps, rows, add } = openTestDispatcher(delivered)
  const stop = new AbortController()
  const polling = pollDue(pollerDeps, stop.signal)
  await clock.turn(10_000)
  clock.set(-86_400_000)
  add(aDelivery('dlv_1', 'scr_1', { nextAt: clock.now() + 5_000 }))
  await clock.turn(6_000)
  await until('it is delivered', () => rows.get('dlv_1')!.status === 'delivered')
  stop.abort()
  await polling
})

test('a paused channel starts no call until its pause ends, while others continue', async () => {
  const { dispatcher, clock, pollerDeps, offer, rows, attempted } = openTestDispatcher(delivered)
  const paused = openPausing(pollerDeps.clock.now() + 30_000)
  const stop = new AbortController()
  const { dispatcher: other, offered } = paused(pollerDeps, rows)
  const polling = pollDue({ ...pollerDeps, dispatcher: other }, stop.signal)
  offered('first')
  await until('the first attempt has paused the channel', () => rows.get('first')?.status === 'delivered')
  offered('second')
  await clock.turn(29_000)
  assert.equal(rows.get('second')?.status, 'pending')
  offer([aDelivery('dlv_1', 'scr_2')])
  await until('another channel continues', () => attempted.includes('dlv_1'))
  await clock.turn(2_000)
  await until('the second is sent after the pause', () => rows.get('second')?.status === 'delivered')
  stop.abort()
  await polling
  await dispatcher.drain()
})

/** A dispatcher whose first attempt pauses its channel. */
const openPausing =
  (pausedUntil: number) =>
  (deps: ReturnType<typeof openTestDispatcher>['pollerDeps'], rows: ReturnType<typeof openTestDispatcher>['rows']) => {
    const dispatcher = openDispatcher({
      ...deps,
      store: deps.store as never,
      async attempt(deliveries, channel) {
        const now = deps.clock.now()
        channel.recordAnswer({ verdict: 'retry', retryAfterMs: pausedUntil - now }, { startedAt: now, now })
        return deliveries.map(delivered)
      },
    })
    const offered = (deliveryId: string) => {
      const delivery = aDelivery(deliveryId, 'scr_1')
      rows.set(deliveryId, { ...delivery, status: 'pending' })
      dispatcher.offer(delivery)
    }
    return { dispatcher, offered }
  }

test('a delivery that ends during a read of the store is not sent again because of the old row', async () => {
  const { dispatcher, journal, rows, attempted, add } = openTestDispatcher(delivered)
  const { due } = journal
  add(aDelivery('dlv_1', 'scr_1'))
  journal.due = async (...args) => {
    const rowsThen = await due(...args)
    journal.due = due
    dispatcher.offer(aDelivery('dlv_1', 'scr_1'))
    await until('it has ended', () => rows.get('dlv_1')!.status === 'delivered' && dispatcher.busy() === 0)
    return rowsThen
  }
  dispatcher.markStored('scr_1')
  await dispatcher.refill()
  await until('nothing is in flight', () => dispatcher.busy() === 0)
  assert.deepEqual(attempted, ['dlv_1'])
})

test('no delivery is sent while the journal cannot be written; all are sent once it can', async () => {
  const { clock, journal, offer, attempted, statuses } = openTestDispatcher(delivered)
  const { markInFlight } = journal
  let refused = 0
  journal.markInFlight = async () => {
    refused++
    throw new Error('disk full')
  }
  offer(many(3, 'scr_1'))
  await until('it was refused', () => refused === 1)
  await clock.turn(1_000)
  assert.deepEqual(attempted, [])
  journal.markInFlight = markInFlight
  await clock.turn(1_000)
  await until('all are delivered', () => statuses().every((status) => status === 'delivered'))
})

test('an outcome that cannot be written is written later, and its attempt is not made twice', async () => {
  const { clock, journal, offer, attempted, statuses } = openTestDispatcher(delivered)
  const { settle } = journal
  let refused = 0
  journal.settle = async () => {
    refused++
    throw new Error('disk full')
  }
  offer(many(1, 'scr_1'))
  await until('it was refused', () => refused === 1)
  journal.settle = settle
  await clock.turn(1_000)
  await until('it is delivered', () => statuses()[0] === 'delivered')
  assert.equal(attempted.length, 1)
})

test('draining starts no more calls and waits for those in flight', async () => {
  const ends: (() => void)[] = []
  const { dispatcher, offer, statuses, attempted } = openTestDispatcher(
    (delivery) => new Promise((resolve) => ends.push(() => resolve(delivered(delivery)))),
  )
  offer(many(100, 'scr_1'))
  await until('the window is full', () => attempted.length === windowSizes.initial)
  let isDrained = false
  const drained = dispatcher.drain().then(() => {
    isDrained = true
  })
  for (const end of ends.slice(1)) end()
  await until('all but one have ended', () => dispatcher.busy() === 1)
  assert.equal(isDrained, false)
  ends[0]!()
  await drained
  assert.equal(attempted.length, windowSizes.initial)
  assert.equal(statuses().filter((status) => status === 'delivered').length, windowSizes.initial)
})

test('the first delivery of a batch waits a little, and deliveries that come meanwhile are in the same call', async () => {
  const { clock, pollerDeps, add } = openTestDispatcher(delivered)
  const calls: string[][] = []
  const limits = { maxEvents: 3, waitMs: lingerMs }
  const dispatcher = openDispatcher({
    ...pollerDeps,
    batchLimits: () => limits,
    async attempt(deliveries) {
      calls.push(deliveries.map(({ deliveryId }) => deliveryId))
      return deliveries.map(delivered)
    },
  })
  const offer = (deliveryId: string) => {
    const delivery = aDelivery(deliveryId, 'scr_1')
    add(delivery)
    dispatcher.offer(delivery)
  }
  offer('a')
  await clock.turn(lingerMs - 1)
  offer('b')
  assert.deepEqual(calls, [])
  await clock.turn(1)
  await until('they are sent', () => calls.length === 1 && dispatcher.busy() === 0)
  for (const each of ['c', 'd', 'e']) offer(each)
  await until('a full batch is sent at once', () => calls.length === 2)
  assert.deepEqual(calls, [
    ['a', 'b'],
    ['c', 'd', 'e'],
  ])
})

test('of a tag that is spread, the deliveries of a released slot leave memory, and those of other slots are still sent', async () => {
  const answers = new Map<string, PromiseWithResolvers<DeliveryOutcome>>()
  const { dispatcher, offer, attempted, rows } = openTestDispatcher((delivery) => {
    const answer = Promise.withResolvers<DeliveryOutcome>()
    answers.set(delivery.deliveryId, answer)
    return answer.promise
  })
  const answer = (deliveryId: string) => answers.get(deliveryId)!.resolve({ deliveryId, status: 'delivered' })
  offer([aDelivery('leaves', 'scr_1', { slot: 7 }), aDelivery('stays', 'scr_1', { slot: 8 })])
  await until('both are in flight', () => attempted.length === 2)
  let isReleased = false
  const released = dispatcher
    .release(({ slot }) => slot === 7)
    .then(() => {
      isReleased = true
    })
  await nextTurns()
  assert.ok(!isReleased)
  answer('leaves')
  await released
  assert.ok(dispatcher.has(aDelivery('stays', 'scr_1')), 'a call of another slot is not waited for')
  answer('stays')
  await until('both are delivered', () => [...rows.values()].every(({ status }) => status === 'delivered'))
  assert.deepEqual(attempted, ['leaves', 'stays'])
})

test('a channel that is empty after a release looks for deliveries of its other slots in the store', async () => {
  const { dispatcher, offer, add, attempted, rows } = openTestDispatcher(delivered)
  offer([aDelivery('one', 'scr_1', { slot: 7 })])
  await until('it is delivered', () => rows.get('one')!.status === 'delivered')
  add(aDelivery('two', 'scr_1', { slot: 8 }))
  await dispatcher.release(({ tagId }) => tagId === 'tag_1')
  await dispatcher.refill()
  await until('the other one is attempted', () => attempted.includes('two'))
})

test('a delivery that became visible after the poll of its time is found within a minute', async () => {
  const { pollerDeps, add, attempted, clock } = openTestDispatcher(delivered)
  const stopping = new AbortController()
  const polling = pollDue(pollerDeps, stopping.signal)
  await clock.turn(10_000)
  add(aDelivery('late', 'scr_1', { nextAt: clock.now() - 5_000 }))
  await clock.turn(61_000)
  await until('it is attempted', () => attempted.includes('late'))
  stopping.abort()
  await polling
})
