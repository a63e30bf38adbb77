import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { environments } from '#contract/me.ts'
import { type DataDir, resolveDataDir } from './dataDir.ts'

type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** The folder in which the servers of this user record their data directories: `$XDG_STATE_HOME/aglet/running`. */
function runningFolder(env: EnvironmentVariables): string {
  const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local/state')
  return join(state, 'aglet/running')
}

const fileName = ({ path }: DataDir) => `${createHash('sha256').update(path).digest('hex').slice(0, 16)}.json`

/**
 * Records that a server of this process runs on the directory, so that the command line can find it. If the file cannot
 * be written, only that search is lost. The returned function removes the record.
 */
export function announceServer(dir: DataDir, env: EnvironmentVariables): () => void {
  const file = join(runningFolder(env), fileName(dir))
  try {
    mkdirSync(runningFolder(env), { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify({ data: dir.path, pid: process.pid }), { mode: 0o600 })
  } catch {
    return () => {}
  }
  return () => rmSync(file, { force: true })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (problem) {
    return (problem as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The data directories of this user's running servers. A killed server leaves a file, which is ignored. */
export function findRunningServers(env: EnvironmentVariables): string[] {
  const folder = runningFolder(env)
  try {
    return readdirSync(folder).flatMap((name) => {
      const { data, pid } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { data: string; pid: number }
      return isAlive(pid) && isInUse(resolveDataDir(data)) ? [data] : []
    })
  } catch {
    return []
  }
}

/** Whether a server or `aglet init` created the directory. */
export const hasStores = (dir: DataDir): boolean => environments.some((name) => existsSync(dir.store(name)))

/** Whether it has stores, or the socket of a server with a shared database. */
const isInUse = (dir: DataDir): boolean => hasStores(dir) || existsSync(dir.socket)

type FindDeps = {
  env: EnvironmentVariables
  /** Whether the directory was chosen by `--data` or AGLET_DATA. */
  isGiven: boolean
  /** The data are in a shared database, so a command may use any directory. */
  isShared?: boolean
  printError(text: string): void
}

/**
 * The data directory of a command: the given one, else the running server's, else ./data. Reports which one it is if the
 * caller may expect another. Throws an Error if there is none; creates nothing.
 */
export function findDataDir(data: string, { env, isGiven, isShared = false, printError }: FindDeps): DataDir {
  const dir = resolveDataDir(data)
  const running = isGiven ? [] : findRunningServers(env)
  if (isInUse(dir)) {
    if (!isGiven && !running.includes(dir.path)) {
      const others = running.length > 0 ? `; for a running server write --data ${running.join(' or --data ')}` : ''
      printError(`No server runs on ${dir.path}; its files are used${others}.\n`)
    }
    return dir
  }
  const [only, ...others] = running
  if (only !== undefined && others.length === 0) {
    printError(`Using ${only}, the data directory of the running server.\n`)
    return resolveDataDir(only)
  }
  if (isShared) return dir
  if (only !== undefined) throw new Error(`Several servers run here. Choose one with --data: ${running.join(', ')}.`)
  throw new Error(
    `Data directory ${dir.path} not found. Choose the directory of the server with --data, or create one with aglet init.`,
  )
}
