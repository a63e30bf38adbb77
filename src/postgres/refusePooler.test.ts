import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { until } from '../../test/fake/clock.ts'
import { freePort, type PostgresServer, skipWithoutPostgres, startPostgres } from '../../test/fake/postgresServer.ts'
import { type Database, openDatabase } from './database.ts'
import { refusePooler } from './refusePooler.ts'

const pgbouncer = '/usr/sbin/pgbouncer'
const skip =
  (await skipWithoutPostgres()) ||
  (!existsSync(pgbouncer) &&
    !process.env.NEEDS_POSTGRES &&
    'SKIPPED: PgBouncer is not installed (apt-get install pgbouncer)')

describe('a start on a database', { skip }, () => {
  let server: PostgresServer
  const folder = mkdtempSync(join(tmpdir(), 'aglet-pooler-'))
  const opened: Database[] = []
  const closing: (() => void)[] = []
  const open = (url: string, schema = 'aglet_test') => {
    const database = openDatabase({ url, schema, connections: 2 })
    opened.push(database)
    return database
  }
  before(async () => {
    server = await startPostgres()
    chmodSync(folder, 0o755)
  })
  after(async () => {
    await Promise.all(opened.map((database) => database.close()))
    for (const close of closing) close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Starts a real PgBouncer in front of the server, and returns the URL through it. */
  async function startPooler(settings: Readonly<Record<string, string>>): Promise<string> {
    const port = await freePort()
    const users = join(folder, `${port}.txt`)
    writeFileSync(users, '"aglet" ""\n')
    const all = {
      listen_addr: '127.0.0.1',
      listen_port: `${port}`,
      unix_socket_dir: '',
      auth_type: 'trust',
      auth_file: users,
      ...settings,
    }
    const file = join(folder, `${port}.ini`)
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
    const databases = `[databases]\n* = host=127.0.0.1 port=${server.port}\n`
    writeFileSync(file, `${databases}[pgbouncer]\n${lines.join('\n')}\n`)
    const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
    const pooler = spawn(pgbouncer, [...user, '-q', file], { stdio: 'ignore' })
    closing.push(() => pooler.kill('SIGKILL'))
    const isUp = async () => {
      try {
        execFileSync('pg_isready', ['-h', '127.0.0.1', '-p', `${port}`], { stdio: 'ignore' })
        return true
      } catch {
        return false
      }
    }
    await until('the pooler answers', isUp)
    return `postgres://aglet@127.0.0.1:${port}/postgres`
  }

  test('goes on without a pooler', async () => {
    await refusePooler(open(server.url))
  })

  test('is refused where a pooler refuses the settings of a connection, as PgBouncer does by default', async () => {
    const url = await startPooler({ pool_mode: 'session' })
    await assert.rejects(refusePooler(open(url)), /points to a pooler that refuses or drops the settings/)
  })

  test('is refused where a pooler drops the settings, before a statement could meet another schema', async () => {
    const url = await startPooler({ pool_mode: 'transaction', ignore_startup_parameters: 'options' })
    await assert.rejects(refusePooler(open(url)), /points to a pooler that refuses or drops the settings/)
  })

  test('is refused behind a pooler in transaction mode, also where the settings are those of the role', async () => {
    const admin = open(server.url)
    await admin.sql('ALTER ROLE aglet SET search_path = aglet_test')
    await admin.sql('ALTER ROLE aglet SET plan_cache_mode = force_generic_plan')
    const url = await startPooler({ pool_mode: 'transaction', ignore_startup_parameters: 'options' })
    await assert.rejects(
      refusePooler(open(url)),
      /points to a pooler in transaction mode, which supports neither notifications/,
    )
  })

  test('goes on behind a pooler in session mode where the settings are those of the role', async () => {
    const url = await startPooler({ pool_mode: 'session', ignore_startup_parameters: 'options' })
    await refusePooler(open(url))
  })
})
