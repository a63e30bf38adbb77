import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ChannelLog, judge, type ReportedStatus } from './oracle.ts'

const channel = (ids: readonly string[], more: Partial<ChannelLog> = {}): ChannelLog => ({
  name: 'one',
  times: new Map(ids.map((id) => [id, ids.filter((each) => each === id).length])),
  wrong: [],
  standings: new Map(),
  ...more,
})
const sent = new Set(['a', 'b', 'c'])
const of = (standing: ReportedStatus) => judge(sent, ['a'], [channel([], { standings: new Map([['a', standing]]) })])

test('an accepted event that is neither delivered, waiting nor failed with a reason is lost', () => {
  assert.deepEqual(judge(sent, ['a', 'b'], [channel(['a'])]).lost, ['one: b'])
  assert.deepEqual(of(undefined).lost, ['one: a'])
  assert.deepEqual(of({ status: 'dead' }).lost, ['one: a (dead)'])
})

test('an event that the journal calls delivered and the destination has not is lost', () => {
  assert.deepEqual(of({ status: 'delivered' }).lost, ['one: a (delivered)'])
})

test('an event that waits or failed with a reason is not lost', () => {
  assert.deepEqual([of({ status: 'pending' }).pending, of({ status: 'pending' }).lost], [1, []])
  const dead = of({ status: 'dead', reason: 'expired' })
  assert.deepEqual([dead.failed, dead.lost], [1, []])
})

test('what nobody sent, or came changed, is a phantom', () => {
  assert.deepEqual(judge(sent, [], [channel(['x'])]).phantom, ['one: x'])
  assert.deepEqual(judge(sent, [], [channel(['a'], { wrong: ['{}'] })]).phantom, ['one: {}'])
})

test('repeats are those of the channel that has most of them', () => {
  assert.equal(judge(sent, [], [channel(['a', 'a', 'b', 'b']), channel(['c', 'c', 'c'])]).repeated, 2)
})

test('whatever arrives, every accepted event is counted once for each channel', () => {
  const ids = fc.subarray(['a', 'b', 'c'])
  const channels = fc.array(ids, { maxLength: 4 })
  fc.assert(
    fc.property(ids, channels, (accepted, arrived) => {
      const logs = arrived.map((each) => channel(each))
      const { delivered, pending, failed, lost } = judge(sent, accepted, logs)
      assert.equal(delivered + pending + failed + lost.length, accepted.length * logs.length)
    }),
  )
})
