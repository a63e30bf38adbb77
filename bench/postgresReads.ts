// What the dashboard reads, of a tag with many deliveries on PostgreSQL: `npm run bench:postgres-reads`, with `--events`. Ten
// million deliveries take some minutes to write.
import { parseArgs } from 'node:util'
import { openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import type { JournalQueries } from '#store/journalQueries.ts'
import { createJournal } from '#store/postgres/journal.ts'
import { createQueries } from '#store/postgres/queries.ts'
import type { Journal } from '#store/store.ts'
import { findPostgres, startPostgres } from '../test/fake/postgresServer.ts'
import { median } from './load.ts'
import { describeMachine, machineLine } from './machine.ts'

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '2000000' },
    channels: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
  },
})
const [events, channels, rounds] = [Number(values.events), Number(values.channels), Number(values.rounds)]
const tagId = 'tag_bench'
const dayMs = 86_400_000
const toMs = Date.now()
const fromMs = toMs - dayMs
/** Rows per statement. */
const slice = 20_000
/** Above the product's limit, so that a slow read is measured and not refused. */
const limitMs = 120_000

/** The events of a day. Of a hundred deliveries one is dead, one refused, and two are skipped. */
const statements = (from: number, to: number) => [
  `INSERT INTO event (tag, position, idx, slot, name, user_id, received_at, consent, place, planned_at, order_hash)
    SELECT '${tagId}', n, 0, 1, (ARRAY['PageView', 'AddToCart', 'Purchase'])[1 + n % 3], 'usr_' || n % 100000, at, '{}', '{}', at,
      CASE WHEN n % 3 = 2 THEN md5('order ' || n) END
    FROM generate_series(${from}::bigint, ${to}) AS n, LATERAL (SELECT ${fromMs} + n * ${dayMs} / ${events} AS at) AS times`,
  `INSERT INTO delivery (position, idx, slot, at, id, tag, script, provider, status, reason, name, attempts, first_at, first_ms, http_status)
    SELECT n, 0, 1, ${fromMs} + n * ${dayMs} / ${events}, 'dlv_' || n || '_' || c, '${tagId}', 'scr_' || c, 'eventSink',
      CASE (n + c) % 100 WHEN 0 THEN 'dead' WHEN 1 THEN 'refused' WHEN 2 THEN 'skipped' WHEN 3 THEN 'skipped' ELSE 'delivered' END,
      CASE (n + c) % 100 WHEN 0 THEN 'vendorDown' WHEN 1 THEN 'vendorRefused' WHEN 2 THEN 'consent' WHEN 3 THEN 'consent' END,
      (ARRAY['PageView', 'AddToCart', 'Purchase'])[1 + n % 3], 1, ${fromMs} + n * ${dayMs} / ${events}, 40, 200
    FROM generate_series(${from}::bigint, ${to}) AS n, generate_series(1, ${channels}) AS c`,
]

const hourMs = 3_600_000
const middle = Math.ceil(events / 2)
type Read = (queries: JournalQueries, journal: Pick<Journal, 'event'>) => Promise<unknown>
const reads: Readonly<Record<string, Read>> = {
  'an event with its deliveries and attempts': (_, journal) => journal.event(tagId, middle, 0),
  'events, 50 a page': (queries) => queries.events(tagId, {}, { limit: 50 }),
  'events with a dead delivery': (queries) => queries.events(tagId, { statuses: ['dead'] }, { limit: 50 }),
  'events of a user': (queries) => queries.eventsOf(tagId, 'usr_7', { limit: 50 }),
  'deliveries, 50 a page': (queries) => queries.deliveries(tagId, {}, { limit: 50 }),
  'deliveries, dead or refused': (queries) =>
    queries.deliveries(tagId, { statuses: ['dead', 'refused'] }, { limit: 50 }),
  'deliveries by an HTTP status that none has': (queries) =>
    queries.deliveries(tagId, { httpStatuses: [503] }, { limit: 50 }),
  'funnel of an hour': (queries) => queries.funnel(tagId, { from: toMs - hourMs, to: toMs }),
  'funnel of all': (queries) => queries.funnel(tagId, { from: fromMs, to: Number.POSITIVE_INFINITY }),
  channels: (queries) => queries.channels(tagId, ['scr_1', 'scr_2', 'scr_3']),
}

if (!(await findPostgres())) {
  console.log('NOT RUN: PostgreSQL is not installed')
  process.exit()
}
console.log(machineLine(describeMachine()))
const server = await startPostgres({ shared_buffers: '2GB', max_wal_size: '4GB', fsync: 'off', jit: 'off' })
const database = openDatabase({ url: server.url, schema: 'bench', connections: 4 })
try {
  await migrate(database)
  const begun = performance.now()
  for (let at = 1; at <= events; at += slice)
    for (const each of statements(at, Math.min(events, at + slice - 1))) await database.sql(each)
  for (const table of ['event', 'delivery']) await database.sql(`VACUUM ANALYZE ${table}`)
  const seconds = Math.round((performance.now() - begun) / 1_000)
  console.log(`${events} events with ${channels} deliveries each, written in ${seconds} s`)
  const { queriesOf, close } = createQueries(database, { perTeam: 4, limitMs })
  const journal = createJournal(database)
  console.log('| read | ms |\n|---|---:|')
  for (const [what, read] of Object.entries(reads)) {
    const tookMs: number[] = []
    for (let round = 0; round < rounds; round++) {
      const at = performance.now()
      await read(queriesOf('team_bench'), journal)
      tookMs.push(performance.now() - at)
    }
    console.log(`| ${what} | ${median(tookMs).toFixed(1)} |`)
  }
  await close()
} finally {
  await database.close()
  await server.stop()
}
