// The cost of PostgreSQL and of many processes on it: `npm run bench:postgres`, about six minutes. `--only` selects one part.
// It starts its own servers, which sync to the disk, in temporary folders.
import { randomBytes } from 'node:crypto'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import { type PostgresServer, startPostgres } from '../test/fake/postgresServer.ts'
import { median } from './load.ts'
import { describeMachine, machineLine } from './machine.ts'
import { postgresCpuUs } from './postgresCpu.ts'
import { deployLatency } from './postgresDeploys.ts'
import { edgeRatios } from './postgresEdge.ts'
import { fleetCost } from './postgresFleet.ts'
import { journalCosts } from './postgresJournal.ts'
import { streamCosts } from './postgresStream.ts'

const parts = ['server', 'edge', 'fleet', 'deploys'] as const
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    rate: { type: 'string', default: '60' }, // events per second of the part fleet
  },
})
const rounds = Number(values.rounds)
const wants = (part: (typeof parts)[number]) => (values.only ?? part) === part

/** A figure of docs/performance-postgresql.md, and its target. */
type Row = [figure: string, measured: string, goal: string]
const rows: Row[] = []
/** Prints each row as it comes, and all of them at the end. */
function tell(...row: Row): void {
  rows.push(row)
  console.log(row.join(' | '))
}

const startServer = () => startPostgres({ fsync: 'on', synchronous_commit: 'on', shared_buffers: '256MB' })
async function withServers(count: number, work: (servers: PostgresServer[]) => Promise<void>): Promise<void> {
  const servers = await Promise.all(Array.from({ length: count }, startServer))
  try {
    await work(servers)
  } finally {
    for (const each of servers) await each.stop()
  }
}

/** The settings of processes on one server without standbys. */
const environmentOf = ({ url }: PostgresServer) => ({
  AGLET_DATABASE_URL: url,
  AGLET_ROOT_KEY: randomBytes(32).toString('base64url'),
  AGLET_SYNC_STANDBYS: '0',
})

const us = (value: number) => `${value.toFixed(1)} µs`

async function measureServer(server: PostgresServer): Promise<void> {
  const database = openDatabase({ url: server.url, schema: 'bench', connections: 4 })
  await migrate(database)
  const serverUs = () => postgresCpuUs(server.port)
  const taken = await streamCosts(database, serverUs)
  for (const [shape, cost] of Object.entries(taken)) tell(`event taken, ${shape}`, us(cost), '70 µs')
  await journalCosts(database, serverUs, 20)
  const costs: Awaited<ReturnType<typeof journalCosts>>[] = []
  for (let round = 0; round < rounds; round++) costs.push(await journalCosts(database, serverUs, 100))
  const of = (kind: 'plan' | 'delivery', name: 'us' | 'walBytes') => median(costs.map((cost) => cost[kind][name]))
  const wal = (kind: 'plan' | 'delivery') => `${us(of(kind, 'us'))}, ${of(kind, 'walBytes').toFixed(0)} B of log`
  tell('event planned, five channels', wal('plan'), '')
  tell('delivery', wal('delivery'), '20 µs')
  const whole = median(costs.map(({ plan, delivery }) => delivery.us + plan.us / 5))
  tell('delivery, with a fifth of its plan', us(whole), '')
  await database.close()
}

async function measureEdge(server: PostgresServer): Promise<void> {
  for (const { size, networked, embedded } of await edgeRatios(environmentOf(server), rounds)) {
    const figures = `${(networked / embedded).toFixed(2)} (${networked.toFixed(0)} beside ${embedded.toFixed(0)})`
    tell(`edge, ${size} per CPU second, beside the embedded`, figures, '0.7')
  }
}

async function measureFleet([forOne, forEight]: PostgresServer[]): Promise<void> {
  const on = (server: PostgresServer) => ({ environment: environmentOf(server), port: server.port })
  const perSecond = Number(values.rate)
  const cost = await fleetCost([on(forOne!), on(forEight!)], { rounds, perSecond })
  const figures = cost.map(({ eventUs, aglet, idleUs }) => {
    const idle = `${(idleUs / 10_000).toFixed(1)} % of a core idle`
    return `${(eventUs / 1_000).toFixed(2)} ms (${(aglet / 1_000).toFixed(2)} of it Aglet, ${idle})`
  })
  const ratio = (cost[1]!.eventUs / cost[0]!.eventUs).toFixed(2)
  const withoutIdle = ((cost[1]!.busyUs ?? 0) / (cost[0]!.busyUs ?? 1)).toFixed(2)
  tell(
    `event with eight processes beside one, ${perSecond} a second`,
    `${ratio}: ${figures[1]} beside ${figures[0]}`,
    '1.15',
  )
  tell('the same without the idle cost', withoutIdle, '')
}

async function measureDeploys(server: PostgresServer): Promise<void> {
  const { p50, p99, longest, answered } = await deployLatency(environmentOf(server), 50)
  const ms = [p50, p99, longest].map((each) => `${each.toFixed(0)} ms`).join(', ')
  tell('deployment until each of 8 edges serves it: p50, p99, longest', ms, 'p99 1 s')
  tell('answer of the deployment, p50', `${answered.toFixed(0)} ms`, '')
}

console.log(`${machineLine(describeMachine())}, load of the machine ${loadavg()[0]!.toFixed(0)}`)
if (wants('server')) await withServers(1, ([server]) => measureServer(server!))
if (wants('edge')) await withServers(1, ([server]) => measureEdge(server!))
if (wants('fleet')) await withServers(2, measureFleet)
if (wants('deploys')) await withServers(1, ([server]) => measureDeploys(server!))
console.log(
  ['| figure | measured | goal |', '|---|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n'),
)
