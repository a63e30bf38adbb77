import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { at } from '#store/store.fixture.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { createJournal } from './journal.ts'
import { eventOf, later, outcomesOf } from './journalOfMany.fixture.ts'
import { createSchema, type SchemaLocation } from './storeOnSchema.fixture.ts'

const skip = await skipWithoutPostgres()

describe('texts of strangers in the journal on PostgreSQL', { skip }, () => {
  let server: PostgresServer
  let schema: SchemaLocation
  before(async () => {
    server = await startPostgres()
    schema = await createSchema(server.url)
  })
  after(async () => {
    await schema.remove()
    await server.stop()
  })

  test('event names that are stored alike are counted as one', async () => {
    const journal = createJournal(schema.database)
    const names = ['a\0', 'a\ud800', 'a\ufffd']
    const events = names.map((eventName, n) => eventOf(n, { eventName, userId: eventName }))
    await journal.plan(events)
    await journal.settle(events.flatMap((event) => outcomesOf(event)))
    const [counted] = await schema.database.sql(`
      SELECT (SELECT jsonb_object_agg(name, count) FROM event_count) AS events,
        (SELECT jsonb_object_agg(name, count) FROM delivery_count WHERE script = 'scr_1') AS deliveries`)
    assert.deepEqual(counted, { events: { 'a\ufffd': 3 }, deliveries: { 'a\ufffd': 3 } })
    const { rows } = await journal.eventsOf('tag_1', 'a\0', { limit: 9 })
    assert.equal(rows.length, 3)
  })

  test('the longest names, users and issues fit into the indexes', async () => {
    const journal = createJournal(schema.database)
    const long = { eventName: '\u{1f600}'.repeat(100), userId: '\u20ac'.repeat(500), emailMatch: '\u20ac'.repeat(500) }
    const event = eventOf(10, { ...long, orderKey: '\u20ac'.repeat(5_000) })
    const issues = [{ path: `data.${'\u20ac'.repeat(9_000)}`, message: '\u20ac'.repeat(9_000) }]
    await journal.plan([event])
    const outcomes = outcomesOf(event).map((each) => ({ ...each, attempt: { ...each.attempt!, issues } }))
    await journal.settle(outcomes)
    const [row] = await schema.database.sql(
      'SELECT length(path) AS path, length(message) AS message, count FROM issue_count ORDER BY 1 DESC LIMIT 1',
    )
    assert.deepEqual(row, { path: 300, message: 300, count: 5 })
  })

  test('of two outcomes of one delivery in one write the last counts, and both attempts are stored', async () => {
    const journal = createJournal(schema.database)
    const event = eventOf(20)
    await journal.plan([event])
    const [first] = outcomesOf(event, { status: 'pending', reason: 'vendorDown', nextAt: later })
    const delivery = { ...first!.delivery!, attempts: 1 }
    const second = {
      ...first!,
      delivery,
      status: 'delivered',
      attempt: { ...first!.attempt!, number: 2, at: at + 9 },
    } as const
    await journal.settle([first!, second])
    const [read] = (await journal.event('tag_1', 20, 0))!.deliveries
    assert.deepEqual([read!.status, read!.attempts.map(({ number }) => number)], ['delivered', [1, 2]])
  })
})
