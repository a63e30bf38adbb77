import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { checkDatabase, streamingStandbys } from '#postgres/checkDatabase.ts'
import { openDatabase } from '#postgres/database.ts'
import { until } from './fake/clock.ts'
import { deployFolder } from './fake/composeFile.ts'
import { readManyComposeFile } from './fake/manyComposeFile.ts'
import { findPostgres, freePort, skipWithoutPostgres } from './fake/postgresServer.ts'

/** Runs the scripts and commands of the databases of deploy/compose.many.yaml, without containers. */
const skip = await skipWithoutPostgres()
const { services } = readManyComposeFile()
const run = promisify(execFile)
const isRoot = process.getuid?.() === 0

async function openPlace() {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-pair-'))
  cpSync(join(deployFolder, 'postgres'), folder, { recursive: true })
  const sockets = join(folder, 'sockets')
  for (const path of [sockets, join(folder, 'standby')]) mkdirSync(path)
  if (isRoot) {
    const uid = Number((await run('id', ['-u', 'postgres'])).stdout)
    for (const path of [folder, sockets, join(folder, 'standby')]) chownSync(path, uid, -1)
  }
  chmodSync(join(folder, 'standby'), 0o777)
  const port = await freePort()
  const standbyPort = await freePort()
  const env = {
    ...{ PATH: `${await findPostgres()}:${process.env.PATH}`, LC_ALL: 'C.UTF-8' },
    ...{ PGHOST: sockets, PGPORT: `${port}`, POSTGRES_PASSWORD: 'se cret', PRIMARY_HOST: '127.0.0.1' },
    PRIMARY_PORT: `${port}`,
  }
  const words = (command: string[]) =>
    isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...command] : command
  const options = (data: string) => ({ cwd: folder, env: { ...env, PGDATA: join(folder, data) } })
  const call = (data: string, ...command: string[]) => {
    const [program, ...rest] = words(command)
    return run(program!, rest, options(data))
  }
  const begin = (data: string, ...command: string[]): ChildProcess => {
    const [program, ...rest] = words(command)
    return spawn(program!, rest, { ...options(data), stdio: 'ignore' })
  }
  return { folder, sockets, port, standbyPort, call, begin }
}

const end = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  await ended
}

test('the two databases of compose.many.yaml start as Aglet needs them', { skip }, async () => {
  const { folder, sockets, port, standbyPort, call, begin } = await openPlace()
  const children: ChildProcess[] = []
  after(async () => {
    for (const child of children.reverse()) await end(child)
    rmSync(folder, { recursive: true, force: true })
  })
  const places = ['-c', `port=${port}`, '-c', `unix_socket_directories=${sockets}`]
  const words = (services.database!.environment.POSTGRES_INITDB_ARGS ?? '').split(' ')
  const isReady = () =>
    call('primary', 'pg_isready').then(
      () => true,
      () => false,
    )
  const startPrimary = async (...more: string[]) => {
    const primary = begin('primary', ...services.database!.command!, ...places, ...more)
    children.push(primary)
    await until('the primary answers', isReady)
    return primary
  }
  // Like the image: a server without addresses runs the script, and is then restarted.
  const own = ['-U', 'postgres', '--auth-host=scram-sha-256', '--auth-local=trust', '--no-sync']
  await call('primary', 'initdb', '-D', join(folder, 'primary'), ...own, ...words)
  const first = await startPrimary('-c', 'listen_addresses=')
  await call('primary', 'sh', join(folder, 'primary.sh'))
  await end(first)
  await startPrimary('-c', 'listen_addresses=127.0.0.1')
  const standbyPlaces = ['-c', `port=${standbyPort}`, '-c', `unix_socket_directories=${sockets}`]
  children.push(begin('standby', 'sh', join(folder, 'standby.sh'), ...services.standby!.command!, ...standbyPlaces))

  const url = `postgres://aglet:se%20cret@127.0.0.1:${port}/aglet`
  const database = openDatabase({ url, schema: 'production', connections: 1 })
  try {
    await until('the standby confirms commits', async () => (await streamingStandbys(database)) === 1)
    await checkDatabase(database, 1)
  } finally {
    await database.close()
  }
})
