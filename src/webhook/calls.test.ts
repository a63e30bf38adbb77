import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { silent } from '#kit/log.ts'
import { type IntakeRate, openIntakeRate, unlimitedIntake } from '#limit/intakeRate.ts'
import type { Entry } from '#stream/stream.ts'
import { openPeople } from '#user/people.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { aTag } from '../../test/fake/tag.ts'
import { fakeUsers } from '../../test/fake/users.ts'
import { webhookCalls } from './calls.ts'

const tag = aTag([])

function opened(makers: readonly string[] = [], append?: () => Promise<readonly boolean[]>, intakeRate?: IntakeRate) {
  const keys = openKeyring(Buffer.alloc(32, 7), 'production')
  keys.makeTeam('team_1')
  const clock = turnedClock()
  const kept: Entry[] = []
  const keep = async (entry: Entry) => {
    kept.push(entry)
    return entry.keys.map(() => true)
  }
  const store = { users: fakeUsers().users }
  const people = openPeople({ store, keys, clock, log: silent }, new AbortController().signal)
  const calls = webhookCalls(
    { tag, scriptId: 'scr_1', makers },
    { stream: { append: append ?? keep }, people, keys, clock, intakeRate: intakeRate ?? unlimitedIntake },
  )
  const event = (eventId: string) => ({ eventName: 'Lead', eventId, timestamp: clock.now() })
  return { calls, kept, event }
}

test('several events are of users of their own, unless it is said whose they are; a bad one among them is told', async () => {
  const { calls, kept, event } = opened()
  const made = (await calls.handleTag!([event('a'), { eventName: 'Lead' }, event('b')])) as Record<string, string>[]
  assert.deepEqual(
    made.map(({ eventId, status }) => [eventId, status]),
    [
      ['a', 'accepted'],
      ['', 'rejected'],
      ['b', 'accepted'],
    ],
  )
  assert.match(made[1]!.message!, /eventId is required/)
  assert.notEqual(made[0]!.userId, made[2]!.userId)
  assert.equal(kept[0]?.keys.length, 2)
  const own = (await calls.handleTag!([event('c'), event('d')], { userId: 'crm-1' })) as { userId: string }[]
  assert.deepEqual(
    own.map(({ userId }) => userId),
    ['crm-1', 'crm-1'],
  )
})

test('what cannot be taken is told in words, and nothing is kept', async () => {
  const { calls, kept, event } = opened()
  const cases: [unknown, unknown, RegExp][] = [
    [undefined, undefined, /the event/],
    ['text', undefined, /the event/],
    [{ eventName: 'Lead' }, undefined, /eventId is required; timestamp is required/],
    [event('a'), { userId: 'with spaces' }, /not of the form/],
  ]
  for (const [payload, options, says] of cases) await assert.rejects(calls.handleTag!(payload, options), says)
  for (const args of [
    ['usr_1', '', 1],
    ['usr_1', 'key'],
    ['', 'key', 1],
    [undefined, 'key', 1],
  ])
    await assert.rejects(calls.saveUserCustomData!(...args), /saveUserCustomData takes/)
  assert.equal(kept.length, 0)
})

test('events are made of events at most five deep', async () => {
  const deep = opened(['scr_a', 'scr_b', 'scr_c', 'scr_d', 'scr_e'])
  await assert.rejects(deep.calls.handleTag!(deep.event('a')), /at most 5 deep/)
  const { calls, event } = opened(['scr_a', 'scr_b', 'scr_c', 'scr_d'])
  assert.equal(((await calls.handleTag!(event('a'))) as { status: string }).status, 'accepted')
})

test('a failure of ours is told without what failed', async () => {
  const { calls, event } = opened([], () => Promise.reject(new Error('disk /data full')))
  await assert.rejects(calls.handleTag!(event('a')), { message: 'This cannot be done now: try again later.' })
})

test('what code makes counts as what is sent, and above the rate the code is told so', async () => {
  const limits = { teamEventRate: 10, teamEventBurst: 20, tagEventRate: 10, tagEventBurst: 20 }
  const refused: string[] = []
  const intakeRate = openIntakeRate({ clock: turnedClock(), limits, refused: (_, of) => void refused.push(of) })
  const { calls, kept, event } = opened([], undefined, intakeRate)
  await calls.handleTag!(Array.from({ length: 21 }, (_, n) => event(`event-${n}`)))
  await calls.saveUserCustomData!('usr_1', 'points', 7)
  await assert.rejects(calls.handleTag!(event('late')), /limit of 10 events a second/)
  await assert.rejects(calls.saveUserCustomData!('usr_1', 'points', 8), /limit of 10 events a second/)
  assert.deepEqual([kept.length, refused.length], [2, 2])
})
