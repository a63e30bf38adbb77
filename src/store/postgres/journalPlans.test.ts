import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { notesStatements, writeAll } from './journalOfMany.fixture.ts'
import { wholeReads } from './statementPlans.fixture.ts'
import { createSchema, type SchemaLocation } from './storeOnSchema.fixture.ts'

const skip = await skipWithoutPostgres()

describe('the plans of the journal', { skip }, () => {
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

  test('no statement of the journal reads a whole table', async () => {
    const texts = new Map<string, number>()
    await writeAll(notesStatements(schema.database, texts))
    const allowed = [
      'SELECT channel_pause.*, channel_pause.script AS script_id, channel_pause.tag AS tag_id FROM channel_pause',
      'SELECT * FROM replay WHERE ended_at IS NULL AND slot = ANY($1) ORDER BY no',
    ]
    assert.deepEqual(await wholeReads(schema.database, texts), allowed, 'of new tables')
    for (const each of largeTables) await schema.database.sql(each)
    assert.deepEqual(await wholeReads(schema.database, texts), allowed, 'of large tables')
  })
})

/** Twenty thousand deliveries of four channels, most of them delivered, with planner statistics. */
const largeTables = [
  `INSERT INTO event SELECT 'tag_' || n % 4, n, 0, n % 4, 'Purchase', 'usr_' || n, NULL, n, '{}', '{}'
    FROM generate_series(1000, 6000) AS n`,
  `INSERT INTO delivery (position, idx, slot, at, id, tag, script, provider, status, next_at, name)
    SELECT n, 0, n % 4, n, 'dlv_' || n || '_' || script, 'tag_' || n % 4, 'scr_' || script, 'eventSink', status,
      CASE WHEN status = 'pending' THEN n END, 'Purchase'
    FROM generate_series(1000, 6000) AS n, generate_series(1, 4) AS script,
      LATERAL (SELECT CASE WHEN n % 50 = 0 THEN 'pending' WHEN n % 50 = 1 THEN 'dead' ELSE 'delivered' END AS status) AS of`,
  `INSERT INTO attempt (delivery, number, at, duration_ms) SELECT id, 1, at, 5 FROM delivery WHERE position >= 1000`,
  `INSERT INTO held SELECT 'tag_' || n % 4, n, 0, n % 4, n, 'usr_' || n % 9 FROM generate_series(1000, 6000) AS n`,
  `INSERT INTO planned SELECT n % 4, n, 0, 'tag_' || n % 4, 4, NULL, '[]' FROM generate_series(1000, 6000) AS n`,
  `INSERT INTO bodies (at, failed, tag, sealed) SELECT n, n % 9 = 0, 'tag_1', '' FROM generate_series(1000, 6000) AS n`,
  `INSERT INTO channel_pause SELECT 'scr_' || n, 'tag_1', 'keyRejected', n, n, 1, '' FROM generate_series(1000, 6000) AS n`,
  `INSERT INTO counted_day SELECT n, 'tag_1', 500 FROM generate_series(1000, 6000) AS n`,
  `INSERT INTO counted_name (tag, day, name) SELECT 'tag_1', n / 500, 'name ' || n FROM generate_series(1000, 6000) AS n`,
  `INSERT INTO event_repeat SELECT 'tag_1', n, n, 1 FROM generate_series(1000, 6000) AS n`,
  `INSERT INTO purchase SELECT n, 0, 'tag_1', 'hash ' || n, NULL, 'order ' || n, n, 1, 1, 1, 'EUR' FROM generate_series(1000, 6000) AS n`,
  `INSERT INTO shop_order (tag, id, order_id, aliases, placed_at, updated_at, status)
    SELECT 'tag_1', 'order ' || n, n, '[]', n, n, 'paid' FROM generate_series(1000, 6000) AS n`,
  'ANALYZE',
]
