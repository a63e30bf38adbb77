import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { environments } from '#contract/me.ts'
import type { Settings } from '#contract/settings.ts'
import type { Clock } from '#kit/clock.ts'
import { sync } from '#kit/copy.ts'
import { packArchive } from './archive.ts'
import type { DataDir } from './dataDir.ts'

/** How a database that may be in use is copied. Chosen by main alone. */
export type Copies = {
  /** Resolves with the newest position that the copy has. */
  copyStream(from: string, to: string): Promise<number>
  copyStore(from: string, to: string, lastPosition: number): Promise<void>
}

export type BackupWorld = {
  dir: DataDir
  settings: Pick<Settings, 'rootKey'>
  copies: Copies
  clock: Clock
  version: string
}

const keyFiles = ['root.key', 'root.key.next'] as const
const tries = 3

/** The root key as it is now, for telling whether it was changed meanwhile. */
const readKeys = ({ path }: DataDir) =>
  Promise.all(keyFiles.map((name) => readFile(join(path, name), 'utf8').catch(() => undefined)))

/** Stream first: a plan without its event would take the place of another, an event without its plan is planned again. */
async function copyEnvironments({ dir, copies }: BackupWorld, folder: string): Promise<string[]> {
  const names: string[] = []
  for (const environment of environments.filter((each) => existsSync(dir.store(each)))) {
    await mkdir(join(folder, environment), { mode: 0o700 })
    const [stream, store] = [`${environment}/stream.db`, `${environment}/store.db`] as const
    const hasStream = existsSync(dir.stream(environment))
    const last = hasStream ? await copies.copyStream(dir.stream(environment), join(folder, stream)) : 0
    await copies.copyStore(dir.store(environment), join(folder, store), last)
    names.push(...(hasStream ? [stream] : []), store)
  }
  return names
}

/** Both environments under one root key: a copy that a rotation ran through is made again. */
async function copyAll(on: BackupWorld, folder: string, left = tries): Promise<string[]> {
  const before = await readKeys(on.dir)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  const names = await copyEnvironments(on, folder)
  const after = await readKeys(on.dir)
  if (before.every((key, at) => key === after[at])) return names
  if (left > 1) return copyAll(on, folder, left - 1)
  throw new Error('The root key is being rotated: make the backup when that is done.')
}

/** The key that everything in the backup hangs on, as files. */
async function copyRootKey({ dir, settings }: BackupWorld, folder: string): Promise<string[]> {
  const there = keyFiles.filter((name) => existsSync(join(dir.path, name)))
  for (const name of there) await copyFile(join(dir.path, name), join(folder, name))
  if (settings.rootKey === undefined) return [...there]
  await rm(join(folder, 'root.key'), { force: true })
  await writeFile(join(folder, 'root.key'), `${settings.rootKey.trim()}\n`, { mode: 0o400 })
  return [...new Set(['root.key', ...there])]
}

const keptApart =
  'not in the backup: keep root.key (or AGLET_ROOT_KEY) apart from it; without that key nothing in it can be opened'

/**
 * Writes everything that is kept into one file, as it is at one moment; a server on the data directory goes on
 * meanwhile. Throws a sentence when there is nothing to keep, or the file is there already.
 */
export async function makeBackup(
  on: BackupWorld,
  asked: { file: string; withRootKey?: boolean },
): Promise<Record<string, unknown>> {
  const file = resolve(asked.file)
  if (existsSync(file)) throw new Error(`${file} is there already: write another name.`)
  if (!existsSync(dirname(file))) throw new Error(`There is no folder ${dirname(file)} to put the backup in.`)
  const [folder, part] = [`${file}.copying`, `${file}.part`]
  const at = new Date(on.clock.now()).toISOString()
  try {
    const names = await copyAll(on, folder)
    if (names.length === 0) throw new Error(`There is nothing to back up in ${on.dir.path}.`)
    const keys = asked.withRootKey ? await copyRootKey(on, folder) : []
    await packArchive(part, folder, [...names, ...keys], { version: on.version, at })
    await rename(part, file)
    await sync(dirname(file))
    return { file, bytes: (await stat(file)).size, at, rootKey: asked.withRootKey ? 'in the backup' : keptApart }
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rm(part, { force: true })
  }
}
