import { execFileSync } from 'node:child_process'
import { chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type ClusterFolder, type ClusterProcess, send, withChildren } from './clusterFolder.ts'
import { freePorts } from './freePorts.ts'
import type { ClusterPrograms } from './packages.ts'
import { type ClusterPasswords, makePasswords, patroniConfig } from './patroni.ts'
import { queryOnce } from './queryOnce.ts'

/** One machine of the database: Patroni and its PostgreSQL server. */
export type DatabaseNode = {
  name: string
  port: number
  restPort: number
  /** The server's data directory. */
  data: string
  config: string
  /** Starts Patroni, which starts the server. */
  start(): void
  /** Whether Patroni runs. */
  isRunning(): boolean
  /** The running processes: Patroni, the server, and its children. */
  pids(): number[]
  /** The processes of the server, without Patroni. */
  serverPids(): number[]
}

export type NodeRole = 'leader' | 'sync_standby' | 'replica'
/** Patroni's status of one node. `lag` is in bytes. */
export type NodeStatus = { name: string; role: NodeRole; state: string; timeline?: number; lag?: number | 'unknown' }

export type DatabaseCluster = {
  nodes: readonly DatabaseNode[]
  passwords: ClusterPasswords
  etcd(): ClusterProcess
  startEtcd(): void
  /** The URL of all nodes, with these ports in node order; by default the servers' own. */
  url(ports?: readonly number[]): string
  /** The state of all nodes according to one of them; an empty list if none answers. */
  status(): Promise<NodeStatus[]>
  /** The node that accepts writes; undefined while there is none. */
  leader(): Promise<DatabaseNode | undefined>
  /** Waits until one node accepts writes and all others stream from it, one of them synchronously. */
  settled(withinMs?: number): Promise<void>
  /** Runs a statement as the superuser on the node that accepts writes. */
  sql(text: string, database?: string): Promise<Record<string, unknown>[]>
  /** Transfers the leadership to another node cleanly, as before a maintenance. */
  switchover(): Promise<void>
}

export type DatabaseClusterOptions = {
  folder: ClusterFolder
  programs: ClusterPrograms
  nodes?: number
  isSynchronous?: boolean
  parameters?: Readonly<Record<string, string>>
  /** Returns the folder of one node's server programs, derived from their installation folder. */
  binFolderOf?: (name: string, postgresFolder: string) => string
  /** The time until the loss of a machine is noticed, instead of the one in `patroni.ts`. */
  leaseSeconds?: number
  /** Mounts a separate disk for a node on an empty folder. It is unmounted when the cluster is removed. */
  mountDisk?: (name: string, at: string) => void
  /** Puts a proxy in front of a node's port, and returns the port to use instead. */
  proxied?: (kind: 'server' | 'rest' | 'etcd', name: string, port: number) => Promise<number>
}

const settleMs = 120_000
const restTimeoutMs = 1_000

/** The servers refuse to run as root: as root, they run as the user that their package has created. */
export const asDatabaseUser = (command: string, args: readonly string[]) =>
  process.getuid?.() === 0
    ? {
        command: 'setpriv',
        args: ['--reuid=postgres', '--regid=postgres', '--clear-groups', '--no-new-privs', command, ...args],
      }
    : { command, args }

const idOfPostgres = (kind: '-u' | '-g') => Number(execFileSync('id', [kind, 'postgres'], { encoding: 'utf8' }))

/** Creates a folder that belongs to the servers' user. */
export function makeOwnFolder(folder: ClusterFolder, name: string): string {
  const made = folder.folder(name)
  giveToDatabaseUser(made)
  return made
}

export function giveToDatabaseUser(path: string): void {
  if (process.getuid?.() === 0) chownSync(path, idOfPostgres('-u'), idOfPostgres('-g'))
}

function startEtcd(folder: ClusterFolder, programs: ClusterPrograms, data: string, [port, peerPort]: number[]) {
  const at = (each: number | undefined) => `http://127.0.0.1:${each}`
  const flags = {
    name: 'one',
    'data-dir': data,
    'listen-client-urls': at(port),
    'advertise-client-urls': at(port),
    'listen-peer-urls': at(peerPort),
    'initial-advertise-peer-urls': at(peerPort),
    'initial-cluster': `one=${at(peerPort)}`,
    'log-level': 'warn',
    'enable-v2': 'true',
  }
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
  return folder.start({ name: 'etcd', ...asDatabaseUser(programs.etcd, args) })
}

/** Starts etcd and the nodes, and creates the database `aglet` with its owner. */
export async function startDatabaseCluster(options: DatabaseClusterOptions): Promise<DatabaseCluster> {
  const { folder, programs, nodes: count = 3 } = options
  const passwords = makePasswords()
  const etcdPorts = await freePorts(2)
  const etcdData = makeOwnFolder(folder, 'etcd')
  let etcd = startEtcd(folder, programs, etcdData, etcdPorts)
  const nodes: DatabaseNode[] = []
  for (let n = 1; n <= count; n++) nodes.push(await openNode(`node${n}`, options, passwords, etcdPorts[0]!))
  for (const node of nodes) node.start()
  const cluster = describeCluster(nodes, {
    passwords,
    isSynchronous: options.isSynchronous ?? true,
    etcd: () => etcd,
    startEtcd() {
      etcd = startEtcd(folder, programs, etcdData, etcdPorts)
    },
  })
  await cluster.settled()
  await cluster.sql(`CREATE ROLE aglet LOGIN PASSWORD '${passwords.aglet}'`)
  // Without it Aglet cannot read the standbys' state.
  await cluster.sql('GRANT pg_monitor TO aglet')
  await cluster.sql('CREATE DATABASE aglet OWNER aglet')
  return cluster
}

async function openNode(
  name: string,
  options: DatabaseClusterOptions,
  passwords: ClusterPasswords,
  etcdPort: number,
): Promise<DatabaseNode> {
  const {
    folder,
    programs,
    isSynchronous = true,
    parameters = {},
    leaseSeconds,
    mountDisk,
    proxied = async (_k, _n, each) => each,
  } = options
  const [port, restPort] = (await freePorts(2)) as [number, number]
  const home = makeOwnFolder(folder, name)
  const disk = makeOwnFolder(folder, join(name, 'disk'))
  mountDisk?.(name, disk)
  giveToDatabaseUser(disk)
  const data = join(disk, 'data')
  const config = join(home, 'patroni.json')
  const announced = { port: await proxied('server', name, port), restPort: await proxied('rest', name, restPort) }
  const node = { name, port, restPort, announced, data, sockets: home }
  const binFolder = options.binFolderOf?.(name, programs.postgresFolder) ?? programs.postgresFolder
  const settings = { passwords, binFolder, isSynchronous, parameters, ...(leaseSeconds && { leaseSeconds }) }
  const text = patroniConfig({ ...node, etcdPort: await proxied('etcd', name, etcdPort) }, settings)
  writeFileSync(config, text, { mode: 0o600 })
  giveToDatabaseUser(config)
  let patroni: ClusterProcess | undefined
  const serverPids = () => {
    const pid = serverPidOf(data)
    return pid === undefined ? [] : withChildren(pid)
  }
  return {
    name,
    port,
    restPort,
    data,
    config,
    start() {
      patroni = folder.start({ name, ...asDatabaseUser(programs.python, [programs.patroni, config]) })
    },
    isRunning: () => patroni !== undefined && !patroni.hasEnded(),
    pids: () => [...(patroni && !patroni.hasEnded() ? withChildren(patroni.pid) : []), ...serverPids()],
    serverPids,
  }
}

/** The process of the server in a data directory; undefined if none runs. */
function serverPidOf(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data) ? pid : undefined
  } catch {
    return undefined
  }
}

const basic = (passwords: ClusterPasswords) => `Basic ${Buffer.from(`patroni:${passwords.restApi}`).toString('base64')}`

const ask = (node: DatabaseNode, path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${node.restPort}${path}`, { signal: AbortSignal.timeout(restTimeoutMs), ...init }).catch(
    () => undefined,
  )

async function statusOf(nodes: readonly DatabaseNode[]): Promise<NodeStatus[]> {
  const answers = await Promise.all(
    nodes.map(async (node) => (await ask(node, '/cluster'))?.json().catch(() => undefined)),
  )
  const known = answers.find((answer) => answer !== undefined) as { members?: NodeStatus[] } | undefined
  return known?.members ?? []
}

async function leaderOf(nodes: readonly DatabaseNode[]): Promise<DatabaseNode | undefined> {
  const answers = await Promise.all(nodes.map(async (node) => (await ask(node, '/primary'))?.status === 200))
  return nodes[answers.indexOf(true)]
}

/** Whether one node leads, and all others stream from it on its timeline, one of them synchronously. */
const isSettled = (members: readonly NodeStatus[], count: number, isSynchronous: boolean) => {
  const leader = members.find(({ role }) => role === 'leader')
  const isWell = ({ role, state, timeline, lag }: NodeStatus) =>
    role === 'leader' || (['running', 'streaming'].includes(state) && timeline === leader?.timeline && lag === 0)
  const hasStandby = !isSynchronous || members.some(({ role }) => role === 'sync_standby')
  return leader?.state === 'running' && members.length === count && members.every(isWell) && hasStandby
}

function describeCluster(
  nodes: readonly DatabaseNode[],
  {
    passwords,
    isSynchronous,
    ...etcd
  }: Pick<DatabaseCluster, 'etcd' | 'startEtcd'> & {
    passwords: ClusterPasswords
    isSynchronous: boolean
  },
): DatabaseCluster {
  const leader = () => leaderOf(nodes)
  const status = () => statusOf(nodes)
  async function sql(text: string, database = 'postgres') {
    const node = await leader()
    if (!node) throw new Error('No node accepts writes.')
    return queryOnce({ ...loopback, port: node.port, password: passwords.superuser, database }, text)
  }
  /** A leader that was just started may report its role before its server listens. */
  const answers = () =>
    sql('SELECT 1').then(
      () => true,
      () => false,
    )
  return {
    ...etcd,
    nodes,
    passwords,
    url(ports = nodes.map(({ port }) => port)) {
      return `postgres://aglet:${passwords.aglet}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/aglet`
    },
    status,
    leader,
    async settled(withinMs = settleMs) {
      const giveUpAt = performance.now() + withinMs
      while (!(isSettled(await status(), nodes.length, isSynchronous) && (await answers()))) {
        if (performance.now() > giveUpAt)
          throw new Error(`The nodes are not ready after ${withinMs / 1_000} s: ${JSON.stringify(await status())}`)
        await setTimeout(100)
      }
    },
    sql,
    async switchover() {
      const now = await leader()
      if (!now) throw new Error('No node accepts writes.')
      const answer = await ask(now, '/switchover', {
        method: 'POST',
        headers: { authorization: basic(passwords) },
        body: JSON.stringify({ leader: now.name }),
        signal: AbortSignal.timeout(settleMs),
      })
      if (answer?.status !== 200) throw new Error(`The switchover was refused: ${await answer?.text()}`)
    },
  }
}

const loopback = { host: '127.0.0.1', user: 'postgres', connectionTimeoutMillis: 2_000, query_timeout: 10_000 }

/** Sends a signal to all of these processes at once. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) send(pid, signal)
}
