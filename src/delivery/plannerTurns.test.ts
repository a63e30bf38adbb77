import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LeaseTurns } from '#stream/stream.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { type PlannerDeps, runPlanner } from './planner.ts'

test('records are leased in turns of teams, and those of a tag that is not deployed here by the tag', async () => {
  const stopping = new AbortController()
  const asked = Promise.withResolvers<LeaseTurns>()
  const stream = {
    last: () => 0,
    async lease(_: number, __: AbortSignal, turns: LeaseTurns) {
      stopping.abort()
      asked.resolve(turns)
      return []
    },
  }
  const teams: Record<string, { teamId: string }> = { tag_1: { teamId: 'team_a' }, tag_2: { teamId: 'team_a' } }
  const deps = { stream, snapshots: { get: (tagId: string) => teams[tagId] }, clock: turnedClock() }
  await runPlanner(deps as unknown as PlannerDeps, stopping.signal)
  const { ownerOf, events } = await asked.promise
  assert.deepEqual(['tag_1', 'tag_2', 'tag_3'].map(ownerOf), ['team_a', 'team_a', 'tag_3'])
  assert.ok(events > 0 && events <= 128, `${events} events of one team before another team's turn`)
})
