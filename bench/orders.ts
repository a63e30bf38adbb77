// The report of orders over a tag with many orders: `npm run bench:orders`, two minutes with the default million.
// `--deliveries 0,1000000,10000000` measures it again with that many deliveries of the tag in the journal.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { intervalRanges } from '#order/localTime.ts'
import { countOrders, type IntervalGroup } from '#order/report.ts'
import { fillScope } from '#order/scope.ts'
import { openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import { openPostgresStore } from '#store/postgres/postgresStore.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import type { Store } from '#store/store.ts'
import { findPostgres, startPostgres } from '../test/fake/postgresServer.ts'
import { median } from './load.ts'
import { describeMachine, machineLine } from './machine.ts'

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '30' },
    deliveries: { type: 'string', default: '0' },
    store: { type: 'string' },
  },
})
const [orders, days] = [Number(values.orders), Number(values.days)]
/** Rows per statement: a statement that exceeds the time limit of a read is cancelled. */
const slice = 50_000
const steps = values.deliveries.split(',').map(Number)
const dayMs = 86_400_000
const toMs = Date.now()
const fromMs = toMs - days * dayMs
const tagId = 'tag_bench'
const channels = Array.from({ length: 10 }, (_, n) => ({
  scriptId: `scr_${String(n).padStart(26, '0')}`,
  name: `channel ${n}`,
  providerId: 'eventSink',
}))

/** One order in a hundred ended differently in one of ten channels: about twenty outcomes for each day. */
const outcomes = Array.from({ length: 20 }, (_, n) =>
  channels.map(({ scriptId }, at) => `${scriptId}=${at === n % 10 && n > 0 ? 'cfne'[n % 4] : 'a'}`).join(','),
)
const outcomeOf = `CASE WHEN n % 100 > 80 THEN n % 20 ELSE 0 END`
const outcomeStatements = outcomes.map(
  (text) => `INSERT INTO order_outcome (tag, outcome) VALUES ('${tagId}', 'b|${text}')`,
)
const orderStatements = (series: string) => [
  `INSERT INTO shop_order (tag, id, order_id, aliases, placed_at, updated_at, status, currency, value, settled, outcome)
    SELECT '${tagId}', 'order ' || n, '#' || n, '[]', ${fromMs} + n * ${Math.floor((days * dayMs) / orders)}, ${toMs}, 'paid',
      'EUR', n % 300, 1, 1 + ${outcomeOf}
    FROM ${series}`,
  `INSERT INTO shop_order_name SELECT '${tagId}', 'hash ' || n, 'order ' || n FROM ${series}`,
  `INSERT INTO purchase (position, idx, tag, hash, ord, received_at, browser, value, currency)
    SELECT n, 0, '${tagId}', 'hash ' || n, 'order ' || n, ${fromMs} + n, 1, n % 300, 'EUR' FROM ${series}`,
]

/** Deliveries of ten channels for each event; `insert` writes those from one number to another. */
async function reportWith(where: string, store: Store, insert: (from: number, to: number) => Promise<void>) {
  let written = 0
  for (const deliveries of steps) {
    if (deliveries > written) await insert(written, deliveries)
    written = Math.max(written, deliveries)
    tell(where, written, await reportMs(store))
  }
}

/** Elapsed time, and CPU time of all threads of this process: the elapsed time depends on other load. */
async function reportMs(store: Store): Promise<Taken> {
  const queries = store.queries('team_bench')
  const [measured, busy]: [number[], number[]] = [[], []]
  for (let round = 0; round < 7; round++) {
    const [beganAt, cpu] = [performance.now(), process.cpuUsage()]
    const groups: IntervalGroup[] = []
    for (const { from, ...range } of intervalRanges({ fromMs, toMs }, 'day', 'UTC'))
      for (const group of await queries.orderGroups(tagId, { ...range, openAfter: toMs - 3_600_000 }))
        groups.push({ ...group, from })
    await queries.unknownOrders(tagId, { fromMs, toMs })
    countOrders({ groups, channels, scope: fillScope() })
    measured.push(performance.now() - beganAt)
    const { user, system } = process.cpuUsage(cpu)
    busy.push((user + system) / 1_000)
  }
  return { ms: median(measured), cpuMs: median(busy) }
}

type Taken = { ms: number; cpuMs: number }
const tell = (where: string, deliveries: number, { ms, cpuMs }: Taken) =>
  console.log(
    `| ${where} | ${orders} orders of ${days} days in ${channels.length} channels, ${deliveries} deliveries | ${Math.round(ms)} ms | ${Math.round(cpuMs)} ms of CPU here | 1,000 ms |`,
  )

const folder = mkdtempSync(join(tmpdir(), 'aglet-bench-orders-'))
const file = join(folder, 'store.db')
try {
  console.log(machineLine(describeMachine()))
  await (await openSqliteStore(file)).close()
  const db = new DatabaseSync(file)
  const series = `(WITH RECURSIVE s (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s WHERE n < ${orders}) SELECT n FROM s)`
  for (const each of [...outcomeStatements, ...orderStatements(series)]) db.exec(each)
  db.close()
  const store = await openSqliteStore(file)
  if (values.store !== 'postgres')
    await reportWith('files', store, async (from, to) => {
      const filled = new DatabaseSync(file, { enableForeignKeyConstraints: false })
      for (const { name } of filled.prepare(`SELECT name FROM sqlite_master WHERE type = 'trigger'`).all())
        filled.exec(`DROP TRIGGER ${name}`)
      filled.exec(`INSERT INTO delivery (position, idx, script, tag, provider, status, at)
        SELECT n / 10, 0, n % 10, 100, 101, 'delivered', ${fromMs} FROM
          (WITH RECURSIVE s (n) AS (VALUES (${from}) UNION ALL SELECT n + 1 FROM s WHERE n < ${to} - 1) SELECT n FROM s)`)
      filled.close()
    })
  await store.close()
  if (values.store === 'files') {
    // requested only for the other store
  } else if (await findPostgres()) {
    const server = await startPostgres({ shared_buffers: '256MB' })
    const database = openDatabase({ url: server.url, schema: 'bench', connections: 4 })
    await migrate(database)
    for (const each of outcomeStatements) await database.sql(each)
    for (let at = 1; at <= orders; at += slice)
      for (const each of orderStatements(`generate_series(${at}::bigint, ${Math.min(orders, at + slice - 1)}) AS n`))
        await database.sql(each)
    await database.sql('ANALYZE')
    await reportWith('PostgreSQL', await openPostgresStore({ database }), async (from, to) => {
      for (let at = from; at < to; at += slice)
        await database.sql(`INSERT INTO delivery (position, idx, slot, at, id, tag, script, provider, status, name)
          SELECT n / 10, 0, 1, ${fromMs}, 'dlv_' || n, '${tagId}', 'scr_' || n % 10, 'eventSink', 'delivered', 'Purchase'
          FROM generate_series(${at}::bigint, ${Math.min(to, at + slice) - 1}) AS n`)
      await database.sql('ANALYZE delivery')
    })
    await database.close()
    await server.stop()
  } else console.log('NOT RUN: PostgreSQL is not installed')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
