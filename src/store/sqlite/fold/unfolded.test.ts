import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, idOf, plannedEvent } from '#store/store.fixture.ts'
import type { DeliveryOutcome, DueDelivery, PlannedEvent } from '#store/store.ts'
import type { JournalRecord } from './journalRecords.ts'
import { openUnfolded } from './unfolded.ts'

const held = { waitsFor: 'usr_1', until: at }
const plan = (userId: string, more: Partial<PlannedEvent> = {}): JournalRecord => ({
  plan: [plannedEvent(1, { userId, ...more })],
})

const deliveryId = idOf(1, 0, 'scr_1')
const delivery: DueDelivery = {
  ...{ deliveryId, tagId: 'tag_1', position: 1, index: 0, scriptId: 'scr_1', providerId: 'eventSink' },
  ...{ attempts: 0, uncountedAttempts: 0, receivedAt: at, nextAt: at, priority: 'new' },
}
const settle = (outcome: Partial<DeliveryOutcome>): JournalRecord => ({
  settle: [{ deliveryId, status: 'delivered', ...outcome }],
  packs: [],
})

/** The answers about one record. */
function answersAbout(record: JournalRecord) {
  const unfolded = openUnfolded()
  unfolded.add(record, 10)
  return {
    scripts: ['scr_1', 'scr_2', 'scr_3'].filter(unfolded.hasScript),
    users: ['usr_1', 'usr_2'].filter(unfolded.hasUser),
    isRetry: unfolded.hasRetry(),
    isHold: unfolded.hasHold(),
  }
}
const none = { scripts: [], users: [], isRetry: false, isHold: false }
const everyScript = ['scr_1', 'scr_2', 'scr_3']

test('without a record nothing waits for a fold', () => {
  const unfolded = openUnfolded()
  assert.deepEqual([unfolded.hasAny(), unfolded.bytes()], [false, 0])
  assert.deepEqual([unfolded.hasScript('scr_1'), unfolded.hasUser('usr_1')], [false, false])
  assert.deepEqual([unfolded.hasRetry(), unfolded.hasHold()], [false, false])
})

test('a plan is about its user and its scripts, and about holds if its event is held', () => {
  const planned = { ...none, scripts: ['scr_1', 'scr_2'], users: ['usr_1'] }
  assert.deepEqual(answersAbout(plan('usr_1')), planned)
  assert.deepEqual(answersAbout(plan('usr_1', { held })), { ...planned, isHold: true })
})

test('an outcome is about its script, and about retries if it names the time of the next attempt', () => {
  assert.deepEqual(answersAbout(settle({ delivery })), { ...none, scripts: ['scr_1'] })
  const waiting = answersAbout(settle({ delivery, status: 'pending', nextAt: at }))
  assert.deepEqual(waiting, { ...none, scripts: ['scr_1'], isRetry: true })
})

test('an outcome without its delivery, and a start of attempts, may be about any script and any retry', () => {
  const any = { ...none, scripts: everyScript, isRetry: true }
  assert.deepEqual(answersAbout(settle({})), any)
  assert.deepEqual(answersAbout({ begin: [{ deliveryId, untilMs: at }] }), any)
})

test('records count until their fold is done, and those of a failed fold until the next one is', () => {
  const unfolded = openUnfolded()
  unfolded.add(plan('usr_1', { held }), 10)
  unfolded.add(settle({}), 5)
  assert.deepEqual([unfolded.hasAny(), unfolded.bytes()], [true, 15])

  const failing = unfolded.take()
  assert.deepEqual([unfolded.hasAny(), unfolded.bytes()], [false, 0], 'another fold need not take them')
  assert.ok(unfolded.hasUser('usr_1') && unfolded.hasScript('scr_3') && unfolded.hasRetry() && unfolded.hasHold())
  unfolded.add(plan('usr_2'), 7)
  failing.giveBack()
  assert.deepEqual([unfolded.hasAny(), unfolded.bytes()], [true, 22])
  assert.ok(unfolded.hasUser('usr_1') && unfolded.hasScript('scr_3') && unfolded.hasRetry() && unfolded.hasHold())

  unfolded.take().done()
  assert.deepEqual(['usr_1', 'usr_2'].map(unfolded.hasUser), [false, false])
  assert.deepEqual([unfolded.hasScript('scr_1'), unfolded.hasRetry(), unfolded.hasHold()], [false, false, false])
})

test('who waits for records of a failed fold waits for the next fold, whether more records came or not', async () => {
  for (const isMore of [false, true]) {
    const unfolded = openUnfolded()
    const done: string[] = []
    const waitFor = (name: string) => void unfolded.nextDone().then(() => done.push(name))
    unfolded.add(plan('usr_1'), 10)
    waitFor('first')
    const failing = unfolded.take()
    if (isMore) unfolded.add(plan('usr_2'), 10)
    if (isMore) waitFor('second')
    failing.giveBack()
    waitFor('third')
    await new Promise(setImmediate)
    assert.deepEqual(done, [])
    unfolded.take().done()
    await new Promise(setImmediate)
    assert.deepEqual(done.sort(), isMore ? ['first', 'second', 'third'] : ['first', 'third'])
  }
})
