import { after, before, describe, test } from 'node:test'
import { type AgletProcess, type AgletProcesses, startAgletProcesses } from '../../scripts/cluster/agletProcesses.ts'
import type { DatabaseNode } from '../../scripts/cluster/databaseCluster.ts'
import { queryOnce } from '../../scripts/cluster/queryOnce.ts'
import { until } from '../fake/aglet.ts'
import { openTestCluster, skipWithoutCluster, type TestCluster } from '../fake/cluster.ts'
import { whyNoFaketime } from '../fault/faketime.ts'
import { figuresOf, inFlight, report } from '../fault/faultRig.ts'
import { random, seed } from '../fault/random.ts'
import { otherPart } from './clusterFaults.ts'
import { assertPromise, type ClusterLoad, startClusterLoad } from './clusterLoad.ts'
import { openNodeClocks } from './nodeClocks.ts'
import { onlyOneOwns } from './processFaults.ts'
import { createRows } from './rowSender.ts'

const times = Number(process.env.FAULT_TIMES ?? 1)
const next = random(seed)
const skip = skipWithoutCluster() || whyNoFaketime || otherPart('clocks')
const environment = { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_RATE_LIMIT: '1000000' }
const apartSeconds = 150
const manyMs = 120_000
/** A delivery postponed by a clock that is ahead is due this much later. */
const quietMs = 2 * apartSeconds * 1_000

describe('the servers of the database have clocks of their own', { skip }, () => {
  const clocks = openNodeClocks()
  let cluster: TestCluster
  let aglet: AgletProcesses
  before(async () => {
    // Following a clock file slows a server down, which must not cost a node its lead.
    cluster = await openTestCluster({ binFolderOf: clocks.binFolderOf, leaseSeconds: 20 })
    await cluster.sql(`${createRows}; GRANT ALL ON public.row_sent TO aglet`, 'aglet')
    aglet = await startAgletProcesses({ folder: cluster.folder, databaseUrl: () => cluster.url(), environment })
  })
  after(async () => {
    await cluster?.close()
    clocks.close()
  })

  /** Sets the clock of a server, and waits until it is in effect. */
  async function setClock({ name, port }: DatabaseNode, aheadSeconds: number): Promise<void> {
    clocks.set(name, aheadSeconds)
    const server = {
      host: '127.0.0.1',
      port,
      user: 'postgres',
      password: cluster.passwords.superuser,
      database: 'postgres',
    }
    await until(async () => {
      const rows = await queryOnce(server, 'SELECT extract(epoch FROM clock_timestamp())::float8 AS now').catch(
        () => [],
      )
      return Math.abs(Number(rows[0]?.now) - Date.now() / 1_000 - aheadSeconds) < 5
    }, manyMs)
  }

  /** The next primary has another clock, which then jumps; a worker is killed while the clock is back. */
  async function moveClocks(load: ClusterLoad): Promise<void> {
    const primary = await cluster.primary()
    const standbys = await cluster.standbys()
    const sign = next() < 0.5 ? 1 : -1
    await Promise.all(standbys.map((each, n) => setClock(each, sign * (n === 0 ? apartSeconds : -apartSeconds))))
    await load.more(50)
    cluster.killServer(primary)
    await until(async () => ![undefined, primary.name].includes((await cluster.leader())?.name), manyMs)
    await load.more(100)
    const leader = await cluster.primary()
    for (const ahead of [apartSeconds, -apartSeconds]) {
      await setClock(leader, ahead)
      await load.more(100)
    }
    const killed = aglet.of('worker')[Math.floor(next() * 2)] as AgletProcess
    await killed.end('SIGKILL')
    await onlyOneOwns({ cluster })
    await load.more(50)
    for (const node of cluster.nodes) await setClock(node, 0)
    // Until then its clock differs too much from the database's.
    killed.start()
    await Promise.all(aglet.all.map((each) => each.ready()))
    await cluster.settled()
  }

  test(`${times} × the next primary is minutes ahead or behind, and its clock jumps: no accepted event is lost (SEED=${seed})`, async (t) => {
    const rowPaths = await cluster.openPaths()
    const control = aglet.of('control')[0]!
    const load = await startClusterLoad(
      { cluster, control, edgeOrigins: aglet.edgeOrigins, rowPaths },
      `clocks-${seed}`,
    )
    t.after(load.stop)
    for (let n = 0; n < times; n++) {
      await load.more(50)
      await moveClocks(load)
    }
    const verdict = await load.verdict(quietMs)
    const lost = verdict.lost.length + verdict.lostRows.length
    const taken = aglet.of('worker').map((each) => each.log().split('this worker lost its lease').length - 1)
    report(t, 'cluster: the clocks of the servers are minutes apart, and jump', {
      ...{ times, ...figuresOf(verdict), lost, errors: JSON.stringify(verdict.refused) },
      takenFromTheLiving: taken.reduce((sum, count) => sum + count, 0),
    })
    assertPromise(verdict, 2 * times * inFlight)
  })
})
