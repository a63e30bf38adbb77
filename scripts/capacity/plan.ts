import type { CapacityCosts } from './costs.ts'

/** The requirements of a deployment. `use`: the share of a core that may be busy; the rest is a reserve for peaks and failures. */
export type CapacityWish = {
  events: number
  channels: number
  eventBytes: number
  use: number
  shardCores: number
  walMegabytes: number
  connections: number
  networkMegabits: number
}

export const usualWish: Omit<CapacityWish, 'events' | 'channels'> = {
  eventBytes: 1_024,
  use: 0.6,
  shardCores: 4,
  walMegabytes: 100,
  connections: 300,
  networkMegabits: 10_000,
}

/** A limit of a primary, and the events per second at which it is reached. */
export type Limit = { name: 'CPU' | 'write-ahead log' | 'notices' | 'connections' | 'network'; events: number }

export type CapacityPlan = {
  edges: number
  workers: number
  shards: number
  cores: number
  walMegabytesEach: number
  connectionsEach: number
  /** The number of separate installations, so that connections and notices stay within their limits. */
  installations: number
  /** The limits of one shard, lowest first. */
  limits: Limit[]
}

const secondUs = 1_000_000
const mega = 1_000_000
/** The connections of a process to a shard for both environments, including listeners (docs/scale.md). */
const connectionsOf = { edge: 12, worker: 16 }
const reservedConnections = 20
/** Payloads are sent to the standby and to a worker, and the write-ahead log to two standbys. */
const standbys = 2
/** Maximum notices of an edge per second: `stream/postgres/appendNotices.ts` waits for 20 ms after each. */
const noticesASecond = 45

const atLeastTwo = (count: number) => Math.max(2, Math.ceil(count))

/** Events per second that a process with one core can handle. */
const rateOf = ({ baseUs, eventUs }: { baseUs: number; eventUs: number }, use: number) =>
  Math.max(0, secondUs * use - baseUs) / eventUs

/** The server's CPU and log for an event with this number of channels. */
export function primaryCost({ primary, walBytes }: CapacityCosts, channels: number, eventBytes: number) {
  return {
    us: primary.takenUs + primary.planUs + channels * primary.deliveryUs,
    walBytes: walBytes.taken + eventBytes + walBytes.plan + channels * walBytes.delivery,
  }
}

/** A worker's CPU grows with the channels; an event without channels costs a fifth of an event with five. */
const workerUs = ({ worker, channels: measured }: CapacityCosts, channels: number) =>
  (worker.eventUs * (1 + channels)) / (1 + measured)

/** The capacity of one primary by each of its limits, if each shard has its own share of the processes. */
function limitsOf(costs: CapacityCosts, wish: CapacityWish): Limit[] {
  const { us, walBytes } = primaryCost(costs, wish.channels, wish.eventBytes)
  const { edge, worker } = processesFor(costs, wish, 1)
  const perEvent = edge * connectionsOf.edge + worker * connectionsOf.worker
  const networkBytes = wish.eventBytes * 2 + walBytes * standbys
  // Each notice of an edge goes to each worker, one by one under a shared lock: at most one core of the server.
  const noticesPerSquare = noticesASecond * edge * worker
  const limits: Limit[] = [
    { name: 'CPU', events: (secondUs * wish.shardCores * wish.use) / us },
    { name: 'write-ahead log', events: (wish.walMegabytes * mega) / walBytes },
    { name: 'notices', events: Math.sqrt((secondUs * wish.use) / costs.primary.noticeUs / noticesPerSquare) },
    { name: 'connections', events: (wish.connections - reservedConnections) / perEvent },
    { name: 'network', events: (wish.networkMegabits * mega) / 8 / networkBytes },
  ]
  return limits.sort((one, other) => one.events - other.events)
}

/** The processes of each role for this many events per second, not rounded. */
function processesFor(costs: CapacityCosts, { use, channels }: CapacityWish, events: number) {
  const worker = { ...costs.worker, eventUs: workerUs(costs, channels) }
  return { edge: events / rateOf(costs.edge, use), worker: events / rateOf(worker, use) }
}

/**
 * Plans the number of machines. Every process holds connections to every shard, and every worker receives the notices of
 * every edge on each shard: this limits the processes of an installation, however many shards it has. Beyond that limit, the
 * tags must be divided among several installations.
 */
export function planCapacity(costs: CapacityCosts, wish: CapacityWish): CapacityPlan {
  const limits = limitsOf(costs, wish)
  const own = limits.filter(({ name }) => name !== 'connections' && name !== 'notices')
  const { edge, worker } = processesFor(costs, wish, wish.events)
  const ofInstallation = Math.min(...limits.filter((each) => !own.includes(each)).map(({ events }) => events))
  const [edges, workers] = [atLeastTwo(edge), atLeastTwo(worker)]
  const connections = edges * connectionsOf.edge + workers * connectionsOf.worker
  const installations = Math.ceil(
    Math.max(1, wish.events / ofInstallation, connections / (wish.connections - reservedConnections)),
  )
  const shards = Math.max(installations, Math.ceil(wish.events / own[0]!.events))
  const { us, walBytes } = primaryCost(costs, wish.channels, wish.eventBytes)
  const primaryCores = (wish.events * us) / secondUs / wish.use
  return {
    edges,
    workers,
    shards,
    cores: Math.ceil(edges + workers + primaryCores),
    walMegabytesEach: (wish.events * walBytes) / shards / mega,
    connectionsEach: Math.ceil(connections / installations) + reservedConnections,
    installations,
    limits,
  }
}
