import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { silentLog } from '#kit/log.ts'
import { type Database, openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import { OwnershipLost, ownerTransaction } from '#postgres/ownership.ts'
import { turnedClock, until } from '../../../test/fake/clock.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { clusterLaws } from '../cluster.suite.ts'
import type { Cluster, ProcessRole } from '../cluster.ts'
import { slotCount } from '../slotOf.ts'
import { type NotingWorker, notingWorkers } from '../slotWorker.fixture.ts'
import { openPostgresCluster } from './postgresCluster.ts'

const skip = await skipWithoutPostgres()
let server: PostgresServer
const databases: Database[] = []
/** Clusters of failed tests, which are still open at the end. */
const openClusters = new Set<Cluster>()

/** A schema of its own, migrated. */
async function openSchema(): Promise<Database> {
  const schema = `s${Math.random().toString(36).slice(2)}`
  const database = openDatabase({ url: server.url, schema, connections: 6 })
  databases.push(database)
  await migrate(database)
  return database
}

/** A process of a cluster, whose clock the test controls. */
async function join(database: Database, role: ProcessRole = 'all') {
  const clock = turnedClock()
  const options = { database, role, version: '1', clock, log: silentLog, monotonicMs: clock.now }
  const cluster = await openPostgresCluster(options)
  openClusters.add(cluster)
  return { cluster, clock, ...notingWorkers() }
}
type Process = Awaited<ReturnType<typeof join>>

/** Turns the clocks of all processes by a second after each renewal, until the condition holds. */
const turnUntil = (what: string, processes: readonly Process[], holds: () => unknown) =>
  until(what, async () => {
    // A process that runs ahead while another one waits for the database would consider that one dead.
    if (processes.every(({ clock }) => clock.sleeping() > 0)) for (const { clock } of processes) await clock.turn(1_000)
    return holds()
  })

const owned = ({ ownership }: NotingWorker) => ownership.slots().length
const closeAll = (processes: readonly Process[]) => Promise.all(processes.map(({ cluster }) => cluster.close()))

async function startWorkers(database: Database, count: number) {
  const processes: Process[] = []
  for (let n = 0; n < count; n++) processes.push(await join(database, 'worker'))
  const works = await Promise.all(processes.map(({ cluster, start }) => cluster.startWorker(start)))
  const share = Math.ceil(slotCount / count)
  const isFair = () =>
    processes.every(({ last }) => owned(last()) <= share) &&
    processes.reduce((sum, { last }) => sum + owned(last()), 0) === slotCount
  await turnUntil('every slot has an owner', processes, isFair)
  return { processes, works }
}

/** Stops renewing, because nobody turns the clock of the process. Resolves when a running renewal has ended. */
const stopRenewing = ({ clock }: Process) => until('no renewal is under way', () => clock.sleeping() > 0)

if (!skip) {
  before(async () => {
    server = await startPostgres()
  })
  after(async () => {
    await Promise.all([...openClusters].map((cluster) => cluster.close()))
    await Promise.all(databases.map((database) => database.close()))
    await server.stop()
  })
}

clusterLaws('PostgreSQL', async () => (await join(await openSchema())).cluster, skip)

describe('the processes of a cluster', { skip }, () => {
  test('workers share the slots, and each slot has one owner', async () => {
    const { processes } = await startWorkers(await openSchema(), 3)
    const slots = processes.flatMap(({ last }) => last().ownership.slots())
    assert.equal(new Set(slots).size, slotCount)
    assert.equal(slots.length, slotCount)
    await closeAll(processes)
  })

  test('a slot goes to a new worker only when the old one has ended its work on it', async () => {
    const database = await openSchema()
    const { processes } = await startWorkers(database, 1)
    const old = processes[0]!
    const draining = Promise.withResolvers<void>()
    old.last().drained = draining.promise
    const added = await join(database, 'worker')
    await added.cluster.startWorker(added.start)
    await turnUntil('the old one stops to work on its surplus', [old], () => owned(old.last()) === slotCount / 2)
    await added.clock.turn(3_000)
    assert.equal(owned(added.last()), 0)
    draining.resolve()
    await turnUntil('the new one has its share', [old, added], () => owned(added.last()) === slotCount / 2)
    assert.deepEqual(new Set(added.last().gainedSlots), new Set(old.last().releasedSlots))
    await closeAll([old, added])
  })

  test('a worker that stops leaves its slots to the others at once', async () => {
    const { processes, works } = await startWorkers(await openSchema(), 2)
    const [one, two] = processes as [Process, Process]
    await works[0]!.stop()
    await one.cluster.close()
    await turnUntil('the other owns all', [two], () => owned(two.last()) === slotCount)
    assert.ok(one.last().isStopped)
    await two.cluster.close()
  })

  test('the slots of a worker that died are taken, and it stores nothing more', async () => {
    const database = await openSchema()
    const { processes } = await startWorkers(database, 2)
    const [dead, other] = processes as [Process, Process]
    const { ownership } = dead.last()
    await stopRenewing(dead)
    await turnUntil('the other owns all', [other], () => owned(other.last()) === slotCount)
    await assert.rejects(
      ownerTransaction(database, ownership, async () => {}),
      OwnershipLost,
    )
    await closeAll(processes)
  })

  /**
   * Starts two workers. `turn` resolves when the renewals of a turn have ended. The last renewal of `silent` has just
   * been seen.
   */
  async function openSilent() {
    const database = await openSchema()
    const { processes } = await startWorkers(database, 2)
    const [silent, other] = processes as [Process, Process]
    const noRenewal = () => until('no renewal is under way', () => processes.every(({ clock }) => clock.sleeping() > 0))
    const turn = async ({ clock }: Process, ms: number) => {
      await clock.turn(ms)
      await noRenewal()
    }
    await noRenewal()
    await turn(silent, 800)
    await turn(other, 800)
    return { database, processes, silent, other, turn }
  }

  test('the slots of a worker that died are taken when it has not renewed for four seconds, and not at the next renewal', async () => {
    const { processes, other, turn } = await openSilent()
    for (const ms of [800, 800, 800, 800, 799]) await turn(other, ms)
    assert.equal(owned(other.last()), slotCount / 2)
    await other.clock.turn(11)
    await until('the other owns all', () => owned(other.last()) === slotCount)
    await closeAll(processes)
  })

  for (const [name, jumpMs] of [
    ['ahead', 120_000],
    ['back', -30_000],
  ] as const)
    test(`a clock of the database that jumps ${name} takes no slot from a live worker, and keeps none for a dead one`, async () => {
      const { database, processes, silent, other, turn } = await openSilent()
      await database.sql('UPDATE member SET until_ms = until_ms - $1::bigint', [jumpMs])
      for (let n = 0; n < 10; n++)
        for (const each of processes) {
          await turn(each, 800)
          await database.sql('UPDATE member SET until_ms = until_ms - $1::bigint', [jumpMs])
        }
      for (const { workers, last } of processes) assert.deepEqual([workers.length, owned(last())], [1, slotCount / 2])
      await turn(other, 800)
      for (const ms of [800, 800, 800, 800, 810]) await other.clock.turn(ms)
      await turnUntil('the other owns all', [other], () => owned(other.last()) === slotCount)
      assert.ok(!other.last().isLost)
      assert.equal(silent.workers.length, 1)
      await closeAll(processes)
    })

  test('the slots of a worker that is frozen within a transaction are taken', async () => {
    const database = await openSchema()
    const { processes } = await startWorkers(database, 2)
    const [frozen, other] = processes as [Process, Process]
    const thawed = Promise.withResolvers<void>()
    const write = ownerTransaction(database, frozen.last().ownership, async (sql) => {
      await thawed.promise
      await sql(`INSERT INTO lease VALUES ('frozen', 'nobody', 0)`)
    })
    const failed = assert.rejects(write)
    await stopRenewing(frozen)
    await turnUntil('the other owns all', [other], () => owned(other.last()) === slotCount)
    thawed.resolve()
    await failed
    assert.deepEqual(await database.sql(`SELECT name FROM lease WHERE name = 'frozen'`), [])
    await closeAll(processes)
  })

  test('a worker that lost its lease is abandoned, and another one with a new id starts in its process', async () => {
    const database = await openSchema()
    const { processes } = await startWorkers(database, 2)
    const [frozen, other] = processes as [Process, Process]
    const before = frozen.last()
    await stopRenewing(frozen)
    await turnUntil('the other owns all', [other], () => owned(other.last()) === slotCount)
    await turnUntil('another worker starts', processes, () => frozen.workers.length === 2)
    await turnUntil('it has its share', processes, () => owned(frozen.last()) === slotCount / 2)
    assert.ok(before.isLost)
    assert.deepEqual(before.ownership.slots(), [])
    assert.notEqual(frozen.last().ownership.memberId, before.ownership.memberId)
    await closeAll(processes)
  })

  test('a worker whose write was refused is abandoned', async () => {
    const database = await openSchema()
    const { processes } = await startWorkers(database, 1)
    const only = processes[0]!
    const before = only.last()
    before.ownership.reportLost()
    assert.ok(before.isLost)
    await turnUntil('another worker starts', [only], () => only.workers.length === 2)
    await only.cluster.close()
  })

  test('a worker that has not renewed its lease for 3.2 s starts no call', async () => {
    const { processes } = await startWorkers(await openSchema(), 1)
    const { clock, last, cluster } = processes[0]!
    assert.ok(last().ownership.mayStart())
    await cluster.close() // nothing renews
    await clock.turn(3_200)
    assert.ok(!last().ownership.mayStart())
  })

  test('after a time without the database no member is removed before it could renew its lease', async () => {
    const database = await openSchema()
    const { processes } = await startWorkers(database, 2)
    const [one, two] = processes as [Process, Process]
    const clocks = processes.map(({ clock }) => clock)
    await until('no renewal is under way', () => clocks.every((clock) => clock.sleeping() > 0))
    for (const clock of clocks) clock.set(10_000) // the last renewals are long ago
    for (const { clock, last } of processes) {
      const { memberId } = last().ownership
      const lease = () => database.sql('SELECT until_ms FROM member WHERE id = $1', [memberId])
      const before = await lease()
      await clock.turn(1_000)
      await until('it has renewed', async () => !isDeepStrictEqual(await lease(), before))
    }
    await turnUntil('both are live', processes, () => one.cluster.members.count('worker') === 2)
    assert.ok(!one.last().isLost)
    assert.ok(!two.last().isLost)
    await closeAll(processes)
  })

  test('members are counted by the roles whose work they do', async () => {
    const database = await openSchema()
    const processes: Process[] = []
    for (const role of ['edge', 'edge', 'all', 'control'] as const) processes.push(await join(database, role))
    const { members } = processes[0]!.cluster
    await turnUntil('it knows the others', [processes[0]!], () => members.count('edge') === 3)
    assert.deepEqual([members.count('control'), members.count('worker')], [2, 1])
    await closeAll(processes)
  })

  test('one process holds a lease, and the next one when it is gone', async () => {
    const database = await openSchema()
    const [one, two] = [await join(database), await join(database)]
    assert.ok(await one.cluster.leases.holds('alerts'))
    assert.ok(!(await two.cluster.leases.holds('alerts')))
    await one.cluster.close()
    await turnUntil('the other holds it', [two], () => two.cluster.leases.holds('alerts'))
    await two.cluster.close()
  })

  for (const [name, jumpMs] of [
    ['ahead', 3_600_000],
    ['back', -3_600_000],
  ] as const)
    test(`a clock of the database that jumps ${name} ends no lease of a live process, and keeps none for a dead one`, async () => {
      const database = await openSchema()
      const [one, two] = [await join(database), await join(database)]
      assert.ok(await one.cluster.leases.holds('alerts'))
      await database.sql('UPDATE lease SET until_ms = until_ms - $1::bigint', [jumpMs])
      assert.ok(!(await two.cluster.leases.holds('alerts')))
      assert.ok(await one.cluster.leases.holds('alerts'))
      await stopRenewing(one)
      await turnUntil('the other holds it', [two], () => two.cluster.leases.holds('alerts'))
      await one.clock.turn(4_000)
      await until('it has joined again', () => one.clock.sleeping() > 0)
      assert.ok(!(await one.cluster.leases.holds('alerts')))
      await closeAll([one, two])
    })

  test('exclusive work of two processes runs one after the other', async () => {
    const database = await openSchema()
    const processes = [await join(database), await join(database)]
    let running = 0
    const task = ({ cluster }: Process) =>
      cluster.leases.exclusive('task', async () => {
        assert.equal(++running, 1)
        await database.sql('SELECT pg_sleep(0)')
        running--
      })
    await Promise.all([...processes, ...processes].map(task))
    await closeAll(processes)
  })
})

/** Adds changes as a store does: in the order of `seq`, with a notification. */
async function addChanges(database: Database, from: number, to: number): Promise<void> {
  await database.sql(
    `INSERT INTO change SELECT seq, 'deployment', 'tag_' || seq, extract(epoch FROM now()) * 1000 FROM generate_series($1::bigint, $2::bigint) AS seq`,
    [from, to],
  )
  await database.sql('SELECT pg_notify($1, $2)', [`${database.schema}_change`, String(to)])
}

describe('the change feed', { skip }, () => {
  test('every process applies the changes in order, and then they are acknowledged', async () => {
    const database = await openSchema()
    await addChanges(database, 1, 3)
    const processes = [await join(database), await join(database, 'edge')]
    const applied: number[][] = [[], []]
    for (const [n, { cluster }] of processes.entries())
      cluster.changes.follow(async ({ seq }) => void applied[n]!.push(seq))
    await addChanges(database, 4, 6)
    await processes[0]!.cluster.changes.acknowledged(6)
    assert.deepEqual(applied, [
      [4, 5, 6],
      [4, 5, 6],
    ])
    await closeAll(processes)
  })

  test('a process that starts does not wait for itself before it follows', async () => {
    const database = await openSchema()
    let asked = 0
    const sql: Database['sql'] = (text, values) => {
      if (text.includes('applied_change <')) asked++
      return database.sql(text, values)
    }
    const { cluster } = await join({ ...database, sql })
    await addChanges(database, 1, 1)
    await cluster.changes.acknowledged(1)
    assert.equal(asked, 1)
    await cluster.close()
  })

  test('a change that could not be applied is tried again, and the later ones wait for it', async () => {
    const database = await openSchema()
    const process = await join(database)
    const applied: number[] = []
    let failures = 2
    process.cluster.changes.follow(async ({ seq }) => {
      if (seq === 2 && failures-- > 0) throw new Error('not now')
      applied.push(seq)
    })
    await addChanges(database, 1, 3)
    await turnUntil('all are applied', [process], () => applied.length === 3)
    assert.deepEqual(applied, [1, 2, 3])
    await process.cluster.close()
  })

  test('a process that does not follow does not hold a change back for ever', async () => {
    const database = await openSchema()
    const processes = [await join(database), await join(database)]
    processes[0]!.cluster.changes.follow(async () => {})
    await addChanges(database, 1, 1)
    await processes[0]!.cluster.changes.acknowledged(1)
    const rows = await database.sql('SELECT applied_change FROM member ORDER BY applied_change')
    assert.deepEqual(rows, [{ applied_change: 0 }, { applied_change: 1 }])
    await closeAll(processes)
  })
})
