import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import type { Run } from '#contract/webhookRun.ts'
import { silentLog } from '#kit/log.ts'
import type { RunRecord } from '#store/webhookRuns.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import { emailHash, openRun, openRunLog, userHash } from './runLog.ts'

const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')
const owner = { teamId: 'team_1', tagId: 'tag_1', scriptId: 'scr_1' }
const aRun = (at: number, more: Partial<Run> = {}) => ({
  at,
  durationMs: 1,
  status: 200,
  logs: [],
  eventIds: [],
  ...more,
})

/** A log of runs on a store that keeps what it was given, and fails while `isBroken`. */
function openTestLog() {
  const clock = turnedClock()
  const written: RunRecord[] = []
  const state = { isBroken: false }
  const store = {
    async write([change]: readonly { rows?: RunRecord[] }[]) {
      if (state.isBroken) throw new Error('the disk is full')
      written.push(...change!.rows!)
    },
  } as never
  const closing = new AbortController()
  const log = openRunLog({ clock, keys, store, log: silentLog }, closing.signal)
  const opened = () => written.map((row) => openRun(keys, 'team_1', row))
  return { ...log, clock, written, state, opened, close: () => closing.abort() }
}

test('a run is written within a second, sealed, and opens unchanged for its own tag only', async () => {
  const { add, clock, written, opened, close } = openTestLog()
  const run = aRun(5, { logs: [{ level: 'log', text: 'hello' }], eventIds: ['a', 'b'] })
  add(owner, run)
  await clock.turn(1_000)
  await until('it is written', () => written.length === 1)
  const [{ runId, tagId, scriptId, at, eventKeys, sealed }] = written as [RunRecord]
  assert.deepEqual([tagId, scriptId, at], ['tag_1', 'scr_1', 5])
  assert.deepEqual(
    eventKeys,
    ['a', 'b'].map((eventId) => keys.team('team_1').eventKey('tag_1', eventId, true)),
  )
  assert.ok(!Buffer.from(sealed).includes('hello'))
  assert.deepEqual(opened(), [{ run: { runId, ...run }, people: [] }])
  assert.throws(() => openRun(keys, 'team_1', { ...written[0]!, tagId: 'tag_2' }))
  await clock.turn(5_000)
  assert.equal(written.length, 1)
  close()
})

test('a run names by their hashes the people of its texts and those that its code handled', async () => {
  const { add, flush, opened, close } = openTestLog()
  const texts = {
    request: { method: 'POST', path: '/', body: '{"to":"In-Request@example.com"}' },
    error: { message: 'no profile of in-error@example.com' },
    logs: [{ level: 'log' as const, text: 'sent to in-log@example.com' }],
  }
  add(owner, aRun(5, texts), { userIds: ['usr_1', 'usr_1'], texts: ['by in-call%40example.com'] })
  await flush()
  const emails = ['in-request', 'in-error', 'in-log', 'in-call'].map((name) => `${name}@example.com`)
  assert.deepEqual(
    opened()[0]!.people.toSorted(),
    [userHash(keys, owner, 'usr_1'), ...emails.map((email) => emailHash(keys, owner, email))].toSorted(),
  )
  close()
})

test('a run that handled more than a thousand people is stored without its texts', async () => {
  const { add, flush, opened, close } = openTestLog()
  const texts = { error: { message: 'jane' }, logs: [{ level: 'log' as const, text: 'jane' }], eventIds: ['a'] }
  const people = (count: number) => Array.from({ length: count }, (_, n) => `usr_${n}`)
  const emails = (count: number) => people(count).map((name) => `${name}@example.com`)
  add(owner, aRun(1, texts), { userIds: people(1_000), texts: [] })
  add(owner, aRun(2, texts), { userIds: people(1_001), texts: [] })
  add(owner, aRun(3, texts), { userIds: people(1), texts: emails(1_000) })
  add(owner, aRun(4, texts), { userIds: [], texts: [emails(2_000).join(' ')] })
  await flush()
  const [kept, ...others] = opened()
  assert.deepEqual([kept!.run.error?.message, kept!.people.length], ['jane', 1_000])
  for (const { run, people } of others) {
    assert.deepEqual([run.error, run.eventIds, people], [undefined, ['a'], []])
    assert.deepEqual(run.logs, [{ level: 'error', text: 'not stored: the call handled more than 1000 people' }])
  }
  close()
})

test('runs that could not be written are written with the next flush, once and in order', async () => {
  const { add, flush, written, state, close } = openTestLog()
  state.isBroken = true
  add(owner, aRun(1))
  await flush()
  add(owner, aRun(2))
  state.isBroken = false
  await flush()
  await flush()
  assert.deepEqual(
    written.map(({ at }) => at),
    [1, 2],
  )
  close()
})

test('while the store fails, the last five thousand runs are kept', async () => {
  const { add, flush, written, state, close } = openTestLog()
  state.isBroken = true
  for (let at = 1; at <= 5_002; at++) add(owner, aRun(at))
  await flush()
  add(owner, aRun(5_003))
  state.isBroken = false
  await flush()
  assert.deepEqual([written.length, written[0]!.at, written.at(-1)!.at], [5_000, 4, 5_003])
  close()
})
