import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { asDatabaseUser, makeOwnFolder } from '../../scripts/cluster/databaseCluster.ts'
import { freePorts } from '../../scripts/cluster/freePorts.ts'
import { findPrograms } from '../../scripts/cluster/packages.ts'
import { makeCustomer, until } from '../fake/aglet.ts'
import { openDestination } from '../fault/destination.ts'
import { kinds } from '../fault/events.ts'
import { figuresOf, report } from '../fault/faultRig.ts'
import { startSender } from '../fault/sender.ts'
import { makeChannels, reachVerdict } from '../fault/verdict.ts'
import type { ClusterRig } from './clusterRig.ts'
import { repeatAll, startOn, unite } from './moveFiles.ts'

const run = promisify(execFile)
const perSecond = 200
const manyMs = 60_000
const quietMs = 70_000

/** A base backup of the primary, and the WAL that follows it. */
async function takeBackup({ cluster }: ClusterRig) {
  const { postgresFolder } = findPrograms()!
  const { port } = await cluster.primary()
  const of = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'replicator', '--no-password']
  const environment = { PGPASSWORD: cluster.passwords.replicator }
  const [data, wal] = ['base', 'wal'].map((name) => makeOwnFolder(cluster.folder, name)) as [string, string]
  const receive = asDatabaseUser(join(postgresFolder, 'pg_receivewal'), [...of, '-D', wal, '--synchronous'])
  const archive = cluster.folder.start({ name: 'receivewal', ...receive, environment })
  const { command, args } = asDatabaseUser(join(postgresFolder, 'pg_basebackup'), [
    ...[...of, '-D', data, '--checkpoint=fast', '--wal-method=stream'],
  ])
  await run(command, args, { cwd: '/', env: { ...process.env, ...environment } })
  return { data, wal, archive, postgresFolder }
}

type Backup = Awaited<ReturnType<typeof takeBackup>>

/** Starts a single server from the backup, recovered to a moment. Returns the port. */
async function startRestored({ cluster }: ClusterRig, { data, wal, postgresFolder }: Backup, at: string) {
  const [port] = (await freePorts(1)) as [number]
  await run('rm', ['-f', join(data, 'postmaster.pid'), join(data, 'standby.signal')])
  const signal = asDatabaseUser('touch', [join(data, 'recovery.signal')])
  await run(signal.command, signal.args, { cwd: '/' })
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: data,
    hba_file: join(data, 'pg_hba.conf'),
    max_connections: 200,
    synchronous_standby_names: '',
    primary_conninfo: '',
    primary_slot_name: '',
    restore_command: `cp ${wal}/%f %p || cp ${wal}/%f.partial %p`,
    // Patroni leaves the recovery target of a node that it has recovered, and only one target is allowed.
    recovery_target: '',
    recovery_target_lsn: '',
    recovery_target_name: '',
    recovery_target_xid: '',
    recovery_target_time: at,
    recovery_target_action: 'promote',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  cluster.folder.start({
    name: 'restored',
    ...asDatabaseUser(join(postgresFolder, 'postgres'), ['-D', data, ...flags]),
  })
  const password = cluster.passwords.superuser
  const isRestored = async () => {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password, database: 'aglet' })
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows } = await client.query('SELECT pg_is_in_recovery() AS recovers')
      return rows[0].recovers === false
    } catch {
      return false
    } finally {
      await client.end().catch(() => {})
    }
  }
  await until(isRestored, manyMs).catch((problem: Error) => {
    const log = readFileSync(join(cluster.folder.path, 'restored.log'), 'utf8')
    throw new Error(`the backup was not restored: ${log.slice(-2_000)}`, { cause: problem })
  })
  return port
}

/** Whether the archive contains everything that the primary has written. */
async function isArchived({ cluster }: ClusterRig): Promise<boolean> {
  const rows = await cluster.sql(
    `SELECT flush_lsn >= pg_current_wal_flush_lsn() AS done FROM pg_stat_replication WHERE application_name = 'pg_receivewal'`,
  )
  return (rows as { done: boolean }[]).some(({ done }) => done)
}

/** Restores a base backup to a moment, and starts all processes on it. */
export async function restoreDatabase(rig: ClusterRig, t: TestContext): Promise<void> {
  const { cluster, aglet } = rig
  await startOn(rig, () => ({}))
  await rig.repair()
  let senders: Pick<ReturnType<typeof startSender>, 'sent'>[] = []
  const sentOf = (id: string) => senders.map(({ sent }) => sent.get(id)).find((each) => each !== undefined)
  const destination = await openDestination(kinds.sink, sentOf)
  t.after(destination.close)
  const customer = await makeCustomer(aglet.of('control')[0]!, 'restored')
  const channels = await makeChannels(customer, [kinds.sink], [destination])
  const { pathname } = new URL(customer.tagUrl)
  const sender = startSender(
    aglet.edgeOrigins.map((origin) => origin + pathname),
    { name: 'restored', perSecond },
  )
  senders = [sender]
  t.after(sender.stop)
  const more = async (count: number) => {
    const enough = sender.accepted.size + count
    await until(() => sender.accepted.size > enough, manyMs)
  }
  await more(100)
  const backup = await takeBackup(rig)
  await more(200)
  const before = [...sender.accepted.keys()]
  const [{ at }] = (await cluster.sql('SELECT clock_timestamp()::text AS at')) as [{ at: string }]
  await more(200)
  await sender.stop()
  await until(() => isArchived(rig), manyMs)
  for (const each of aglet.all) await each.end('SIGKILL')
  for (const node of cluster.nodes) cluster.kill(node)
  const port = await startRestored(rig, backup, at)
  const url = `postgres://aglet:${cluster.passwords.aglet}@127.0.0.1:${port}/aglet`
  await startOn(rig, () => ({ AGLET_DATABASE_URL: url, AGLET_SYNC_STANDBYS: '0' }))
  const { again, answers } = await repeatAll({ customer, channels, sender, pathname }, aglet.edgeOrigins, 100, (made) =>
    senders.push(made),
  )
  assert.deepEqual(
    before.filter((id) => answers.get(id) !== 'duplicate'),
    [],
    'accepted before the moment, and lost',
  )
  const repeated = [...answers.values()].filter((answer) => answer === 'accepted').length
  const verdict = await reachVerdict({ customer, sender: unite([sender, again]), channels }, quietMs)
  report(t, 'cluster: a base backup is restored', { times: 1, ...figuresOf(verdict), acceptedAfterIt: repeated })
  assert.deepEqual([verdict.lost, verdict.phantom], [[], []])
  assert.deepEqual([verdict.pending, verdict.failed], [0, 0])
}
