import { type AgletProcess, type AgletProcesses, startAgletProcesses } from '../../scripts/cluster/agletProcesses.ts'
import { type DatabasePaths, openTestCluster, type TestCluster } from '../fake/cluster.ts'
import { type ClusterDisks, openClusterDisks, whyNoDisks } from './clusterDisks.ts'
import { type ClusterLoad, startClusterLoad } from './clusterLoad.ts'
import { createRows } from './rowSender.ts'

/** Two edges, two workers and one control on a replicated database; each has its own connections to the database. */
export type ClusterRig = {
  cluster: TestCluster
  /** Absent if disks cannot be mounted. */
  disks: ClusterDisks
  aglet: AgletProcesses
  pathsOf(process: AgletProcess): DatabasePaths
  /** The connections of the plain client of all loads. */
  rowPaths: DatabasePaths
  /** The times at which another node became leader (ms, `performance.now`). */
  promotions: number[]
  startLoad(name: string): Promise<ClusterLoad>
  /**
   * Ends every remaining fault, and waits until all processes are ready. Throws an Error if a process of Aglet has crashed.
   */
  repair(): Promise<void>
  close(): Promise<void>
}

/** The root key of all processes. */
export const rootKey = Buffer.alloc(32, 'cluster').toString('base64url')
const environment = {
  AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
  AGLET_RATE_LIMIT: '1000000',
  AGLET_ROOT_KEY: rootKey,
}
const lastBytes = 3_000
/** Keeps a node small enough for its disk. */
const parameters = { max_wal_size: '96MB', wal_keep_size: '64MB' }

type Counts = Parameters<typeof startAgletProcesses>[0]['counts'] & {}

/** `counts`: the number of processes by role; default two edges, two workers and one control. */
export async function openClusterRig(counts: Counts = {}): Promise<ClusterRig> {
  const disks = openClusterDisks()
  const cluster = await openTestCluster({ parameters, ...(!whyNoDisks && { mountDisk: disks.mountDisk }) })
  try {
    await cluster.sql(`${createRows}; GRANT ALL ON public.row_sent TO aglet`, 'aglet')
    return await startProcesses(cluster, disks, counts)
  } catch (error) {
    await cluster.close()
    throw error
  }
}

async function startProcesses(cluster: TestCluster, disks: ClusterDisks, counts: Counts): Promise<ClusterRig> {
  const paths = new Map<string, DatabasePaths>()
  const loads: ClusterLoad[] = []
  async function databaseUrl(name: string): Promise<string> {
    const opened = await cluster.openPaths()
    paths.set(name, opened)
    return opened.url
  }
  const aglet = await startAgletProcesses({ folder: cluster.folder, databaseUrl, environment, counts })
  const rowPaths = await cluster.openPaths()
  const control = aglet.of('control')[0]!
  return {
    cluster,
    disks,
    aglet,
    rowPaths,
    promotions: [],
    pathsOf: ({ name }) => paths.get(name)!,
    async startLoad(name) {
      const load = await startClusterLoad({ cluster, control, edgeOrigins: aglet.edgeOrigins, rowPaths }, name)
      loads.push(load)
      return load
    },
    async repair() {
      cluster.repair()
      for (const { proxies } of [...paths.values(), rowPaths]) for (const proxy of proxies) proxy.heal()
      for (const each of aglet.all) {
        if (each.hasCrashed()) throw new Error(`${each.name} ended by itself: ${each.log().slice(-lastBytes)}`)
        each.signal('SIGCONT')
        if (!each.isAlive()) each.start()
      }
      await cluster.settled()
      await Promise.all(aglet.all.map((each) => each.ready()))
    },
    async close() {
      await Promise.all(loads.map((load) => load.stop()))
      await cluster.close()
    },
  }
}
