import { existsSync, statSync } from 'node:fs'
import { environments } from '#contract/me.ts'
import type { Settings } from '#contract/settings.ts'
import { schemaOf } from '#kit/migrate.ts'
import { openReader } from '#kit/sqlite.ts'
import { probeSandbox, tellState } from '#sandbox/sandbox.ts'
import type { Finding } from '../call.ts'
import { lockDataDir } from './dataDir.ts'
import { type HomeOptions, openHome } from './home.ts'
import { lookAtDisk, lookAtRoom } from './room.ts'
import { askSocket } from './socket.ts'

/** Runs one look: its sentence, or the sentence of what it threw. */
async function look(name: string, run: () => string | Promise<string>): Promise<Finding> {
  try {
    return { name, ok: true, message: await run() }
  } catch (problem) {
    return { name, ok: false, message: problem instanceof Error ? problem.message : 'failed' }
  }
}

function lookAtRootKey(path: string, { rootKey }: Settings): string {
  if (rootKey !== undefined) return 'given by AGLET_ROOT_KEY'
  const mode = statSync(path).mode & 0o777
  if (mode & 0o077) throw new Error(`others may read ${path} (mode ${mode.toString(8)}): run chmod 400 on it`)
  return `mode ${mode.toString(8)}`
}

function lookAtFile(path: string): string {
  if (!existsSync(path)) return 'not made yet'
  const db = openReader(path)
  try {
    const { journal_mode: mode } = db.prepare('PRAGMA journal_mode').get() as { journal_mode: string }
    if (mode !== 'wal') throw new Error(`its journal mode is ${mode}, not wal: it could lose what it confirmed`)
    return `schema ${schemaOf(db)}, write-ahead log`
  } finally {
    db.close()
  }
}

/** Opens everything as a start would: schemas, durability and the root key are asserted on the way. */
async function openAll(options: HomeOptions): Promise<string> {
  const { dir, adapters, clock } = options
  const lock = lockDataDir(dir)
  if (!lock) throw new Error('another process has the data directory and does not answer')
  try {
    for (const environment of environments.filter((each) => existsSync(dir.store(each)))) {
      const home = await openHome(environment, options)
      await home.store.close()
      if (existsSync(dir.stream(environment))) await (await adapters.openStream(dir.stream(environment), clock)).close()
    }
    return 'no server is running; everything opens'
  } finally {
    lock.release()
  }
}

type Readiness = { ready: boolean; checks: Record<string, string> }

/** How the running server says it is; undefined without one. */
async function askServer({ dir }: HomeOptions): Promise<Readiness | undefined> {
  const outcome = await askSocket(dir.socket, { command: 'ready', environment: 'production', input: {} })
  if (outcome && 'refused' in outcome) throw new Error(outcome.refused.message)
  return outcome?.result as Readiness | undefined
}

/** Which walls stand around customers' code: as the server found them, else as they could be built from here. */
async function lookAtCode(options: HomeOptions): Promise<string> {
  const told = (await askServer(options).catch(() => undefined))?.checks.code
  if (told && /^(ok|off): /.test(told)) return told
  const { acceptWeakSandbox: acceptWeak } = options.settings
  const fetch = () => Promise.reject(new Error('nothing is fetched'))
  return tellState((await probeSandbox({ acceptWeak, fetch })).state)
}

/** How the running server is; without one, whether it could start. */
async function lookAtServer(options: HomeOptions): Promise<string> {
  const told = await askServer(options)
  if (!told) return openAll(options)
  const { ready, checks } = told
  const failing = Object.entries(checks).filter(([name, result]) => name !== 'code' && result !== 'ok')
  if (!ready) throw new Error(`running, not ready: ${failing.map((pair) => pair.join(': ')).join('; ')}`)
  return 'running and ready'
}

/** Looks at a data directory and at the server on it; changes nothing. */
export async function doctor(options: HomeOptions): Promise<Finding[]> {
  const { dir, settings } = options
  if (!existsSync(dir.path))
    return [{ name: 'data directory', ok: false, message: `${dir.path} is not there: npm start makes it` }]
  const files = environments.flatMap((environment) => [dir.store(environment), dir.stream(environment)])
  return Promise.all([
    look('root key', () => lookAtRootKey(dir.rootKey, settings)),
    ...files.map((file) => look(file, () => lookAtFile(file))),
    ...files
      .filter((file) => existsSync(file))
      .map((file) => look(`room in ${file}`, () => lookAtRoom(file, settings, options.clock.now()))),
    look('disk', () => lookAtDisk(dir.path)),
    look('customers’ code', () => lookAtCode(options)),
    look('server', () => lookAtServer(options)),
  ])
}
