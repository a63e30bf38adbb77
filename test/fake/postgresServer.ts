import { execFile, spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { chmod, chown, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from './clock.ts'

const run = promisify(execFile)

/** A PostgreSQL server on a free port of 127.0.0.1, in its own folder. */
export type PostgresServer = { url: string; port: number; stop(): Promise<void> }

const debianFolder = '/usr/lib/postgresql'

/** The folder of the newest installed server; undefined if there is none. */
export async function findPostgres(): Promise<string | undefined> {
  const versions = existsSync(debianFolder) ? await readdir(debianFolder) : []
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(debianFolder, version, 'bin'))
  return [...folders, ...(process.env.PATH ?? '').split(':')].find((folder) => existsSync(join(folder, 'initdb')))
}

/** Why tests of PostgreSQL are skipped; false if they run. With NEEDS_POSTGRES nothing is skipped. */
export async function skipWithoutPostgres(): Promise<string | false> {
  if ((await findPostgres()) || process.env.NEEDS_POSTGRES) return false
  return 'SKIPPED: no PostgreSQL server is installed (apt-get install postgresql-15)'
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The server refuses to run as root: as root, commands run as the user that its package has created. */
const asUser = (command: string, args: readonly string[]): [string, string[]] =>
  process.getuid?.() === 0
    ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', command, ...args]]
    : [command, [...args]]

async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'aglet-postgres-'))
  if (process.getuid?.() !== 0) return folder
  const { stdout } = await run('id', ['-u', 'postgres'])
  await chown(folder, Number(stdout), -1)
  await chmod(folder, 0o700)
  return folder
}

/** Initializes a server's data: once in a test run, which then copies it. */
async function makeData(bin: string, folder: string, data: string): Promise<void> {
  const first = process.env.TESTS_FOLDER && join(process.env.TESTS_FOLDER, 'postgres')
  if (first && existsSync(first)) return void (await run('cp', ['-a', first, data]))
  const words = ['-D', data, '-A', 'trust', '-U', 'aglet', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
  await run(...asUser(join(bin, 'initdb'), words), { cwd: folder })
  if (!first) return
  const half = `${first}.${process.pid}`
  await run('cp', ['-a', data, half])
  // another process was faster
  await rename(half, first).catch(() => rm(half, { recursive: true, force: true }))
}

/** Starts a server. `settings` are added to those that make tests fast: nothing is synced to disk. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const bin = await findPostgres()
  if (!bin) throw new Error('No PostgreSQL server is installed: apt-get install postgresql-15.')
  const folder = await ownFolder()
  const data = join(folder, 'data')
  await makeData(bin, folder, data)
  const port = await freePort()
  const all = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    fsync: 'off',
    synchronous_commit: 'off',
    shared_buffers: '64MB',
    max_connections: '100',
    deadlock_timeout: '50ms',
    ...settings,
  }
  const args = ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const server = spawn(...asUser(join(bin, 'postgres'), args), { cwd: folder, stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  /** For a run that ends at its first failure: nothing else would end the server. */
  const abandon = () => {
    server.kill('SIGQUIT')
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  process.once('exit', abandon)
  const isReady = () =>
    run(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
      () => true,
      () => false,
    )
  await until('the server accepts connections', isReady)
  return {
    url: `postgres://aglet@127.0.0.1:${port}/postgres`,
    port,
    async stop() {
      process.off('exit', abandon)
      server.kill('SIGINT')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
