import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSlots } from '#limit/slots.ts'
import { defaultTeamLimits } from '#settings/teamLimits.ts'
import { turnedClock, until } from '../../test/fake/clock.ts'
import type { ControlDeps } from './controlDeps.ts'
import { reserveSearch, runFairly } from './searchSlots.ts'

test('a team has its number of search slots, a slot is free once it is disposed of, and teams do not share', () => {
  const deps = {
    querySlots: openSlots(() => 2),
    limits: { ...defaultTeamLimits, queriesPerTeam: 2 },
  } as unknown as ControlDeps
  const first = reserveSearch(deps, 'team_1')
  reserveSearch(deps, 'team_1')
  assert.throws(() => reserveSearch(deps, 'team_1'), { status: 429, code: 'TOO_MANY_QUERIES' })
  reserveSearch(deps, 'team_2')
  first[Symbol.dispose]()
  reserveSearch(deps, 'team_1')
})

/** A task that takes `ms` by the clock, and records its start. */
function taskOf(clock: ReturnType<typeof turnedClock>, began: number[], ms: number) {
  return async () => {
    began.push(clock.now())
    await clock.wait(ms)
  }
}

test('tasks of one team run one after the other, each after a rest of four times the one before', async () => {
  const clock = turnedClock(0)
  const began: number[] = []
  const ended = Promise.all([1, 2, 3].map(() => runFairly({ clock }, 'team_rest', taskOf(clock, began, 100))))
  await until('the first task runs', () => began.length === 1)
  for (let turns = 0; turns < 20; turns++) await clock.turn(100)
  await ended
  assert.deepEqual(began, [0, 500, 1_000])
})

test('a rest is at most two seconds', async () => {
  const clock = turnedClock(0)
  const began: number[] = []
  const ended = Promise.all([1, 2].map(() => runFairly({ clock }, 'team_long', taskOf(clock, began, 10_000))))
  await until('the first task runs', () => began.length === 1)
  for (let turns = 0; turns < 24; turns++) await clock.turn(1_000)
  await ended
  assert.deepEqual(began, [0, 12_000])
})

test('tasks of different teams run at the same time, and a task that fails rejects only for its caller', async () => {
  const clock = turnedClock(0)
  const began: number[] = []
  const failing = runFairly({ clock }, 'team_fails', async () => assert.fail('a batch is broken'))
  const others = ['team_fails', 'team_other'].map((team) => runFairly({ clock }, team, taskOf(clock, began, 1)))
  await assert.rejects(failing, /a batch is broken/)
  await until('both tasks run', () => began.length === 2)
  assert.deepEqual(began, [0, 0])
  await clock.turn(1)
  await Promise.all(others)
})
