import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import type { EventResult } from '#contract/event.ts'
import { silentLog } from '#kit/log.ts'
import { type IntakeRate, openIntakeRate, unlimitedIntake } from '#limit/intakeRate.ts'
import type { StreamEntry } from '#stream/stream.ts'
import { compileCaptureRules } from '#user/captureRules.ts'
import { openProfiles } from '#user/profiles.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { aTag } from '../../test/fake/tag.ts'
import { fakeUsers } from '../../test/fake/users.ts'
import { webhookHostFunctions } from './webhookHostFunctions.ts'

const tag = aTag([])
const captureRules = compileCaptureRules([{ query: 'fbclid' }])

function openHostFunctions(
  originScriptIds: readonly string[] = [],
  append?: () => Promise<readonly boolean[]>,
  intakeRate?: IntakeRate,
) {
  const keys = openKeyring(Buffer.alloc(32, 7), 'production')
  keys.createTeamKey('team_1')
  const clock = turnedClock()
  const appended: StreamEntry[] = []
  const defaultAppend = async (entry: StreamEntry) => {
    appended.push(entry)
    return entry.keys.map(() => true)
  }
  const store = { users: fakeUsers().users }
  const profiles = openProfiles(
    { store, keys, clock, log: silentLog, eventProfile: async () => undefined },
    new AbortController().signal,
  )
  const calls = webhookHostFunctions(
    { tag, scriptId: 'scr_1', originScriptIds, captures: () => captureRules },
    {
      brand: 'Service',
      stream: { append: append ?? defaultAppend },
      profiles,
      keys,
      clock,
      intakeRate: intakeRate ?? unlimitedIntake,
    },
  )
  const event = (eventId: string) => ({ eventName: 'Lead', eventId, timestamp: clock.now() })
  return { calls, appended, event, profiles }
}

test('each of several events has its own user unless a user id is given; an invalid one is rejected', async () => {
  const { calls, appended, event } = openHostFunctions()
  const results = (await calls.handleTag!([event('a'), { eventName: 'Lead' }, event('b')])) as Record<string, string>[]
  assert.deepEqual(
    results.map(({ eventId, status }) => [eventId, status]),
    [
      ['a', 'accepted'],
      ['', 'rejected'],
      ['b', 'accepted'],
    ],
  )
  assert.match(results[1]!.message!, /eventId is required/)
  assert.notEqual(results[0]!.userId, results[2]!.userId)
  assert.equal(appended[0]?.keys.length, 2)
  const ofCrmUser = (await calls.handleTag!([event('c'), event('d')], { userId: 'crm-1' })) as { userId: string }[]
  assert.deepEqual(
    ofCrmUser.map(({ userId }) => userId),
    ['crm-1', 'crm-1'],
  )
})

test('invalid input is rejected with a readable message, and nothing is appended', async () => {
  const { calls, appended, event } = openHostFunctions()
  const cases: [unknown, unknown, RegExp][] = [
    [undefined, undefined, /the event/],
    ['text', undefined, /the event/],
    [{ eventName: 'Lead' }, undefined, /eventId is required; timestamp is required/],
    [event('a'), { userId: 'with spaces' }, /not a valid user id/],
  ]
  for (const [payload, options, expected] of cases) await assert.rejects(calls.handleTag!(payload, options), expected)
  for (const args of [
    ['usr_1', '', 1],
    ['usr_1', 'key'],
    ['', 'key', 1],
    [undefined, 'key', 1],
  ])
    await assert.rejects(calls.saveUserCustomData!(...args), /saveUserCustomData/)
  assert.equal(appended.length, 0)
})

test('code creates events from events at most five deep', async () => {
  const deep = openHostFunctions(['scr_a', 'scr_b', 'scr_c', 'scr_d', 'scr_e'])
  await assert.rejects(deep.calls.handleTag!(deep.event('a')), /at most 5 levels deep/)
  const { calls, event } = openHostFunctions(['scr_a', 'scr_b', 'scr_c', 'scr_d'])
  assert.equal(((await calls.handleTag!(event('a'))) as { status: string }).status, 'accepted')
})

test('an internal failure is reported without its cause', async () => {
  const { calls, event } = openHostFunctions([], () => Promise.reject(new Error('disk /data full')))
  await assert.rejects(calls.handleTag!(event('a')), { message: 'The call failed on the server. Try again later.' })
})

test('events from code count against the rate limits, and the code gets an error above them', async () => {
  const limits = { teamEventRate: 10, teamEventBurst: 20, tagEventRate: 10, tagEventBurst: 20 }
  const refused: string[] = []
  const intakeRate = openIntakeRate({ clock: turnedClock(), limits, refused: (_, limit) => void refused.push(limit) })
  const { calls, appended, event } = openHostFunctions([], undefined, intakeRate)
  await calls.handleTag!(Array.from({ length: 21 }, (_, n) => event(`event-${n}`)))
  await calls.saveUserCustomData!('usr_1', 'points', 7)
  await assert.rejects(calls.handleTag!(event('late')), /limit of 10 events per second/)
  await assert.rejects(calls.saveUserCustomData!('usr_1', 'points', 8), /limit of 10 events per second/)
  assert.deepEqual([appended.length, refused.length], [2, 2])
})

test('a result warns of a provider that is not known, like the answer of POST /tag', async () => {
  const { calls, event } = openHostFunctions()
  const result = (await calls.handleTag!({ ...event('a'), providers: { all: true, facebok: false } })) as EventResult
  assert.deepEqual(
    [result.status, result.warnings],
    ['accepted', ['providers names "facebok", which is not a provider']],
  )
})

test('a user key from code has the limits of POST /user, and a click id among them is captured', async () => {
  const { calls, appended, profiles } = openHostFunctions()
  let deep: unknown = 1
  for (let level = 0; level < 40; level++) deep = [deep]
  await assert.rejects(calls.saveUserCustomData!('usr_1', 'deep', deep), /nested deeper than 32/)
  await assert.rejects(calls.saveUserCustomData!('usr_1', 'k'.repeat(501), 1), /key must not have more than 500/)
  await assert.rejects(calls.saveUserCustomData!('usr_1', 'large', 'x'.repeat(70_000)), /at most 64 KiB/)
  assert.equal(appended.length, 0)
  await calls.saveUserCustomData!('usr_1', 'ads::fbclid', 'click-1')
  assert.equal((await profiles.get({ tag, userId: 'usr_1' }))?.captured.fbclid?.value, 'click-1')
})
