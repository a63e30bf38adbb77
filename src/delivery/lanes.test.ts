import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silent } from '#kit/log.ts'
import type { DueDelivery, Settled } from '#store/store.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { aDelivery, fakeJournal } from '../../test/fake/journal.ts'
import { lingerMs } from './channel.ts'
import { feed, makeAlarm } from './feed.ts'
import { openLanes } from './lanes.ts'
import { overall } from './traffic.ts'
import { sizes } from './window.ts'

type Attempt = (delivery: DueDelivery) => Promise<Settled> | Settled
const delivered = ({ deliveryId }: DueDelivery): Settled => ({ deliveryId, status: 'delivered' })
const many = (count: number, scriptId: string) =>
  Array.from({ length: count }, (_, number) => aDelivery(`${scriptId}-${number}`, scriptId))

/** Lanes on a fake journal; `tried` names the attempts in their order. */
function house(attempt: Attempt, stored: DueDelivery[] = []) {
  const clock = turnedClock()
  const alarm = makeAlarm({ clock })
  const giveUp = new AbortController()
  const kept = fakeJournal(stored)
  const tried: string[] = []
  const paused = new Set<string>()
  const snapshots = { isPaused: (scriptId: string) => paused.has(scriptId), get: () => undefined }
  const store = { journal: kept.journal }
  const settled = { ended() {} }
  const fixed = { log: silent, settled, told() {}, mostOf: () => 1 }
  const on = { ...fixed, clock, store, snapshots, giveUp: giveUp.signal, hungry: alarm.wake }
  const lanes = openLanes({
    ...on,
    async attempt(deliveries) {
      tried.push(...deliveries.map(({ deliveryId }) => deliveryId))
      return Promise.all(deliveries.map(attempt))
    },
  })
  const offer = (deliveries: DueDelivery[]) => {
    for (const delivery of deliveries) {
      if (!kept.rows.has(delivery.deliveryId)) kept.add(delivery)
      lanes.offer(delivery)
    }
  }
  const statuses = () => [...kept.rows.values()].map(({ status }) => status)
  return { ...kept, clock, lanes, alarm, offer, tried, giveUp, paused, statuses, feeding: { ...on, lanes, alarm } }
}
const never = new Promise<Settled>(() => {})

test('an attempt is counted before it is made', async () => {
  const { offer, rows, tried } = house((delivery) => {
    assert.equal(rows.get(delivery.deliveryId)!.attempts, 1)
    return delivered(delivery)
  })
  offer(many(3, 'scr_1'))
  await until('all are delivered', () => [...rows.values()].every(({ status }) => status === 'delivered'))
  assert.deepEqual(tried, ['scr_1-0', 'scr_1-1', 'scr_1-2'])
})

test('what is offered together is counted by one write, and what ends together is written by one', async () => {
  const { journal, offer, statuses } = house(delivered)
  const writes: string[] = []
  const { begin, settle } = journal
  journal.begin = async (begun) => {
    writes.push(`begin ${begun.length}`)
    await begin(begun)
  }
  journal.settle = async (outcomes) => {
    writes.push(`settle ${outcomes.length}`)
    await settle(outcomes)
  }
  offer([...many(16, 'scr_1'), ...many(16, 'scr_2')])
  await until('all are delivered', () => statuses().every((status) => status === 'delivered'))
  assert.deepEqual(writes, ['begin 32', 'settle 32'])
})

test('one dead channel does not delay another, and takes no more than its share of what is in flight', async () => {
  const { lanes, offer, rows, tried } = house((delivery) =>
    delivery.scriptId === 'dead' ? never : delivered(delivery),
  )
  offer([...many(900, 'dead'), ...many(900, 'alive')])
  await until('the other channel is done', () => tried.filter((id) => id.startsWith('alive')).length === 900)
  assert.equal(tried.filter((id) => id.startsWith('dead')).length, sizes.first)
  await until('its last one has ended', () => lanes.busy() === sizes.first)
  await until('its outcomes are written, and only its', () =>
    [...rows.values()].every(({ scriptId, status }) => (status === 'delivered') === (scriptId === 'alive')),
  )
})

test('channels take turns', async () => {
  const { offer, tried } = house(delivered)
  offer([...many(60, 'a'), ...many(2, 'b'), ...many(1, 'c')])
  await until('all were tried', () => tried.length === 63)
  assert.deepEqual(tried.slice(0, 6), ['a-0', 'b-0', 'c-0', 'a-1', 'b-1', 'a-2'])
})

test('all channels of a team together have no more in flight than is its share', async () => {
  const { lanes, offer, tried } = house(() => never)
  for (let channel = 0; channel < 200; channel++) offer(many(sizes.first, `scr_${channel}`))
  await until('as many as may be are in flight', () => tried.length === overall.perTeam)
  assert.equal(lanes.busy(), overall.perTeam)
})

test('what finds a full lane stays in the store and is delivered from there, each once', async () => {
  const { feeding, offer, statuses, tried } = house(delivered)
  const stop = new AbortController()
  const fed = feed(feeding, stop.signal)
  offer(many(5_000, 'scr_1'))
  await until('all are delivered', () => statuses().every((status) => status === 'delivered'))
  assert.equal(tried.length, 5_000)
  assert.equal(new Set(tried).size, 5_000)
  stop.abort()
  await fed
})

test('a channel whose backlog fills the store hides nothing of another from before the start', async () => {
  const backlog = [...many(3_000, 'dead'), ...many(100, 'alive')]
  const { feeding, tried } = house((delivery) => (delivery.scriptId === 'dead' ? never : delivered(delivery)), backlog)
  const stop = new AbortController()
  const fed = feed(feeding, stop.signal)
  await until('the other channel is done', () => tried.filter((id) => id.startsWith('alive')).length === 100)
  stop.abort()
  await fed
})

test('what is pending again comes back when its time has come, not before', async () => {
  const { clock, feeding, rows, tried, offer } = house((delivery) =>
    delivery.attempts > 0
      ? delivered(delivery)
      : { deliveryId: delivery.deliveryId, status: 'pending', nextAt: clock.now() + 5_000 },
  )
  const stop = new AbortController()
  const fed = feed(feeding, stop.signal)
  offer([aDelivery('dlv_1', 'scr_1')])
  await until('it is pending again', () => rows.get('dlv_1')!.nextAt === clock.now() + 5_000)
  await clock.turn(4_999)
  assert.deepEqual(tried, ['dlv_1'])
  await clock.turn(1)
  await until('it is delivered', () => rows.get('dlv_1')!.status === 'delivered')
  assert.deepEqual(tried, ['dlv_1', 'dlv_1'])
  stop.abort()
  await fed
})

test('a clock that is set back a day holds up no retry', async () => {
  const { clock, feeding, rows, add } = house(delivered)
  const stop = new AbortController()
  const fed = feed(feeding, stop.signal)
  await clock.turn(10_000)
  clock.set(-86_400_000)
  add(aDelivery('dlv_1', 'scr_1', { nextAt: clock.now() + 5_000 }))
  await clock.turn(6_000)
  await until('it is delivered', () => rows.get('dlv_1')!.status === 'delivered')
  stop.abort()
  await fed
})

test('a paused channel starts nothing until its time, while others go on', async () => {
  const { lanes, clock, feeding, offer, rows, tried } = house(delivered)
  const paused = openPaused(feeding.clock.now() + 30_000)
  const stop = new AbortController()
  const { lanes: other, offered } = paused(feeding, rows)
  const fed = feed({ ...feeding, lanes: other }, stop.signal)
  offered('first')
  await until('the first attempt has paused the channel', () => rows.get('first')?.status === 'delivered')
  offered('second')
  await clock.turn(29_000)
  assert.equal(rows.get('second')?.status, 'pending')
  offer([aDelivery('dlv_1', 'scr_2')])
  await until('another channel goes on', () => tried.includes('dlv_1'))
  await clock.turn(2_000)
  await until('the second goes out after the pause', () => rows.get('second')?.status === 'delivered')
  stop.abort()
  await fed
  await lanes.drain()
})

/** Lanes whose first attempt pauses its channel. */
const openPaused =
  (pausedUntil: number) => (on: ReturnType<typeof house>['feeding'], rows: ReturnType<typeof house>['rows']) => {
    const lanes = openLanes({
      ...on,
      store: on.store as never,
      async attempt(deliveries, channel) {
        channel.pausedUntil = pausedUntil
        return deliveries.map(delivered)
      },
    })
    const offered = (deliveryId: string) => {
      const delivery = aDelivery(deliveryId, 'scr_1')
      rows.set(deliveryId, { ...delivery, status: 'pending' })
      lanes.offer(delivery)
    }
    return { lanes, offered }
  }

test('what ended while the store was asked is not taken again from its old answer', async () => {
  const { lanes, journal, rows, tried, add } = house(delivered)
  const { due } = journal
  add(aDelivery('dlv_1', 'scr_1'))
  journal.due = async (...asked) => {
    const rowsThen = await due(...asked)
    journal.due = due
    lanes.offer(aDelivery('dlv_1', 'scr_1'))
    await until('it has ended', () => rows.get('dlv_1')!.status === 'delivered' && lanes.busy() === 0)
    return rowsThen
  }
  lanes.stored('scr_1')
  await lanes.refill()
  await until('nothing is in flight', () => lanes.busy() === 0)
  assert.deepEqual(tried, ['dlv_1'])
})

test('while the journal cannot be written nothing is sent; once it can, everything is', async () => {
  const { clock, journal, offer, tried, statuses } = house(delivered)
  const { begin } = journal
  let refused = 0
  journal.begin = async () => {
    refused++
    throw new Error('disk full')
  }
  offer(many(3, 'scr_1'))
  await until('it was refused', () => refused === 1)
  await clock.turn(1_000)
  assert.deepEqual(tried, [])
  journal.begin = begin
  await clock.turn(1_000)
  await until('all are delivered', () => statuses().every((status) => status === 'delivered'))
})

test('an outcome that cannot be written is kept and written later, and its attempt is not made twice', async () => {
  const { clock, journal, offer, tried, statuses } = house(delivered)
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
  assert.equal(tried.length, 1)
})

test('draining starts nothing more and waits for what is in flight', async () => {
  const ends: (() => void)[] = []
  const { lanes, offer, statuses, tried } = house(
    (delivery) => new Promise((resolve) => ends.push(() => resolve(delivered(delivery)))),
  )
  offer(many(100, 'scr_1'))
  await until('the lane is full', () => tried.length === sizes.first)
  let isDrained = false
  const drained = lanes.drain().then(() => {
    isDrained = true
  })
  for (const end of ends.slice(1)) end()
  await until('all but one have ended', () => lanes.busy() === 1)
  assert.equal(isDrained, false)
  ends[0]!()
  await drained
  assert.equal(tried.length, sizes.first)
  assert.equal(statuses().filter((status) => status === 'delivered').length, sizes.first)
})

test('what can go together waits a little for company, and what comes meanwhile is the same call', async () => {
  const { clock, feeding, add } = house(delivered)
  const calls: string[][] = []
  const lanes = openLanes({
    ...feeding,
    mostOf: () => 3,
    async attempt(deliveries) {
      calls.push(deliveries.map(({ deliveryId }) => deliveryId))
      return deliveries.map(delivered)
    },
  })
  const offer = (deliveryId: string) => {
    const delivery = aDelivery(deliveryId, 'scr_1')
    add(delivery)
    lanes.offer(delivery)
  }
  offer('a')
  await clock.turn(lingerMs - 1)
  offer('b')
  assert.deepEqual(calls, [])
  await clock.turn(1)
  await until('they are sent', () => calls.length === 1 && lanes.busy() === 0)
  for (const each of ['c', 'd', 'e']) offer(each)
  await until('a full call waits for nobody', () => calls.length === 2)
  assert.deepEqual(calls, [
    ['a', 'b'],
    ['c', 'd', 'e'],
  ])
})
