import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type ClusterFolder, openClusterFolder } from '../../scripts/cluster/clusterFolder.ts'
import {
  type DatabaseCluster,
  type DatabaseClusterOptions,
  type DatabaseNode,
  signalAll,
  startDatabaseCluster,
} from '../../scripts/cluster/databaseCluster.ts'
import { findPrograms } from '../../scripts/cluster/packages.ts'
import { openTcpProxy, type TcpProxy } from './tcpProxy.ts'

/** One process's connections to the nodes: a proxy for each, and the URL with their ports. */
export type DatabasePaths = { url: string; proxies: readonly TcpProxy[]; close(): Promise<void> }

/** A cluster whose nodes can be killed, frozen and cut off. */
export type TestCluster = DatabaseCluster & {
  folder: ClusterFolder
  /** The node that accepts writes; waits for one. */
  primary(withinMs?: number): Promise<DatabaseNode>
  standbys(): Promise<DatabaseNode[]>
  /** Simulates a power loss: kills Patroni, the server and its children together. */
  kill(node: DatabaseNode): void
  /** Kills the server and its children; Patroni survives. */
  killServer(node: DatabaseNode): void
  /** The server stops without a checkpoint, as `pg_ctl stop -m immediate` does. */
  stopServerImmediately(node: DatabaseNode): void
  /** Stops all processes of a machine, until `repair`. */
  freeze(node: DatabaseNode): void
  thaw(node: DatabaseNode): void
  /**
   * Blocks all traffic between a node's server and the others, between the node and etcd, and between any two Patronis. Its
   * clients are not cut off.
   */
  cutOff(node: DatabaseNode): void
  /** Ends every remaining fault: all nodes run and reach each other. */
  repair(): void
  openPaths(): Promise<DatabasePaths>
  close(): Promise<void>
}

/** Why tests of a cluster are skipped; false if they run. With NEEDS_CLUSTER nothing is skipped. */
export const skipWithoutCluster = (): string | false =>
  findPrograms() || process.env.NEEDS_CLUSTER
    ? false
    : 'SKIPPED: PostgreSQL, Patroni or etcd is not installed (apt-get install postgresql-15 patroni etcd-server)'

const failoverMs = 60_000
/** Space that a cluster with its own disks may need. */
const roomMb = 4_096

/** A folder in memory, if there is space: a commit is then as fast as on a good disk. */
function folderInMemory(): string | undefined {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return undefined
  const { bavail, bsize } = statfsSync(memory)
  return (bavail * bsize) / 1024 ** 2 < roomMb ? undefined : mkdtempSync(join(memory, 'aglet-cluster-'))
}

/** Starts a cluster. `close` stops it and deletes its data; a guard does so if this process dies. */
export async function openTestCluster(
  options: Omit<DatabaseClusterOptions, 'folder' | 'programs' | 'proxied'> = {},
): Promise<TestCluster> {
  const programs = findPrograms()
  if (!programs) throw new Error('PostgreSQL, Patroni or etcd is not installed.')
  const folder = openClusterFolder(folderInMemory())
  const proxies = new Map<string, TcpProxy>()
  const proxied: NonNullable<DatabaseClusterOptions['proxied']> = async (kind, name, port) => {
    const proxy = await openTcpProxy(port)
    proxies.set(`${kind} ${name}`, proxy)
    return proxy.port
  }
  const cluster = await startDatabaseCluster({ ...options, folder, programs, proxied }).catch(async (error) => {
    await folder.remove()
    throw error
  })
  const proxyOf = (kind: string, { name }: DatabaseNode) => proxies.get(`${kind} ${name}`)!
  const paths = new Set<DatabasePaths>()
  return {
    ...cluster,
    folder,
    primary: (withinMs = failoverMs) => findPrimary(cluster, withinMs),
    async standbys() {
      const primary = await findPrimary(cluster, failoverMs)
      return cluster.nodes.filter((node) => node !== primary)
    },
    ...signals,
    cutOff(node) {
      for (const kind of ['server', 'etcd']) proxyOf(kind, node).blackHole()
      for (const each of cluster.nodes) proxyOf('rest', each).blackHole()
    },
    repair() {
      for (const proxy of proxies.values()) proxy.heal()
      if (cluster.etcd().hasEnded()) cluster.startEtcd()
      for (const node of cluster.nodes) {
        signals.thaw(node)
        if (!node.isRunning()) node.start()
      }
    },
    async openPaths() {
      const opened = await openPathsTo(cluster)
      paths.add(opened)
      return opened
    },
    async close() {
      keepLogs(folder.path)
      await folder.remove()
      await Promise.all([...proxies.values(), ...paths].map((each) => each.close()))
    },
  }
}

/** With CLUSTER_LOGS, copies the logs of the nodes there, replacing those of the previous cluster. */
function keepLogs(path: string): void {
  const to = process.env.CLUSTER_LOGS
  if (!to) return
  mkdirSync(to, { recursive: true })
  for (const log of globSync('*.log', { cwd: path })) copyFileSync(join(path, log), join(to, log))
}

async function findPrimary(cluster: DatabaseCluster, withinMs: number): Promise<DatabaseNode> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    const found = await cluster.leader()
    if (found) return found
    if (performance.now() > giveUpAt)
      throw new Error(`No primary after ${withinMs / 1_000} s: ${JSON.stringify(await cluster.status())}`)
    await setTimeout(50)
  }
}

// Freezing a process first prevents it from starting another before it is killed.
const kill = (pids: () => number[]) => {
  signalAll(pids(), 'SIGSTOP')
  signalAll(pids(), 'SIGKILL')
}

const signals = {
  kill: (node: DatabaseNode) => kill(node.pids),
  killServer: (node: DatabaseNode) => kill(node.serverPids),
  stopServerImmediately: (node: DatabaseNode) => signalAll(node.serverPids().slice(0, 1), 'SIGQUIT'),
  freeze: (node: DatabaseNode) => signalAll(node.pids(), 'SIGSTOP'),
  thaw: (node: DatabaseNode) => signalAll(node.pids(), 'SIGCONT'),
}

async function openPathsTo(cluster: DatabaseCluster): Promise<DatabasePaths> {
  const proxies = await Promise.all(cluster.nodes.map(({ port }) => openTcpProxy(port, { isPostgres: true })))
  return {
    url: cluster.url(proxies.map(({ port }) => port)),
    proxies,
    close: async () => void (await Promise.all(proxies.map((each) => each.close()))),
  }
}
