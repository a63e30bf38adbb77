import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { EnvironmentName } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import { unusableFile } from '#kit/sqlite.ts'

/** The paths of the files in a data directory. */
export type DataDir = {
  path: string
  rootKey: string
  lock: string
  socket: string
  folder(environment: EnvironmentName): string
  store(environment: EnvironmentName): string
  stream(environment: EnvironmentName): string
  /** With a shared database: the data with which an edge can start without it. */
  edgeFile(environment: EnvironmentName): string
}

/** The limit on the path of a Unix socket is 104 to 108 bytes, depending on the system. */
const socketPathBytes = 100

/** The path relative to the working directory, if that is shorter than the absolute path. */
function shorterPath(path: string): string {
  const fromHere = relative(process.cwd(), path)
  return Buffer.byteLength(fromHere) < Buffer.byteLength(path) ? fromHere : path
}

export function resolveDataDir(given: string): DataDir {
  const path = resolve(given)
  const folder = (environment: EnvironmentName) => join(path, environment)
  return {
    path,
    rootKey: join(path, 'root.key'),
    lock: join(path, 'aglet.lock'),
    socket: shorterPath(join(path, 'aglet.sock')),
    folder,
    store: (environment) => join(folder(environment), 'store.db'),
    stream: (environment) => join(folder(environment), 'stream.db'),
    edgeFile: (environment) => join(folder(environment), 'edge.sealed'),
  }
}

/** Creates folders level by level: below /proc, the recursive mkdir of Node 24 never returns. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== 'EEXIST') throw problem // another process was faster
  }
}

/** Creates the missing folders of a data directory. Throws an Error if it is not writable. */
export function createDataDir(dir: DataDir, environments: readonly EnvironmentName[]): void {
  if (Buffer.byteLength(dir.socket) > socketPathBytes)
    throw new Error(`The path ${dir.path} is too long for a socket in the data directory. Choose a shorter path.`)
  try {
    for (const environment of environments) makeFolder(dir.folder(environment))
    accessSync(dir.path, constants.W_OK)
  } catch (problem) {
    const { code } = problem as NodeJS.ErrnoException
    throw new Error(
      `The data directory ${dir.path} cannot be written (${code}). Make this user its owner, or choose another directory with --data.`,
    )
  }
}

/** A lock that the operating system releases when the process ends, even after SIGKILL. */
export type DataDirLock = { release(): void }

/** Keeps the databases referenced: the garbage collector would close an unreferenced one and release its lock. */
const heldLocks = new Set<DatabaseSync>()

/**
 * Locks the data directory for this process; undefined while another process holds the lock. The lock is an exclusive
 * transaction on an empty SQLite file: Node has no file lock, and the system releases SQLite's even after SIGKILL.
 */
export function lockDataDir(dir: DataDir): DataDirLock | undefined {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(dir.lock, { timeout: 0 })
    db.exec('BEGIN EXCLUSIVE')
    heldLocks.add(db)
    const locked = db
    return { release: () => void (heldLocks.delete(locked) && locked.close()) }
  } catch (problem) {
    db?.close()
    if ((problem as { errcode?: number }).errcode === 5) return undefined // SQLITE_BUSY
    throw unusableFile(dir.lock, problem)
  }
}

/** Waits up to 2 s for the lock, which a command holds briefly. Throws if another server holds it. */
export async function lockForServing(dir: DataDir, clock: Clock): Promise<DataDirLock> {
  const end = clock.now() + 2_000
  do {
    const lock = lockDataDir(dir)
    if (lock) return lock
    await clock.wait(50)
  } while (clock.now() < end)
  throw new Error(
    `Another Aglet process uses the data directory ${dir.path}. Stop it, or choose another directory with --data.`,
  )
}
