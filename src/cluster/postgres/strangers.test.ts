import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import pg from 'pg'
import type { Log } from '#kit/log.ts'
import { appendChanges } from '#postgres/appendChanges.ts'
import { type Database, openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import { openStreamTables } from '#stream/postgres/streamTables.ts'
import { turnedClock, until } from '../../../test/fake/clock.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import type { Cluster } from '../cluster.ts'
import { slotCount } from '../slotOf.ts'
import { notingWorkers } from '../slotWorker.fixture.ts'
import { openPostgresCluster } from './postgresCluster.ts'

const skip = await skipWithoutPostgres()
const now = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
const lastMs = '9223372036854775807'

describe('on a shared database', { skip, timeout: 60_000 }, () => {
  let server: PostgresServer
  let database: Database
  let stranger: pg.Client
  const opened: Cluster[] = []
  const databases: Database[] = []

  before(async () => {
    server = await startPostgres()
    const owner = new pg.Client({ connectionString: server.url })
    await owner.connect()
    await owner.query('CREATE ROLE stranger LOGIN')
    await owner.end()
    const url = new URL(server.url)
    url.username = 'stranger'
    stranger = new pg.Client({ connectionString: url.href })
    await stranger.connect()
  })
  after(async () => {
    await stranger.end()
    await Promise.all(opened.map((cluster) => cluster.close()))
    await Promise.all(databases.map((each) => each.close()))
    await server.stop()
  })
  beforeEach(async () => {
    database = openDatabase({ url: server.url, schema: `s${randomUUID().replaceAll('-', '')}`, connections: 6 })
    databases.push(database)
    await migrate(database)
  })

  /** A process whose statements are counted, and whose clock the test controls. */
  async function join() {
    const clock = turnedClock()
    const texts: string[] = []
    const logged: Parameters<Log>[0][] = []
    const counted: Database = {
      ...database,
      sql: ((text, values) => {
        texts.push(text)
        return database.sql(text, values)
      }) as Database['sql'],
    }
    const log: Log = (line) => void logged.push(line)
    const options = { database: counted, role: 'worker', version: '1', clock, log, monotonicMs: clock.now } as const
    const cluster = await openPostgresCluster(options)
    opened.push(cluster)
    return { cluster, clock, texts, errors: () => logged.filter(({ level }) => level === 'error'), ...notingWorkers() }
  }
  type Process = Awaited<ReturnType<typeof join>>
  const turnUntil = (what: string, processes: readonly Process[], holds: () => unknown) =>
    until(what, async () => {
      for (const { clock } of processes) if (clock.sleeping() > 0) await clock.turn(1_000)
      return holds()
    })
  const forge = (channel: string, payload: string) =>
    stranger.query('SELECT pg_notify($1, $2)', [`${database.schema}_${channel}`, payload])
  const change = (id: string) =>
    database.transaction((sql) => appendChanges(sql, database.schema, [{ kind: 'deployment', id }]))

  test('a role that may connect reads and writes no table, and hears only numbers in notices', async () => {
    const tables = await database.sql<{ name: string }>(
      'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1',
      [database.schema],
    )
    assert.ok(tables.length > 30)
    for (const { name } of tables)
      for (const text of [`SELECT 1 FROM "${database.schema}"."${name}"`, `DELETE FROM "${database.schema}"."${name}"`])
        await assert.rejects(stranger.query(text), /permission denied/)
    await assert.rejects(stranger.query(`CREATE TABLE "${database.schema}".mine (one int)`), /permission denied/)
    const heard: string[] = []
    stranger.on('notification', ({ payload }) => void heard.push(String(payload)))
    for (const channel of ['change', 'todo']) await stranger.query(`LISTEN "${database.schema}_${channel}"`)
    await change('tag_of_a_customer')
    await until('the notice is heard', () => heard.length > 0)
    await stranger.query('UNLISTEN *')
    assert.match(heard.join(), /^\d+$/)
  })

  test('forged notices of changes make a process look again, one look at a time, and do nothing else', async () => {
    const { cluster, texts, errors } = await join()
    const applied: string[] = []
    cluster.changes.follow(async ({ id }) => void applied.push(id))
    await change('one')
    await until('a change is applied', () => applied.length === 1)
    texts.length = 0
    const junk = [
      '',
      '-1',
      '1e999',
      'NaN',
      lastMs,
      '9'.repeat(7_999),
      '\u{1F600}'.repeat(1_999),
      "'; DROP TABLE change; --",
    ]
    const forged = Array.from({ length: 3_000 }, () => randomBytes(20).toString('hex'))
    for (const payload of junk) await forge('change', payload)
    await stranger.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [
      `${database.schema}_change`,
      forged,
    ])
    await assert.rejects(forge('change', 'x'.repeat(8_000)), /payload string too long/)
    await change('two')
    await until('the next change is applied', () => applied.length === 2)
    assert.deepEqual(applied, ['one', 'two'])
    // One read covers all notices that came before it. The number of reads depends on the machine.
    assert.ok(texts.length < forged.length / 4, `${texts.length} statements for 3,008 notices`)
    assert.ok(texts.every((text) => /FROM change WHERE seq > \$1|^UPDATE member SET applied_change/.test(text)))
    assert.deepEqual(errors(), [])
  })

  test('no role that may only connect can hold back changes and tables of days by advisory locks', async () => {
    const numbers = [4_111_726, 4_111_727]
    await stranger.query('BEGIN')
    for (const number of numbers) await stranger.query('SELECT pg_advisory_xact_lock($1)', [number])
    await stranger.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${database.schema}_change`])
    try {
      assert.equal(await change('one'), 1)
      const tables = openStreamTables(database)
      await tables.using(20_000, { stored: [1], probed: [2] }, async () => {})
      assert.deepEqual(await tables.days(), [20_000])
    } finally {
      await stranger.query('ROLLBACK')
    }
  })

  test('a forged lease without an owner is taken, and the time in a lease counts for nothing', async () => {
    const { cluster } = await join()
    assert.ok(await cluster.leases.holds('ended'))
    await database.sql(`UPDATE lease SET until_ms = -${lastMs}`)
    await database.sql(`INSERT INTO lease VALUES ('nobody', 'mem_forged', ${lastMs})`)
    const other = await join()
    assert.ok(await other.cluster.leases.holds('nobody'))
    assert.ok(!(await other.cluster.leases.holds('ended')))
  })

  test('forged members, and as many as anybody likes, take no share of the slots and end no process', async () => {
    await database.sql(
      `INSERT INTO member SELECT 'mem_forged' || n, 'worker', repeat('x', 100),
         CASE n % 4 WHEN 0 THEN ${lastMs} WHEN 1 THEN -${lastMs} - 1 WHEN 2 THEN ${now} + 3600000 ELSE 0 END, -${lastMs}
       FROM generate_series(1, 20000) AS n`,
    )
    const process = await join()
    await process.cluster.startWorker(process.start)
    await turnUntil('it owns all slots', [process], () => process.last().ownership.slots().length === slotCount)
    assert.equal(process.cluster.members.count('worker'), 1)
    const forged = `SELECT 1 FROM member WHERE id LIKE 'mem_forged%' LIMIT 1`
    await turnUntil('the forged ones are removed', [process], async () => (await database.sql(forged)).length === 0)
    assert.deepEqual(process.errors(), [])
    assert.ok(!process.last().isLost)
  })

  test('very many live members do not end the process that looks at them', async () => {
    const process = await join()
    await database.sql(
      `INSERT INTO member SELECT 'mem_forged' || n, 'edge', '1', ${now} + 30000, 0 FROM generate_series(1, 200000) AS n`,
    )
    await turnUntil('it sees them', [process], () => process.cluster.members.count('edge') > 100_000)
    const renewals = () => process.texts.filter((text) => text.includes('renewed AS')).length
    const seen = renewals()
    await turnUntil('it renews its lease again', [process], () => renewals() > seen + 1)
    assert.deepEqual(process.errors(), [])
  })
})
