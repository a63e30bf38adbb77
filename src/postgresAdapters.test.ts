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
import { openPostgresAdapters } from './postgresAdapters.ts'

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
})
