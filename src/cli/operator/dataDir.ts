import { accessSync, constants, mkdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { EnvironmentName } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'

/** Where things lie in a data directory. */
export type DataDir = {
  path: string
  rootKey: string
  lock: string
  socket: string
  folder(environment: EnvironmentName): string
  store(environment: EnvironmentName): string
  stream(environment: EnvironmentName): string
}

/** The system takes no longer path for a socket; what is short from here may be long from the root. */
const socketPathBytes = 100

function shorter(path: string): string {
  const fromHere = relative(process.cwd(), path)
  return Buffer.byteLength(fromHere) < Buffer.byteLength(path) ? fromHere : path
}

export function dataDirAt(given: string): DataDir {
  const path = resolve(given)
  const folder = (environment: EnvironmentName) => join(path, environment)
  return {
    path,
    rootKey: join(path, 'root.key'),
    lock: join(path, 'aglet.lock'),
    socket: shorter(join(path, 'aglet.sock')),
    folder,
    store: (environment) => join(folder(environment), 'store.db'),
    stream: (environment) => join(folder(environment), 'stream.db'),
  }
}

/** Makes what is missing of it. Throws a sentence when it cannot be written. */
export function makeDataDir(dir: DataDir, environments: readonly EnvironmentName[]): void {
  if (Buffer.byteLength(dir.socket) > socketPathBytes)
    throw new Error(
      `The path of the data directory is too long for the socket in it: choose a shorter one than ${dir.path}.`,
    )
  try {
    for (const environment of environments) mkdirSync(dir.folder(environment), { recursive: true, mode: 0o700 })
    accessSync(dir.path, constants.W_OK)
  } catch (problem) {
    const { code } = problem as NodeJS.ErrnoException
    throw new Error(
      `The data directory ${dir.path} cannot be written (${code}): give it to this user, or choose another with --data.`,
    )
  }
}

/** A lock that ends with its process, however that ends. */
export type Lock = { release(): void }

/** A database that nobody refers to is closed by the garbage collector, and its lock with it. */
const held = new Set<DatabaseSync>()

/**
 * Takes the data directory for this process; undefined while another has it. An exclusive transaction on an empty
 * SQLite file: Node offers no file lock, and SQLite's is let go by the system even after kill -9.
 */
export function lockDataDir(dir: DataDir): Lock | undefined {
  const db = new DatabaseSync(dir.lock, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
    held.add(db)
    return { release: () => void (held.delete(db) && db.close()) }
  } catch (problem) {
    db.close()
    if ((problem as { errcode?: number }).errcode === 5) return undefined // SQLITE_BUSY
    throw problem
  }
}

/** The lock of a server. A command may hold it for a moment; another server for as long as it runs. */
export async function lockForServing(dir: DataDir, clock: Clock): Promise<Lock> {
  const end = clock.now() + 2_000
  do {
    const lock = lockDataDir(dir)
    if (lock) return lock
    await clock.wait(50)
  } while (clock.now() < end)
  throw new Error(`Another Aglet has the data directory ${dir.path}: stop it, or choose another with --data.`)
}
