import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { environments } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import { syncPath } from '#kit/copyDatabase.ts'
import type { DataDir } from '#runtime/dataDir.ts'
import type { Settings } from '#settings/settings.ts'
import { writeArchive } from './backupArchive.ts'

/** Copies a database that may be in use. Only main chooses the implementation. */
export type DatabaseCopier = {
  /** Resolves with the newest position in the copy. */
  copyStream(from: string, to: string): Promise<number>
  copyStore(from: string, to: string, lastPosition: number): Promise<void>
}

export type BackupDeps = {
  dir: DataDir
  settings: Pick<Settings, 'rootKey'>
  copies: DatabaseCopier
  clock: Clock
  version: string
}

const keyFiles = ['root.key', 'root.key.next'] as const
const maxTries = 3

/** The content of the root key files, to detect a rotation during the backup. */
const readKeyFiles = ({ path }: DataDir) =>
  Promise.all(keyFiles.map((name) => readFile(join(path, name), 'utf8').catch(() => undefined)))

/**
 * Copies the stream first. An event without its plan is planned again after a restore; a plan without its event would
 * occupy the position of another event.
 */
async function copyEnvironments({ dir, copies }: BackupDeps, folder: string): Promise<string[]> {
  const names: string[] = []
  for (const environment of environments.filter((each) => existsSync(dir.store(each)))) {
    await mkdir(join(folder, environment), { mode: 0o700 })
    const [stream, store] = [`${environment}/stream.db`, `${environment}/store.db`] as const
    const hasStream = existsSync(dir.stream(environment))
    const last = hasStream ? await copies.copyStream(dir.stream(environment), join(folder, stream)) : 0
    await copies.copyStore(dir.store(environment), join(folder, store), last)
    const segments = hasStream ? await readdir(join(folder, environment, 'stream.log')) : []
    const log = segments.map((name) => `${environment}/stream.log/${name}`)
    names.push(...(hasStream ? [stream, ...log] : []), store)
  }
  return names
}

/** Copies both environments under one root key: a copy during a key rotation is repeated. */
async function copyAll(deps: BackupDeps, folder: string, triesLeft = maxTries): Promise<string[]> {
  const before = await readKeyFiles(deps.dir)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  const names = await copyEnvironments(deps, folder)
  const after = await readKeyFiles(deps.dir)
  if (before.every((key, at) => key === after[at])) return names
  if (triesLeft > 1) return copyAll(deps, folder, triesLeft - 1)
  throw new Error('The root key is being rotated. Run the backup again when the rotation is complete.')
}

/** Copies the root key files; a key in AGLET_ROOT_KEY becomes a file. */
async function copyRootKey({ dir, settings }: BackupDeps, folder: string): Promise<string[]> {
  const existing = keyFiles.filter((name) => existsSync(join(dir.path, name)))
  for (const name of existing) await copyFile(join(dir.path, name), join(folder, name))
  if (settings.rootKey === undefined) return [...existing]
  await rm(join(folder, 'root.key'), { force: true })
  await writeFile(join(folder, 'root.key'), `${settings.rootKey.trim()}\n`, { mode: 0o400 })
  return [...new Set(['root.key', ...existing])]
}

const rootKeyNote =
  'not in the backup: store root.key (or AGLET_ROOT_KEY) separately; without that key the backup cannot be decrypted'

/**
 * Writes a consistent copy of all stored data into one file, with or without a running server. Throws an Error if there
 * is nothing to back up or the file exists.
 */
export async function createBackup(
  deps: BackupDeps,
  request: { file: string; withRootKey?: boolean },
): Promise<Record<string, unknown>> {
  const file = resolve(request.file)
  if (existsSync(file)) throw new Error(`${file} already exists. Choose another name.`)
  if (!existsSync(dirname(file)))
    throw new Error(`The folder ${dirname(file)} does not exist. Create it, or choose another path.`)
  const [folder, part] = [`${file}.copying`, `${file}.part`]
  const at = new Date(deps.clock.now()).toISOString()
  try {
    const names = await copyAll(deps, folder)
    if (names.length === 0) throw new Error(`${deps.dir.path} contains nothing to back up.`)
    const keys = request.withRootKey ? await copyRootKey(deps, folder) : []
    await writeArchive(part, folder, [...names, ...keys], { version: deps.version, at })
    await rename(part, file)
    await syncPath(dirname(file))
    return { file, bytes: (await stat(file)).size, at, rootKey: request.withRootKey ? 'in the backup' : rootKeyNote }
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rm(part, { force: true })
  }
}
