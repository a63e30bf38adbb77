// What grows with the number of processes: `npm run bench:growth`, about three minutes. The processes are the real clusters
// and streams of edges and workers, each with its own connections, on one real server, all within this process.
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { ProcessRole, SlotOwnership } from '#cluster/cluster.ts'
import { openPostgresCluster } from '#cluster/postgres/postgresCluster.ts'
import { systemClock } from '#kit/clock.ts'
import { silentLog } from '#kit/log.ts'
import { type Database, openDatabase, type Sql } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import { openPostgresStream } from '#stream/postgres/postgresStream.ts'
import type { StreamEntry } from '#stream/stream.ts'
import { type PostgresServer, startPostgres } from '../test/fake/postgresServer.ts'
import { postgresCpuUs } from './postgresCpu.ts'

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '2,8,16,32,64' },
    seconds: { type: 'string', default: '8' },
    rate: { type: 'string', default: '100' },
  },
})
const sizes = values.processes.split(',').map(Number)
const ms = Number(values.seconds) * 1_000
const perSecond = Number(values.rate)
const tags = Array.from({ length: 50 }, (_, n) => `tag_${n}`)
const connections: Partial<Record<ProcessRole, number>> = { edge: 3, worker: 4 }

type Counts = { statements: number; sent: number; heard: number }

/** Counts the statements of a process, and the notices that it sends and receives. */
function counted(database: Database, counts: Counts): Database {
  const noted =
    (sql: Sql): Sql =>
    (text, params) => {
      counts.statements++
      if (text.includes('pg_notify')) counts.sent++
      return sql(text, params)
    }
  return {
    ...database,
    sql: noted(database.sql),
    transaction: (work) =>
      database.transaction((sql) => {
        counts.statements += 2 // for begin and commit
        return work(noted(sql))
      }),
    listen: (channel, { notified, connected }) =>
      database.listen(channel, {
        connected,
        notified(payload) {
          counts.heard++
          notified(payload)
        },
      }),
  }
}

const entry = (tagId: string): StreamEntry => ({
  tagId,
  keys: [randomBytes(8).readBigUInt64LE() | 1n],
  payload: new Uint8Array(randomBytes(1_024)),
})

type Worked = { records: number }

/** Leases and settles records, as the planner does. */
async function startWorker(database: Database, worked: Worked) {
  const cluster = await openPostgresCluster({
    database,
    role: 'worker',
    version: '1',
    clock: systemClock,
    log: silentLog,
  })
  const closing = new AbortController()
  const begin = async (ownership: SlotOwnership) => {
    const stream = await openPostgresStream({ database, clock: systemClock, ownership })
    const work = (async () => {
      while (!closing.signal.aborted) {
        const leased = await stream.lease(64, closing.signal)
        if (leased.length > 0) await stream.settle(leased.map(({ position }) => position))
        worked.records += leased.length
      }
    })().catch(() => {}) // the lease was lost: the next worker takes over
    return {
      gained: async (slots: readonly number[]) => stream.slotsGained(slots),
      changed: () => {},
      release: async (slots: readonly number[]) => stream.forgetSlots(slots),
      lost: () => void stream.close(),
      async stop() {
        await work
        await stream.close()
      },
    }
  }
  const worker = await cluster.startWorker(begin)
  return async () => {
    closing.abort()
    await worker.stop()
    await cluster.close()
  }
}

async function startEdge(database: Database) {
  const cluster = await openPostgresCluster({
    database,
    role: 'edge',
    version: '1',
    clock: systemClock,
    log: silentLog,
  })
  const stream = await openPostgresStream({ database, clock: systemClock })
  const stop = async () => {
    await stream.close()
    await cluster.close()
  }
  return { stream, stop }
}

type Edge = Awaited<ReturnType<typeof startEdge>>

/** Single events for all tags, at a constant rate and through all edges in turn. Resolves with their number. */
async function append(edges: readonly Edge[]): Promise<number> {
  const appended: Promise<unknown>[] = []
  for (const end = performance.now() + ms; performance.now() < end; await wait(1_000 / perSecond)) {
    const n = appended.length
    appended.push(edges[n % edges.length]!.stream.append(entry(tags[(n * 7) % tags.length]!)))
  }
  await Promise.all(appended)
  return appended.length
}

async function measure(server: PostgresServer, schema: string, processes: number): Promise<string[]> {
  const counts: Counts = { statements: 0, sent: 0, heard: 0 }
  const databases: Database[] = []
  const open = (role: ProcessRole) => {
    const database = openDatabase({ url: server.url, schema, connections: connections[role]! })
    databases.push(database)
    return counted(database, counts)
  }
  const roles = Array.from({ length: processes }, (_, n) => (n % 2 === 0 ? 'edge' : 'worker'))
  const [edges, workers, worked]: [Edge[], (() => Promise<void>)[], Worked] = [[], [], { records: 0 }]
  for (const role of roles)
    if (role === 'edge') edges.push(await startEdge(open('edge')))
    else workers.push(await startWorker(open('worker'), worked))
  await wait(6_000) // until the slots are distributed
  const during = async (work: () => Promise<number>) => {
    const [before, us, begun] = [{ ...counts }, postgresCpuUs(server.port), performance.now()]
    const done = await work()
    const seconds = (performance.now() - begun) / 1_000
    const serverUs = postgresCpuUs(server.port) - us
    const of = (name: keyof Counts) => counts[name] - before[name]
    return { done, seconds, serverUs, statements: of('statements'), sent: of('sent'), heard: of('heard') }
  }
  const idle = await during(() => wait(ms, 0))
  const busy = await during(() => append(edges))
  const [open_] = await databases[0]!.sql<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  )
  await Promise.all([...workers.map((stop) => stop()), ...edges.map(({ stop }) => stop())])
  for (const database of databases) await database.close()
  const rate = ({ seconds }: { seconds: number }, count: number) => (count / seconds).toFixed(0)
  const idleShare = ((idle.serverUs / idle.seconds / 1e6) * 100).toFixed(1)
  return [
    `${processes}`,
    `${open_!.count}`,
    (open_!.count / processes).toFixed(1),
    rate(idle, idle.statements),
    `${idleShare} %`,
    rate(busy, busy.sent),
    rate(busy, busy.heard),
    `${(busy.sent / busy.seconds / edges.length).toFixed(1)}, ${(busy.heard / busy.seconds / workers.length).toFixed(1)}`,
    (busy.statements / busy.done).toFixed(1),
    `${(busy.serverUs / busy.done).toFixed(0)} µs`,
  ]
}

const server = await startPostgres({ fsync: 'on', synchronous_commit: 'on', max_connections: '600' })
console.log(`half edges, half workers, one environment; ${perSecond} single events a second for 50 tags`)
console.log(
  '| processes | connections | of a process | statements a second, idle | server, idle | notices sent a second | heard a second | by an edge, by a worker | statements for an event | server for an event |',
)
console.log('|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|')
for (const processes of sizes) {
  const database = openDatabase({ url: server.url, schema: `growth_${processes}`, connections: 1 })
  await migrate(database)
  await database.close()
  console.log(`| ${(await measure(server, `growth_${processes}`, processes)).join(' | ')} |`)
}
await server.stop()
