import { type Customer, makeCustomer, makeScript } from '../../test/fake/aglet.ts'
import { type Destination, openDestination } from '../../test/fault/destination.ts'
import { kinds } from '../../test/fault/events.ts'
import { type Sender, startSender } from '../../test/fault/sender.ts'
import type { AgletProcess, AgletProcesses } from './agletProcesses.ts'
import { type DatabaseCluster, type DatabaseNode, signalAll } from './databaseCluster.ts'
import type { ShardServer } from './shardServer.ts'

/** The parts on one machine: the database, and Aglet unless it is left out. */
export type DrillParts = {
  database: DatabaseCluster
  /** The event shards other than the database, which is the first shard. */
  shards: readonly ShardServer[]
  aglet: AgletProcesses | undefined
  /** One load for each event shard, each on its own tag. */
  loads: readonly Load[]
}

/** Events sent to the edges at a steady rate, and their destination. */
export type Load = { customer: Customer; sender: Sender; destination: Destination; stop(): Promise<void> }

/** Starts a load for each event shard. New tags are assigned to the shards in turn. */
export async function startLoads({ database, shards, aglet }: DrillParts, perSecond: number): Promise<Load[]> {
  const loads = new Map<number, Load>()
  while (aglet && loads.size <= shards.length) {
    const load = await startLoad(aglet, perSecond)
    const where = `WHERE id = '${load.customer.tagId}'`
    const [row] = await database.sql(`SELECT shard FROM aglet_production.tag ${where}`, 'aglet')
    const shard = Number(row!.shard)
    if (loads.has(shard)) await load.stop()
    else loads.set(shard, load)
  }
  return [...loads].sort(([one], [other]) => one - other).map(([, load]) => load)
}

/** Creates a team with a tag and one channel to a destination in this process, and sends events to all edges in turn. */
export async function startLoad({ of, edgeOrigins }: AgletProcesses, perSecond: number): Promise<Load> {
  const control = of('control')[0]!
  let sender: Sender | undefined
  const destination = await openDestination(kinds.sink, (eventId) => sender?.sent.get(eventId))
  const customer = await makeCustomer(control, 'cluster')
  await makeScript(customer, kinds.sink.providerId, 'counter', kinds.sink.secrets(destination.url))
  const tagUrls = edgeOrigins.map((origin) => origin + new URL(customer.tagUrl).pathname)
  const started = startSender(tagUrls, { name: `load-${Date.now().toString(36)}`, perSecond })
  sender = started
  return {
    customer,
    sender,
    destination,
    async stop() {
      await started.stop()
      await destination.close()
    },
  }
}

/** The counts of a load. `waiting`: accepted, but not at the destination yet. */
function countLoad({ sender, destination }: Load) {
  const accepted = [...sender.accepted.keys()]
  const times = [...destination.times.values()]
  return {
    perSecond: sender.perSecond,
    sent: sender.sent.size,
    accepted: accepted.length,
    delivered: accepted.filter((id) => destination.times.has(id)).length,
    waiting: accepted.filter((id) => !destination.times.has(id)).length,
    repeated: times.filter((count) => count > 1).length,
    unknown: [...destination.times.keys()].filter((id) => !sender.sent.has(id)).length,
    refused: Object.fromEntries(sender.failed),
  }
}

/** The status of a process from `/readyz`. */
async function stateOf({ origin, isAlive }: AgletProcess): Promise<string> {
  if (!isAlive()) return 'has ended'
  const response = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined)
  if (!response) return 'does not answer'
  if (response.ok) return 'ready'
  const { checks = {} } = (await response.json()) as { checks?: Record<string, string> }
  const failing = Object.entries(checks).filter(([name, found]) => name !== 'code' && found !== 'ok')
  return `not ready: ${failing.map(([name, found]) => `${name} ${found}`).join('; ')}`
}

export async function drillStatus({ database, shards, aglet, loads }: DrillParts) {
  return {
    database: (await database.status()).map(({ name, role, state, timeline, lag }) => ({
      name,
      role,
      state,
      timeline,
      lag,
    })),
    processes: await Promise.all(
      (aglet?.all ?? []).map(async (each) => ({
        name: each.name,
        origin: each.origin,
        pid: each.pid(),
        state: await stateOf(each),
      })),
    ),
    ...(shards.length > 0 && { shards: await Promise.all(shards.map((each) => each.status())) }),
    // Keyed by the names of the shards.
    ...Object.fromEntries(
      loads.map((load, n) => [n === 0 ? 'load' : `load of ${shards[n - 1]!.name}`, countLoad(load)]),
    ),
  }
}

/** The part with a name: `primary`, `standby`, `node2`, `shard1`, `etcd`, `edge1`, `worker`. */
type Named = { node: DatabaseNode | ShardServer } | { process: AgletProcess } | { etcd: true }

async function find(name: string, { database, shards, aglet }: DrillParts): Promise<Named> {
  const leader = await database.leader()
  const standby = database.nodes.find((node) => node !== leader)
  const node = { primary: leader, standby }[name] ?? [...database.nodes, ...shards].find((each) => each.name === name)
  if (node) return { node }
  if (name === 'etcd') return { etcd: true }
  const process = aglet?.all.find((each) => each.name === name) ?? aglet?.all.find((each) => each.role === name)
  if (process) return { process }
  throw new Error(
    `Nothing is called ${JSON.stringify(name)}: write ${namesIn({ database, shards, aglet }).join(', ')}.`,
  )
}

const namesIn = ({ database, shards, aglet }: Omit<DrillParts, 'loads'>) => [
  'primary',
  'standby',
  ...[...database.nodes, ...shards].map(({ name }) => name),
  'etcd',
  ...(aglet?.all ?? []).map(({ name }) => name),
]

const signalOf = { kill: 'SIGKILL', stop: 'SIGTERM', freeze: 'SIGSTOP', thaw: 'SIGCONT' } as const
type Verb = keyof typeof signalOf

/** The processes of a part. */
function pidsOf(named: Named, database: DatabaseCluster): number[] {
  if ('node' in named) return named.node.pids()
  return ['etcd' in named ? database.etcd().pid : named.process.pid()]
}

/** Starts a part. Throws an Error if it is still running. */
function start(named: Named, database: DatabaseCluster): void {
  const runs =
    'node' in named
      ? named.node.isRunning()
      : 'process' in named
        ? named.process.isAlive()
        : !database.etcd().hasEnded()
  if (runs) throw new Error(`${nameOf(named)} has not ended: nothing was started.`)
  if ('node' in named) named.node.start()
  else if ('process' in named) named.process.start()
  else database.startEtcd()
}

/** Resolves once a stopped or killed process has ended. */
async function act(verb: Verb, named: Named, database: DatabaseCluster): Promise<void> {
  const signal = signalOf[verb]
  if ('process' in named && (verb === 'stop' || verb === 'kill')) await named.process.end(signal)
  else signalAll(pidsOf(named, database), signal)
}

const nameOf = (named: Named) =>
  ('node' in named ? named.node : 'process' in named ? named.process : { name: 'etcd' }).name

/** The commands of the drill, as its help shows them. */
export const drillHelp = `status                 the nodes, the processes, and what the load came to
kill NAME              as if its machine lost its power: primary, standby, node1, shard1, etcd, edge1, worker1, control
stop NAME              in order (SIGTERM), which takes some seconds
freeze NAME, thaw NAME stands still, goes on
start NAME             starts it again
switchover             the primary hands over in order
load N                 so many events a second on each event shard, in steps of 50; 0 for none
quit                   stops and removes everything (as Ctrl-C does)`

/** Runs one line. Resolves with its result. Throws an Error with a message for the operator. */
export async function runDrillCommand(line: string, parts: DrillParts): Promise<Record<string, unknown>> {
  const [verb = '', name = ''] = line.trim().split(/\s+/)
  const { database, loads } = parts
  if (verb === 'status') return drillStatus(parts)
  if (verb === 'switchover') {
    await database.switchover()
    return { done: verb }
  }
  if (verb === 'load') {
    if (loads.length === 0 || !/^\d{1,5}$/.test(name))
      throw new Error('load needs Aglet, and a number of events a second.')
    for (const { sender } of loads) sender.perSecond = Number(name)
    return { done: verb, perSecond: Number(name) }
  }
  if (verb !== 'start' && !Object.hasOwn(signalOf, verb)) throw new Error(`Unknown command. Commands:\n${drillHelp}`)
  const named = await find(name, parts)
  if (verb === 'start') start(named, database)
  else await act(verb as Verb, named, database)
  return { done: verb, name: nameOf(named) }
}
