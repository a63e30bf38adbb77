import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type ClusterFolder, type ClusterProcess, withChildren } from './clusterFolder.ts'
import { asDatabaseUser, giveToDatabaseUser, makeOwnFolder } from './databaseCluster.ts'
import { freePorts } from './freePorts.ts'
import type { ClusterPrograms } from './packages.ts'
import { queryOnce } from './queryOnce.ts'

/** The status of a shard's primary. */
export type ShardStatus = { name: string; state: 'running' | 'away'; standbys: number }

/** An event shard: a primary and a standby that confirms each commit, without failover. */
export type ShardServer = {
  name: string
  url: string
  /** Starts the servers that are not running. */
  start(): void
  isRunning(): boolean
  /** The running processes of both servers. */
  pids(): number[]
  status(): Promise<ShardStatus>
  /** Runs a statement as the superuser. */
  sql(text: string, database?: string): Promise<Record<string, unknown>[]>
}

export type ShardServerOptions = { folder: ClusterFolder; programs: ClusterPrograms; name: string }

const settleMs = 60_000
const loopback = { host: '127.0.0.1', user: 'postgres', connectionTimeoutMillis: 2_000, query_timeout: 10_000 }
const settings = {
  listen_addresses: '127.0.0.1',
  synchronous_standby_names: '*',
  max_connections: '200',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  wal_keep_size: '256MB',
  dynamic_shared_memory_type: 'mmap',
  wal_sender_timeout: '3s',
  wal_receiver_timeout: '3s',
}

type Server = { name: string; port: number; data: string }

/** Creates and starts the primary, and the standby as its copy. */
async function makeServers(
  { folder, programs, name }: ShardServerOptions,
  { password, start }: { password: string; start(server: Server): void },
): Promise<[Server, Server]> {
  const home = makeOwnFolder(folder, name)
  const [port, standbyPort] = (await freePorts(2)) as [number, number]
  const primary = { name, port, data: join(home, 'primary') }
  const standby = { name: `${name}-standby`, port: standbyPort, data: join(home, 'standby') }
  const run = (program: string, ...args: string[]) => {
    const { command, args: words } = asDatabaseUser(join(programs.postgresFolder, program), args)
    execFileSync(command, words, {
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PGPASSWORD: password },
    })
  }
  const passwordFile = join(home, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  giveToDatabaseUser(passwordFile)
  const encoding = ['-E', 'UTF8', '--locale=C.UTF-8', '--data-checksums', '--no-sync']
  run('initdb', '-D', primary.data, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, ...encoding)
  start(primary)
  const giveUpAt = performance.now() + settleMs
  for (;;)
    try {
      run('pg_basebackup', '-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres', '-D', standby.data, '-R', '-c', 'fast')
      break
    } catch (error) {
      if (performance.now() > giveUpAt) throw error
      await setTimeout(100)
    }
  start(standby)
  return [primary, standby]
}

/** Starts a shard, and creates its empty database `aglet`. */
export async function startShardServer(options: ShardServerOptions): Promise<ShardServer> {
  const { folder, programs, name } = options
  const [superuser, password] = [randomBytes(18), randomBytes(18)].map((each) => each.toString('base64url'))
  const running = new Map<string, ClusterProcess>()
  const isUp = (server: Server) => running.get(server.name)?.hasEnded() === false
  function start(server: Server): void {
    const flags = { ...settings, port: `${server.port}`, unix_socket_directories: server.data }
    const args = ['-D', server.data, ...Object.entries(flags).flatMap(([key, value]) => ['-c', `${key}=${value}`])]
    const { postgresFolder } = programs
    running.set(
      server.name,
      folder.start({ name: server.name, ...asDatabaseUser(join(postgresFolder, 'postgres'), args) }),
    )
  }
  const servers = await makeServers(options, { password: superuser!, start })
  const { port } = servers[0]
  async function sql(text: string, database = 'postgres') {
    return queryOnce({ ...loopback, port, password: superuser, database }, text)
  }
  const selectStandbys = `SELECT count(*)::int AS standbys FROM pg_stat_replication WHERE sync_state = 'sync'`
  async function status(): Promise<ShardStatus> {
    const rows = await sql(selectStandbys).catch(() => undefined)
    return { name, state: rows ? 'running' : 'away', standbys: Number(rows?.[0]?.standbys ?? 0) }
  }
  const giveUpAt = performance.now() + settleMs
  while ((await status()).standbys === 0) {
    if (performance.now() > giveUpAt)
      throw new Error(`The standby of ${name} does not stream: ${folder.path}/${name}.log`)
    await setTimeout(100)
  }
  await sql(`CREATE ROLE aglet LOGIN PASSWORD '${password}'`)
  await sql('GRANT pg_monitor TO aglet')
  await sql('CREATE DATABASE aglet OWNER aglet')
  return {
    name,
    url: `postgres://aglet:${password}@127.0.0.1:${port}/aglet`,
    start() {
      for (const each of servers) if (!isUp(each)) start(each)
    },
    isRunning: () => servers.every(isUp),
    pids: () => servers.filter(isUp).flatMap((each) => withChildren(running.get(each.name)!.pid)),
    status,
    sql,
  }
}
