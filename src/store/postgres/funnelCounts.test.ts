import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database, Sql } from '#postgres/database.ts'
import { at, plannedEvent } from '#store/store.fixture.ts'
import { until } from '../../../test/fake/clock.ts'
import { skipWithoutPostgres } from '../../../test/fake/postgresServer.ts'
import { insertPlan } from './planStatements.ts'
import { createQueries } from './queries.ts'
import { startTwoDatabases } from './storeOnSchema.fixture.ts'

const skip = await skipWithoutPostgres()
const block = 16_384
const eventOf = (position: number) =>
  plannedEvent(position, {
    receivedAt: at + position,
    deliveries: [1, 2].map((n) => {
      return { deliveryId: `dlv_${position}_${n}`, scriptId: `scr_${n}`, providerId: 'eventSink', status: 'delivered' }
    }),
  })
const countRows = `
  SELECT tag, position >> 14 AS block, script, status, coalesce(reason, '') AS reason, count(*) AS count
  FROM delivery GROUP BY 1, 2, 3, 4, 5
  UNION ALL SELECT tag, position >> 14, '', '', '', count(*) FROM event GROUP BY 1, 2 ORDER BY 1, 2, 3, 4, 5`
const sumCounts = `
  SELECT tag, block, script, status, reason, sum(count)::bigint AS count
  FROM funnel_count GROUP BY 1, 2, 3, 4, 5 HAVING sum(count) <> 0 ORDER BY 1, 2, 3, 4, 5`
const addEvent = `
  INSERT INTO event (tag, position, idx, slot, name, user_id, received_at, consent, place)
  VALUES ('tag_1', $1, 0, 1, 'Purchase', 'usr_1', ${at}, '{}', '{}')`
const all = { from: at - 1, to: Number.POSITIVE_INFINITY }

describe('the counts of a funnel', { skip }, () => {
  let databases: [Database, Database]
  let stop: () => Promise<void>
  before(async () => {
    ;({ databases, stop } = await startTwoDatabases())
  })
  after(() => stop())
  const plan = (sql: Sql, from: number, count: number) =>
    insertPlan(
      sql,
      Array.from({ length: count }, (_, n) => eventOf(from + n)),
    )
  async function assertExact(): Promise<void> {
    const [{ sql }] = databases
    assert.deepEqual(await sql(sumCounts), await sql(countRows))
  }

  test('are those of the rows, whatever becomes of them and whichever connection writes them', async () => {
    const [one, other] = databases
    await Promise.all([
      one.transaction((sql) => plan(sql, block - 100, 300)),
      other.transaction((sql) => plan(sql, block + 200, 300)),
    ])
    await assertExact()
    const { sql } = other
    await sql(`UPDATE delivery SET status = 'dead', reason = 'vendorDown' WHERE position % 3 = 0`)
    await sql(`UPDATE delivery SET attempts = 2 WHERE position % 2 = 0`)
    await assertExact()
    await sql('DELETE FROM delivery WHERE position < $1', [block - 10])
    await sql('DELETE FROM event WHERE position < $1', [block - 10])
    await assertExact()
  })

  test('of whole blocks and the rows at both ends add up to the funnel', async () => {
    const [{ sql, transaction }] = databases
    await transaction((each) => plan(each, 2 * block, block + 5))
    const { queriesOf, close } = createQueries(databases[0], { perTeam: 4, limitMs: 60_000 })
    const { events, planned } = await queriesOf('team_1').funnel('tag_1', all)
    const [rows] = await sql(
      'SELECT (SELECT count(*) FROM event) AS events, (SELECT count(*) FROM delivery) AS planned',
    )
    assert.deepEqual([events, planned], [Number(rows!.events), Number(rows!.planned)])
    await close()
  })

  test('of one block are changed by two connections at once, and neither waits', async () => {
    const [one, other] = databases
    await one.transaction((sql) => plan(sql, 10 * block, 20))
    const fail = `UPDATE delivery SET status = 'dead', reason = 'vendorDown' WHERE position = $1`
    await one.transaction(async (sql) => {
      await sql(fail, [10 * block])
      await other.sql(fail, [10 * block + 1])
    })
    await assertExact()
  })

  test('have an event that arrives while the last other one of its block goes', async () => {
    const [one, other] = databases
    const position = 20 * block
    const add = (sql: Sql, at: number) => sql(addEvent, [at])
    await one.transaction((sql) => add(sql, position))
    let gone: Promise<unknown> | undefined
    await one.transaction(async (sql) => {
      await add(sql, position + 1)
      gone = other.sql('DELETE FROM event WHERE position = $1', [position])
      await until(
        'the deletion waits',
        async () => (await other.sql('SELECT FROM pg_locks WHERE NOT granted')).length > 0,
      )
    })
    await gone
    await assertExact()
  })

  test('go with the last event of their block', async () => {
    const [{ sql }] = databases
    await sql('DELETE FROM delivery')
    await sql('DELETE FROM event')
    assert.deepEqual(await sql('SELECT * FROM funnel_count'), [])
  })
})
