// The report of orders over a tag with many: `npm run bench:orders`, two minutes with the default million.
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
  options: { orders: { type: 'string', default: '1000000' }, days: { type: 'string', default: '30' } },
})
const [orders, days] = [Number(values.orders), Number(values.days)]
const dayMs = 86_400_000
const toMs = Date.now()
const fromMs = toMs - days * dayMs
const tagId = 'tag_bench'
const channels = Array.from({ length: 10 }, (_, n) => ({
  scriptId: `scr_${String(n).padStart(26, '0')}`,
  name: `channel ${n}`,
  providerId: 'eventSink',
}))

/** One order in a hundred ended in another way in one of ten channels: some twenty ends for each day. */
const outcomes = Array.from({ length: 20 }, (_, n) =>
  channels.map(({ scriptId }, at) => `${scriptId}=${at === n % 10 && n > 0 ? 'cfne'[n % 4] : 'a'}`).join(','),
)
const outcomeOf = `CASE WHEN n % 100 > 80 THEN n % 20 ELSE 0 END`
const statements = (series: string) => [
  ...outcomes.map((text) => `INSERT INTO order_outcome (tag, outcome) VALUES ('${tagId}', 'b|${text}')`),
  `INSERT INTO shop_order (tag, id, order_id, aliases, placed_at, updated_at, status, currency, value, settled, outcome)
    SELECT '${tagId}', 'order ' || n, '#' || n, '[]', ${fromMs} + n * ${Math.floor((days * dayMs) / orders)}, ${toMs}, 'paid',
      'EUR', n % 300, 1, 1 + ${outcomeOf}
    FROM ${series}`,
  `INSERT INTO shop_order_name SELECT '${tagId}', 'hash ' || n, 'order ' || n FROM ${series}`,
  `INSERT INTO purchase (position, idx, tag, hash, ord, received_at, browser, value, currency)
    SELECT n, 0, '${tagId}', 'hash ' || n, 'order ' || n, ${fromMs} + n, 1, n % 300, 'EUR' FROM ${series}`,
]

async function reportMs(store: Store): Promise<number> {
  const queries = store.queries('team_bench')
  const measured: number[] = []
  for (let round = 0; round < 7; round++) {
    const beganAt = performance.now()
    const groups: IntervalGroup[] = []
    for (const { from, ...range } of intervalRanges({ fromMs, toMs }, 'day', 'UTC'))
      for (const group of await queries.orderGroups(tagId, { ...range, openAfter: toMs - 3_600_000 }))
        groups.push({ ...group, from })
    await queries.unknownOrders(tagId, { fromMs, toMs })
    countOrders({ groups, channels, scope: fillScope() })
    measured.push(performance.now() - beganAt)
  }
  return median(measured)
}

const tell = (where: string, ms: number) =>
  console.log(
    `| ${where} | ${orders} orders of ${days} days in ${channels.length} channels | ${Math.round(ms)} ms | 1,000 ms |`,
  )

const folder = mkdtempSync(join(tmpdir(), 'aglet-bench-orders-'))
const file = join(folder, 'store.db')
try {
  console.log(machineLine(describeMachine()))
  await (await openSqliteStore(file)).close()
  const db = new DatabaseSync(file)
  const series = `(WITH RECURSIVE s (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s WHERE n < ${orders}) SELECT n FROM s)`
  for (const each of statements(series)) db.exec(each)
  db.close()
  const store = await openSqliteStore(file)
  tell('files', await reportMs(store))
  await store.close()
  if (await findPostgres()) {
    const server = await startPostgres({ shared_buffers: '256MB' })
    const database = openDatabase({ url: server.url, schema: 'bench', connections: 4 })
    await migrate(database)
    for (const each of statements(`generate_series(1::bigint, ${orders}) AS n`)) await database.sql(each)
    await database.sql('ANALYZE')
    tell('PostgreSQL', await reportMs(await openPostgresStore({ database })))
    await database.close()
    await server.stop()
  } else console.log('NOT RUN: PostgreSQL is not installed')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
