import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Cluster } from '#cluster/cluster.ts'
import { type Clock, systemClock } from '#kit/clock.ts'
import { silentLog } from '#kit/log.ts'
import { type OpenMeter, openMeter } from '#kit/meter.ts'
import type { EnvironmentDatabase } from '#runtime/storage.ts'
import { defaultQueryLimits } from '#store/journalQueries.ts'
import { until } from '../test/fake/clock.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../test/fake/postgresServer.ts'
import { inspectPostgres, openPostgresAdapters } from './postgresAdapters.ts'

const skip = await skipWithoutPostgres()

describe('the database of a process', { skip }, () => {
  let server: PostgresServer
  let meter: OpenMeter
  let database: EnvironmentDatabase
  let cluster: Cluster
  const options = () => ({ url: server.url, environment: 'production', role: 'all', syncStandbys: 0 }) as const
  const clockAhead = (byMs: number): Clock => ({ now: () => Date.now() + byMs, wait: systemClock.wait })
  before(async () => {
    server = await startPostgres({ fsync: 'on', synchronous_commit: 'on' })
    meter = openMeter()
    database = await openPostgresAdapters({ ...options(), clock: clockAhead(50_000), meter })
    cluster = await database.joinCluster({ role: 'all', version: '1', log: silentLog })
  })
  after(async () => {
    await cluster.close()
    await database.close()
    await meter.close()
    await server.stop()
  })

  test('records are stored at the time of the database, whatever the clock of the machine says', async () => {
    const stream = await database.openStream()
    const before = Date.now()
    await stream.append({ tagId: 'tag_1', keys: [1n], payload: new Uint8Array([1]) })
    const [, offset] = /^aglet_clock_offset_seconds\{environment="production"\} (\S+)$/m.exec(await meter.page()) ?? []
    assert.ok(Math.abs(Number(offset) + 50) < 30, `${offset}`)
    assert.ok(Math.abs(database.clock.now() - before) < 30_000, 'not 50 s ahead')
    await stream.close()
  })

  test('a process whose clock is more than a minute off is refused', async () => {
    await assert.rejects(
      openPostgresAdapters({ ...options(), clock: clockAhead(90_000) }),
      /clock of this machine is 90 s ahead/,
    )
  })

  test('the metrics tell of processes, slots, records, connections and errors', async () => {
    const stream = await database.openStream()
    await stream.append({ tagId: 'tag_1', keys: [2n], payload: new Uint8Array([1]) })
    const store = await database.openStore(defaultQueryLimits)
    const user = { tagId: 'tag_1', userId: 'usr_1', sealed: new Uint8Array([1]), seenAt: 1 }
    const lookupKeys = { claims: [], confirmed: [], customs: [], isUnnamed: false }
    for (let n = 0; n < 2; n++) await store.users.put([{ user, lookupKeys, basedOn: 0 }])
    const labels = (more: string) => `\\{[^}]*${more}[^}]*\\}`
    const shown = async (name: string, value: string, more = 'environment="production"') =>
      until(`${name} ${more} ${value}`, async () =>
        new RegExp(`^${name}${labels(more)} ${value}$`, 'm').test(await meter.page()),
      )
    await shown('aglet_append_records_total', '[1-9]\\d*')
    await shown('aglet_append_duration_seconds_count', '[1-9]\\d*')
    await shown('aglet_todo_records', '\\d+')
    await shown('aglet_todo_age_seconds', '\\d+(\\.\\d+)?')
    await shown('aglet_user_conflicts_total', '1')
    await shown('aglet_slots_owned', '0')
    await shown('aglet_slots_without_owner', '256')
    await shown('aglet_changes_behind', '0')
    await shown('aglet_standbys_confirming', '0')
    await shown('aglet_database_connections', '[1-9]', 'state="open"')
    await shown('aglet_database_errors_total', '0', 'class="commitUnknown"')
    await store.close()
    await stream.close()
  })

  test('the doctor tells of processes, slots and waiting records, and what to do', async () => {
    const stream = await database.openStream()
    await stream.append({ tagId: 'tag_1', keys: [3n], payload: new Uint8Array([1]) })
    const ask = async (byMs = 0, syncStandbys = 0) => {
      const findings = await inspectPostgres({ url: server.url, syncStandbys, clock: clockAhead(byMs) })
      return new Map(findings.map(({ name, ok, message }) => [name, `${ok ? 'ok' : 'bad'}: ${message}`]))
    }
    const found = await ask()
    assert.match(found.get('database')!, /^ok: PostgreSQL 1[5-9].*, the primary is 127\.0\.0\.1/)
    assert.equal(found.get('database settings'), 'ok: a commit is safe')
    assert.match(found.get('clock')!, /^ok: this machine is \d+ ms/)
    assert.match(found.get('production schema')!, /^ok: \d+ migrations$/)
    assert.equal(found.get('sandbox schema'), 'ok: not created yet')
    assert.match(found.get('production processes')!, /^bad: 1 all; 256 of 256 slots have no owner.*: start a worker/)
    assert.match(found.get('production stream')!, /^ok: \d+ records wait, the oldest for \d+ s$/)
    assert.match((await ask(90_000)).get('clock')!, /^bad: The clock of this machine is 90 s ahead/)
    const guarded = await ask(0, 1)
    assert.match(guarded.get('database settings')!, /^bad: The database waits for 0 standbys/)
    assert.match(guarded.get('standbys')!, /^bad: each commit waits for 0; 0 stream.*: start a standby/)
    assert.match(guarded.get('pg_monitor')!, /^ok: aglet sees the standbys/)
    assert.match(guarded.get('wal_sender_timeout')!, /^bad: it is 60 s.*set wal_sender_timeout = 5s/)
    await stream.close()
  })

  test('the doctor has one line for each event shard, which says what is wrong with it', async () => {
    const other = await startPostgres({ fsync: 'on', synchronous_commit: 'on' })
    const third = `${other.url.slice(0, other.url.lastIndexOf('/'))}/template1`
    const inspect = async (shardUrls: readonly string[], syncStandbys = 0) => {
      const findings = await inspectPostgres({ url: server.url, shardUrls, syncStandbys, clock: systemClock })
      const lines = findings.filter(({ name }) => name.startsWith('shard'))
      return lines.map(({ name, ok, message }) => `${name} ${ok ? 'ok' : 'bad'}: ${message}`)
    }
    try {
      const [, added] = await inspect([server.url, other.url])
      assert.match(added!, /^shard 1 ok: PostgreSQL 1[5-9].*; production: not created yet; sandbox: not created yet$/)
      const own = { ...options(), clock: systemClock }
      const sharded = await openPostgresAdapters({ ...own, shardUrls: [server.url, other.url] })
      await sharded.close()
      const [first, second, ...more] = await inspect([server.url, other.url])
      assert.match(first!, /^shard 0 ok: .*; production: \d+ migrations; sandbox: not created yet$/)
      assert.match(second!, /^shard 1 ok: .*; production: \d+ migrations; sandbox: not created yet$/)
      assert.deepEqual(more, [])
      const [missing] = (await inspect([server.url])).slice(1)
      assert.match(missing!, /^shard 1 bad: AGLET_STREAM_URL does not list it: add its URL/)
      assert.match(
        (await inspect([other.url, server.url]))[0]!,
        /^shard 0 bad: it is the event shard 1, not 0: you can only append/,
      )
      const [, unsafe] = await inspect([server.url, other.url], 1)
      assert.match(unsafe!, /^shard 1 bad: The database waits for 0 standbys/)
      const [, away] = await inspect([server.url, 'postgres://aglet@127.0.0.1:1/postgres'])
      assert.match(away!, /^shard 1 bad: no host of database number 2 of AGLET_STREAM_URL accepts writes.*: start the/)
      const apart = await openPostgresAdapters({ ...own, url: third })
      await apart.close()
      assert.match((await inspect([server.url, third]))[1]!, /^shard 1 bad: this is a different database than before/)
      const foreign = await inspectPostgres({ url: third, shardUrls: [other.url], syncStandbys: 0, clock: systemClock })
      assert.match(foreign.at(-1)!.message, /^it is the event shard 1 of another installation/)
    } finally {
      await other.stop()
    }
  })

  test('the doctor tells that no primary answers', async () => {
    const url = 'postgres://aglet@127.0.0.1:1/postgres'
    const findings = await inspectPostgres({ url, syncStandbys: 1, clock: systemClock })
    assert.deepEqual(
      findings.map(({ name, ok }) => [name, ok]),
      [['database', false]],
    )
    assert.match(findings[0]!.message, /no host of AGLET_DATABASE_URL accepts writes.*: start the database/)
  })
})
