import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { QueryRefused } from '#kit/queryPool.ts'
import type { Database, Sql } from '#postgres/database.ts'
import type { WatchRequest, WatchResult } from '#store/journalQueries.ts'
import { createJournalReads } from '#store/sql/journalReads.ts'
import { awaitRead } from '#store/sql/read.ts'
import { at, plannedEvent } from '#store/store.fixture.ts'
import type { Journal, PlannedEvent } from '#store/store.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { postgresDialect } from './dialect.ts'
import { createJournal } from './journal.ts'
import { insertPlan } from './planStatements.ts'
import { createQueries, openQueryConnection } from './queries.ts'
import { readNewEvents } from './readChanges.ts'
import { createReads } from './statements.ts'
import { createSchema } from './storeOnSchema.fixture.ts'

const reads = createJournalReads(postgresDialect, readNewEvents)
const skip = await skipWithoutPostgres()
const isRefused = (why: string) => (problem: unknown) => problem instanceof QueryRefused && problem.why === why

describe('queries on PostgreSQL', { skip }, () => {
  let server: PostgresServer
  let database: Database
  let journal: Journal
  before(async () => {
    server = await startPostgres()
    database = (await createSchema(server.url)).database
    journal = createJournal(database, undefined)
  })
  after(async () => {
    await database.close()
    await server.stop()
  })

  const statsOf = (queries: ReturnType<typeof createQueries>, teamId: string) =>
    queries.queriesOf(teamId).stats('tag_none', { from: at, to: at + 60_000, step: 'minute' })

  test('a team has a maximum of concurrent queries, independently of other teams', async () => {
    const queries = createQueries(database, { perTeam: 2, limitMs: 60_000 })
    const taken = [statsOf(queries, 'team_1'), statsOf(queries, 'team_1')]
    await assert.rejects(statsOf(queries, 'team_1'), isRefused('tooMany'))
    await Promise.all([...taken, statsOf(queries, 'team_2')])
    assert.equal((await statsOf(queries, 'team_1')).events.total, 0)
    await queries.close()
    await assert.rejects(statsOf(queries, 'team_1'), /closed/)
  })

  /** Runs a query on its own connection. */
  const runQuery = (limitMs: number, read: (sql: Sql) => Promise<unknown>) =>
    new Promise<unknown>((resolve, reject) => {
      void openQueryConnection(database, limitMs).run({ ask: { read }, resolve, reject })
    })

  test('a statement that exceeds the time limit is ended, and its connection is used again', async () => {
    await assert.rejects(
      runQuery(100, (sql) => sql('SELECT pg_sleep(60)')),
      isRefused('tooSlow'),
    )
    const sleeping = `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(60)%'
      AND pid <> pg_backend_pid()`
    while ((await database.sql(sleeping)).length > 0);
    assert.deepEqual(await runQuery(60_000, (sql) => sql('SELECT 1 AS one')), [{ one: 1 }])
  })

  test('a query of many short statements is refused at the time limit, and sends no further one', async () => {
    const read = async (sql: Sql) => {
      for (;;) await sql('SELECT 1')
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const refused = assert.rejects(promise, isRefused('tooSlow'))
    await openQueryConnection(database, 100).run({ ask: { read }, resolve, reject })
    await refused
  })

  test('a query writes nothing', async () => {
    const write = runQuery(60_000, (sql) => sql(`INSERT INTO lease VALUES ('x', 'y', 1)`))
    await assert.rejects(write, /read-only/)
  })

  test('a page scans at most 5,000 rows, and the next page continues from there', async () => {
    const tagId = 'tag_far'
    const plan = (events: PlannedEvent[]) => journal.plan(events)
    const without = Array.from({ length: 6_000 }, (_, n) => plannedEvent(n + 10, { tagId, deliveries: [] }))
    await plan(without.map((each) => ({ ...each, eventName: 'PageView' })))
    await plan([plannedEvent(1, { tagId, eventName: 'PageView' })])
    const queries = createQueries(database, { perTeam: 2, limitMs: 60_000 })
    const pageOf = (cursor?: string) =>
      queries.queriesOf('team_1').deliveries(tagId, { eventName: 'PageView' }, { limit: 5, ...(cursor && { cursor }) })
    const first = await pageOf()
    assert.deepEqual([first.rows.length, first.next !== undefined], [0, true])
    const second = await pageOf(first.next)
    assert.deepEqual([second.rows.length, second.next], [2, undefined])
  })

  describe('the watch of a tag', () => {
    /** A plan that is not committed yet. Plans of events with one name and minute wait for each other at their count. */
    const planTransaction = (event: PlannedEvent) => {
      const commit = Promise.withResolvers<void>()
      const planned = Promise.withResolvers<void>()
      const done = database.transaction(async (sql) => {
        await insertPlan(sql, [event])
        planned.resolve()
        await commit.promise
      })
      return {
        planned: planned.promise,
        async commit() {
          commit.resolve()
          await done
        },
      }
    }
    /** The positions that each poll returns. Each poll gets the state of the previous one. */
    function watcher(tagId: string, first: Partial<WatchRequest> = {}) {
      const queries = createQueries(database, { perTeam: 2, limitMs: 60_000 }).queriesOf('team_1')
      let state = first
      return async (events = 50): Promise<[positions: number[], result: WatchResult]> => {
        const result = await queries.watch(tagId, { open: [], events, hasEvents: true, ...state })
        const after = result.newest ?? result.last ?? state.after
        state = { ...state, ...(after && { after }), ...(result.recent && { recent: result.recent }) }
        return [result.listed.map(({ position }) => position), result]
      }
    }

    const readWithoutRows = (tagId: string) =>
      database.transaction((sql) =>
        awaitRead(
          reads.watch(tagId, { open: [], events: 50, hasEvents: true, after: { tagId, position: 101, index: 0 } }),
          createReads(sql),
        ),
      )

    test('returns each event once, also one that becomes visible after events with later positions', async () => {
      const tagId = 'tag_late'
      const look = watcher(tagId)
      await journal.plan([plannedEvent(1, { tagId })])
      assert.deepEqual((await look())[0], [1])
      const [early, middle] = ['PageView', 'Search'].map((eventName, n) =>
        planTransaction(plannedEvent(2 + 2 * n, { tagId, eventName })),
      )
      await Promise.all([early!.planned, middle!.planned])
      await journal.plan([plannedEvent(5, { tagId })])
      assert.deepEqual((await look())[0], [5])
      await middle!.commit()
      const [positions, { rows, last }] = await look()
      assert.deepEqual([positions, last?.position], [[4], 5])
      assert.deepEqual(
        rows.map(({ position, scriptId }) => `${position} ${scriptId}`),
        ['4 scr_1', '4 scr_2'],
      )
      await early!.commit()
      await journal.plan([plannedEvent(3, { tagId }), plannedEvent(6, { tagId })])
      assert.deepEqual((await look())[0], [2, 3, 6])
      assert.deepEqual((await look())[0], [])
    })

    test('returns an event whose transaction ran for longer than a look reaches back', async () => {
      const tagId = 'tag_slow'
      const look = watcher(tagId)
      await journal.plan([plannedEvent(1, { tagId })])
      await look()
      const slow = planTransaction(plannedEvent(2, { tagId }))
      await slow.planned
      await journal.plan([plannedEvent(3, { tagId, eventName: 'Search' })])
      const [, { recent }] = await look()
      for (let n = 0; n < 3; n++) assert.equal((await look())[1].recent?.since, recent?.since)
      await slow.commit()
      assert.deepEqual((await look())[0], [2])
      const [, { recent: ended }] = await look()
      assert.ok(ended!.since > recent!.since)
    })

    test('returns an event that is planned while it reads with its deliveries, by the next look', async () => {
      const tagId = 'tag_unstored'
      const look = watcher(tagId)
      await journal.plan([plannedEvent(101, { tagId })])
      await look()
      await journal.plan([plannedEvent(102, { tagId }), plannedEvent(103, { tagId })])
      // A poll normally stores delivery rows before it reads. This one does not.
      const { rows, recent } = await readWithoutRows(tagId)
      assert.deepEqual([rows, recent?.keys.has('102 0')], [[], false])
      const [positions, next] = await look()
      assert.deepEqual([positions, next.rows.length], [[102, 103], 4])
    })

    test('goes on where it was cut with the events since the last look before which all were visible', async () => {
      const tagId = 'tag_cut'
      const look = watcher(tagId)
      await journal.plan([plannedEvent(1, { tagId }), plannedEvent(5, { tagId, eventName: 'Search' })])
      const slow = planTransaction(plannedEvent(2, { tagId }))
      await slow.planned
      const [, { last, recent }] = await look()
      await slow.commit()
      const resumed = watcher(tagId, {
        after: last!,
        recent: { keys: new Set(), since: recent!.since, polls: [] },
        isContinued: true,
      })
      assert.deepEqual([(await resumed(1))[0], (await resumed(1))[0], (await resumed(1))[0]], [[1], [2], [5]])
      assert.deepEqual((await resumed())[0], [])
    })

    test('does not return events that it has left out, nor those that were there before it began', async () => {
      const tagId = 'tag_many'
      await journal.plan([1, 2, 3, 4, 5].map((position) => plannedEvent(position, { tagId })))
      const look = watcher(tagId, { after: { tagId, position: 2, index: 0 } })
      const [positions, { more, newest }] = await look(1)
      assert.deepEqual([positions, more, newest?.position], [[3], 2, 5])
      assert.deepEqual((await look())[0], [])
    })
  })
})
