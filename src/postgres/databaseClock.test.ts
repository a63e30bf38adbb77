import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnedClock, until } from '../../test/fake/clock.ts'
import type { Database } from './database.ts'
import { openDatabaseClock } from './databaseClock.ts'
import { DatabaseAway } from './databaseError.ts'

const second = 1_000

/** A machine, and a database whose clock is ahead by `aheadMs`. */
function openClocks(aheadMs: number) {
  const machine = turnedClock()
  const state = { aheadMs, isAway: false, asked: 0 }
  const sql = (async () => {
    state.asked++
    if (state.isAway) throw new DatabaseAway('no primary responds')
    return [{ now: machine.now() + state.aheadMs }]
  }) as unknown as Database['sql']
  const isNear = (one: number, other: number) => Math.abs(one - other) < second
  return { machine, state, isNear, deps: { database: { sql }, clock: machine } }
}

for (const aheadMs of [-50, 0, 50])
  test(`a process follows the database whose clock is ${aheadMs} s ahead`, async () => {
    const { machine, deps, isNear } = openClocks(aheadMs * second)
    const opened = await openDatabaseClock(deps)
    assert.ok(isNear(opened.clock.now(), machine.now() + aheadMs * second))
    assert.doesNotThrow(opened.check)
    await opened.close()
  })

test('a process does not start with a clock that differs by more than a minute, and says by how much', async () => {
  await assert.rejects(
    openDatabaseClock(openClocks(75 * second).deps),
    /^Error: The clock of this machine is 75 s behind the clock of the database, but at most 60 s are allowed. Synchronise both with NTP/,
  )
  await assert.rejects(openDatabaseClock(openClocks(-75 * second).deps), /75 s ahead of the clock of the database/)
})

test('a clock that is set while the process runs is measured within ten seconds, and corrected', async () => {
  const { machine, state, deps, isNear } = openClocks(0)
  const { clock, check, close } = await openDatabaseClock(deps)
  const database = () => machine.now() + state.aheadMs
  machine.set(30 * second)
  state.aheadMs = -30 * second
  assert.ok(!isNear(clock.now(), database()))
  await machine.turn(10 * second)
  await until('it follows', () => isNear(clock.now(), database()))
  assert.doesNotThrow(check)
  machine.set(60 * second)
  state.aheadMs = -90 * second
  await machine.turn(10 * second)
  await until('it is refused', () => state.asked === 3)
  await until('it follows', () => isNear(clock.now(), database()))
  assert.throws(check, /90 s ahead of/)
  await close()
})

test('while the database is away the last offset holds', async () => {
  const { machine, state, deps, isNear } = openClocks(20 * second)
  const { clock, close } = await openDatabaseClock(deps)
  state.isAway = true
  await machine.turn(10 * second)
  await until('it has asked', () => state.asked === 2)
  assert.ok(isNear(clock.now(), machine.now() + 20 * second))
  await close()
})
