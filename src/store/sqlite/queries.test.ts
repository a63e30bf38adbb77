import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { QueryRefused } from '#kit/queryPool.ts'
import type { QueryLimits } from '#store/journalQueries.ts'
import { at } from '#store/store.fixture.ts'
import { openSqliteStore } from './sqliteStore.ts'

async function open(t: TestContext, limits: QueryLimits) {
  const directory = mkdtempSync(join(tmpdir(), 'aglet-queries-'))
  const store = await openSqliteStore(join(directory, 'store.db'), limits)
  t.after(async () => {
    await store.close()
    rmSync(directory, { recursive: true })
  })
  return (teamId: string) => store.queries(teamId).stats('tag_1', { from: at, to: at + 60_000, step: 'minute' })
}
const refused = (why: string) => (problem: unknown) => problem instanceof QueryRefused && problem.why === why

test('a team has a maximum of concurrent queries, independently of other teams', async (t) => {
  const stats = await open(t, { perTeam: 2, limitMs: 60_000 })
  const taken = [stats('team_1'), stats('team_1')]
  await assert.rejects(stats('team_1'), refused('tooMany'))
  await Promise.all([...taken, stats('team_2')])
  assert.equal((await stats('team_1')).events.total, 0)
})

test('a query that exceeds its time limit is ended', async (t) => {
  // Starting a thread takes longer than this limit.
  const stats = await open(t, { perTeam: 2, limitMs: 1 })
  await assert.rejects(stats('team_1'), refused('tooSlow'))
})
