import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AgletProcesses, startAgletProcesses } from '../../scripts/cluster/agletProcesses.ts'
import { type ClusterFolder, openClusterFolder } from '../../scripts/cluster/clusterFolder.ts'
import { signalAll } from '../../scripts/cluster/databaseCluster.ts'
import { findPrograms } from '../../scripts/cluster/packages.ts'
import { type ShardServer, startShardServer } from '../../scripts/cluster/shardServer.ts'
import { type Customer, makeCustomer, until } from '../fake/aglet.ts'
import { skipWithoutCluster } from '../fake/cluster.ts'
import { figuresOf, inFlight, report } from '../fault/faultRig.ts'
import { seed } from '../fault/random.ts'
import { reachVerdict } from '../fault/verdict.ts'
import { otherPart } from './clusterFaults.ts'
import { assertPromise, quietMs, type Stream, startStream, sumUp } from './clusterLoad.ts'

const times = Number(process.env.FAULT_TIMES ?? 1)
const manyMs = 120_000
/** Both faults belong to one part, because they share their databases. */
const skip = skipWithoutCluster() || otherPart('shards')
const environment = { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_RATE_LIMIT: '1000000' }

// Each of the two databases has a primary and a standby that confirms each commit.
describe('two edges, two workers and one control, to which an event shard is added', { skip }, () => {
  let folder: ClusterFolder
  let database: ShardServer
  let shard: ShardServer
  let aglet: AgletProcesses
  const streams = new Set<Stream>()
  before(async () => {
    folder = openClusterFolder()
    const programs = findPrograms()!
    database = await startShardServer({ folder, programs, name: 'database' })
    shard = await startShardServer({ folder, programs, name: 'shard1' })
    aglet = await startAgletProcesses({ folder, databaseUrl: () => database.url, environment })
  })
  after(async () => {
    for (const { sender, channels } of streams) {
      await sender.stop()
      for (const { destination } of channels) await destination.close()
    }
    await folder?.remove()
  })
  const load = async (customer: Customer, name: string) => {
    const stream = await startStream(customer, `${name}-${seed}`, aglet)
    streams.add(stream)
    return stream
  }
  const more = async ({ sender: { accepted } }: Stream, count: number) => {
    const enough = accepted.size + count
    await until(() => accepted.size >= enough, manyMs)
  }
  /** Waits until the destinations have the last accepted event. */
  async function delivered({ sender, channels }: Stream): Promise<void> {
    const last = [...sender.accepted.keys()].at(-1)!
    await until(() => channels.every(({ destination }) => destination.times.has(last)), manyMs)
  }
  async function shardOf({ tagId }: Customer): Promise<number> {
    const [row] = await database.sql(`SELECT shard FROM aglet_production.tag WHERE id = '${tagId}'`, 'aglet')
    return Number(row!.shard)
  }
  /** Stops sending, waits for late arrivals, and checks all loads. */
  async function judgeAll(t: Parameters<typeof report>[0], name: string, loads: readonly Stream[]): Promise<void> {
    const verdicts = await Promise.all(loads.map((each) => reachVerdict(each, quietMs)))
    const verdict = sumUp(verdicts, { streams: loads, rows: { acknowledged: new Set() }, lostRows: [] })
    const { refused, lostRows: _, ...counts } = verdict
    report(t, `cluster: ${name}`, { times, ...figuresOf(counts), errors: JSON.stringify(refused) })
    assertPromise(verdict, 2 * times * inFlight)
  }

  test(`an event shard is added without a stop: no accepted event is lost (SEED=${seed})`, async (t) => {
    const first = await makeCustomer(aglet.of('control')[0]!, 'first')
    const old = await load(first, 'old')
    await more(old, 100)
    for (const role of ['edge', 'worker', 'control'] as const)
      for (const each of aglet.of(role)) {
        await each.end('SIGTERM')
        each.start({ AGLET_STREAM_URL: `${database.url} ${shard.url}` })
        await each.ready()
        await more(old, 50)
      }
    const second = await makeCustomer(aglet.of('control')[0]!, 'second')
    assert.deepEqual([await shardOf(first), await shardOf(second)], [0, 1])
    const fresh = await load(second, 'fresh')
    await Promise.all([more(old, 100), more(fresh, 100)])
    await judgeAll(t, 'an event shard is added', [old, fresh])
  })

  test(`${times} × an event shard is down while the other works, and a control, an edge and a worker start: no accepted event is lost (SEED=${seed})`, async (t) => {
    const customers = new Map<number, Customer>()
    while (customers.size < 2) {
      const made = await makeCustomer(aglet.of('control')[0]!, 'down')
      customers.set(await shardOf(made), made)
    }
    const well = await load(customers.get(0)!, 'well')
    const ill = await load(customers.get(1)!, 'ill')
    const { accepted, failed } = ill.sender
    const refusals = () => failed.get('503') ?? 0
    for (let n = 0; n < times; n++) {
      await Promise.all([more(well, 100), more(ill, 100)])
      const pids = shard.pids()
      signalAll(pids, 'SIGSTOP')
      signalAll(pids, 'SIGKILL')
      await until(() => !shard.isRunning())
      const before = refusals()
      await until(() => refusals() > before, manyMs)
      const stored = accepted.size
      await more(well, 500)
      await delivered(well)
      assert.equal(accepted.size, stored, 'nothing is accepted for a shard that is down')
      for (const { origin } of aglet.of('edge')) assert.equal((await fetch(`${origin}/readyz`)).status, 200)
      const starting = (['control', 'edge', 'worker'] as const).map((role) => aglet.of(role)[0]!)
      await Promise.all(starting.map((each) => each.end('SIGKILL')))
      for (const each of starting) each.start({ AGLET_STREAM_URL: `${database.url} ${shard.url}` })
      await Promise.all(starting.map((each) => each.ready()))
      await more(well, 100)
      shard.start()
      await more(ill, 100)
    }
    await judgeAll(t, 'an event shard is down, and one process of each role starts meanwhile', [well, ill])
  })
})
