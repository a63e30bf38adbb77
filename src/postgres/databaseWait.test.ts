import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '#kit/log.ts'
import { TooFewStandbys } from './checkDatabase.ts'
import { CommitUnknown, DatabaseAway, DatabaseError, DatabaseReadOnly } from './databaseError.ts'
import { databaseName, openDatabaseWait, StartEnded } from './databaseWait.ts'

const name = databaseName('production')

function openWait() {
  const lines: Parameters<Log>[0][] = []
  const stopping = new AbortController()
  const state = { now: 0 }
  const wait = openDatabaseWait({
    log: (line) => void lines.push(line),
    signal: stopping.signal,
    pauseMs: 0,
    monotonicMs: () => state.now,
  })
  return { wait, stopping, state, lines, messages: () => lines.map(({ message }) => message) }
}

const away = () => new DatabaseAway('terminating connection due to unexpected postmaster exit', { code: '57P01' })

/** Work that fails with these errors, one for each run. */
const failingWith = (...errors: unknown[]) => {
  let runs = 0
  return async () => {
    if (runs < errors.length) throw errors[runs++]
    return 'done'
  }
}

test('a start runs its work again while the database is away, and the log has one line for it and one for its return', async () => {
  const { wait, lines } = openWait()
  const errors = [
    away(),
    away(),
    new CommitUnknown('the response to a commit was lost'),
    new DatabaseReadOnly('cannot execute INSERT in a read-only transaction'),
    new DatabaseError('deadlock detected', { code: '40P01' }),
  ]
  assert.equal(await wait.until(name, failingWith(...errors)), 'done')
  assert.deepEqual(
    lines.map(({ level = 'info', message, database }) => [level, message, database]),
    [
      ['warn', 'the start waits for a database', name],
      ['info', 'the database responds', name],
    ],
  )
  assert.match(`${lines[0]!.reason}`, /unexpected postmaster exit/)
})

test('a wait within a wait for the same database is told once', async () => {
  const { wait, messages } = openWait()
  const inner = failingWith(away())
  const later = failingWith(away(), away())
  await wait.until(name, async () => {
    await wait.until(name, inner)
    return later()
  })
  assert.deepEqual(messages(), ['the start waits for a database', 'the database responds'])
})

test('what is waited for is named without a host, and only while it is waited for', async () => {
  const { wait } = openWait()
  const seen: Record<string, string>[] = []
  const work = failingWith(new DatabaseAway('connect ECONNREFUSED 10.0.0.1:5432'))
  await wait.until(name, async () => {
    seen.push(wait.reasons())
    return work()
  })
  assert.deepEqual(seen, [{}, { [name]: 'waiting: no host of the database accepts writes' }])
  assert.deepEqual(wait.reasons(), {})
})

test('a wrong password, an unknown database and a setting that loses events end the start', async () => {
  for (const code of ['28P01', '3D000']) {
    const { wait, messages } = openWait()
    const refused = Object.assign(new Error('refused'), { code })
    const error = new DatabaseAway('no primary responds: refused', { cause: refused })
    await assert.rejects(wait.until(name, failingWith(error)), error)
    assert.deepEqual(messages(), [])
  }
  const unsafe = new Error('The database has fsync = off: accepted events may be lost. Set it to on.')
  await assert.rejects(openWait().wait.until(name, failingWith(unsafe)), unsafe)
})

test('too few standbys are waited for as long as a new primary needs to name them, and then end the start', async () => {
  const { wait, state } = openWait()
  const few = new TooFewStandbys('The database waits for 0 standbys at each commit')
  assert.equal(await wait.until(name, failingWith(few, few)), 'done')
  await assert.rejects(
    wait.until(name, async () => {
      state.now += 4_000
      throw few
    }),
    few,
  )
  assert.ok(state.now >= 16_000)
})

test('a start that waits ends when the process is stopped', async () => {
  const { wait, stopping } = openWait()
  await assert.rejects(
    wait.until(name, async () => {
      stopping.abort()
      throw away()
    }),
    StartEnded,
  )
})
