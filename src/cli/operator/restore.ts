import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { chmod, mkdir, rename } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { RootKeyError } from '#account/rootKey.ts'
import { environments } from '#contract/me.ts'
import { syncPath } from '#kit/copyDatabase.ts'
import { type DataDir, lockDataDir } from '#runtime/dataDir.ts'
import { type EnvironmentStoreOptions, openEnvironmentStore } from '#runtime/environmentStore.ts'
import { extractArchive } from './backupArchive.ts'
import { isStagingFolder, removeLeftStagingFolders, withStagingFolder } from './stagingFolder.ts'

/** Files that an empty directory may contain. The root key may be put there before the restore. */
const ignoredFiles = /^(aglet\.(lock|sock)(-journal)?|root\.key)$/

const isEmpty = ({ path }: DataDir) =>
  readdirSync(path).every((name) => ignoredFiles.test(name) || isStagingFolder(name))

/** Moves the files that the backup replaces to another folder, so that restoring the wrong backup loses no data. */
async function moveAside(dir: DataDir, names: readonly string[], folder: string): Promise<boolean> {
  const existing = names.filter((name) => existsSync(join(dir.path, name)))
  if (existing.length === 0) return false
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of existing) await rename(join(dir.path, name), join(folder, name))
  return true
}

/** Moves the unpacked files into place, with mode 0400 for root keys and 0700 for folders. */
async function moveIntoPlace(dir: DataDir, from: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (!existsSync(join(from, name))) continue
    await chmod(join(from, name), name.startsWith('root.key') ? 0o400 : 0o700)
    await rename(join(from, name), join(dir.path, name))
  }
  await syncPath(dir.path)
}

/** Why the root key of the directory does not open the restored data; undefined if it does. */
async function findKeyProblem(options: EnvironmentStoreOptions): Promise<string | undefined> {
  try {
    for (const environment of environments.filter((each) => existsSync(options.dir.store(each)))) {
      const environmentStore = await openEnvironmentStore(environment, options)
      await environmentStore.store.close()
    }
    return undefined
  } catch (problem) {
    if (problem instanceof RootKeyError) return problem.message
    throw problem
  }
}

async function restoreInto(
  options: EnvironmentStoreOptions,
  file: string,
  force: boolean,
): Promise<Record<string, unknown>> {
  const { dir, clock } = options
  if (!force && !isEmpty(dir))
    throw new Error(`${dir.path} is not empty. Choose another directory with --data, or replace it with --force.`)
  await removeLeftStagingFolders(dir.path)
  return withStagingFolder(dir.path, async (staging) => {
    const { at, version, files } = await extractArchive(file, staging)
    const keys = Object.keys(files).filter((name) => name.startsWith('root.key'))
    // A root.key.next of the old data must not remain beside the backup's root key.
    const replaced = [...environments, ...(keys.length > 0 ? ['root.key', 'root.key.next'] : [])]
    const aside = join(dir.path, `before-restore-${new Date(clock.now()).toISOString().replace(/[:.]/g, '-')}`)
    const isMoved = await moveAside(dir, replaced, aside)
    await moveIntoPlace(dir, staging, [...environments, ...keys])
    const problem = await findKeyProblem(options)
    if (problem !== undefined)
      throw new Error(
        `The backup was restored to ${dir.path}, but cannot be read yet: ${problem} Then run aglet doctor.`,
      )
    return { at, version, data: dir.path, ...(isMoved && { before: aside }), rootKey: 'fits' }
  })
}

/**
 * Restores a backup into a data directory that no server uses. Throws an Error, having changed nothing, if a server uses
 * it, if it is not empty and `force` is not set, or if the backup is incomplete. Throws after the restore if the root key
 * does not fit or is missing.
 */
export async function restoreBackup(
  options: EnvironmentStoreOptions,
  request: { file: string; force?: boolean },
): Promise<Record<string, unknown>> {
  const { dir } = options
  mkdirSync(dir.path, { recursive: true, mode: 0o700 })
  const lock = lockDataDir(dir)
  if (!lock) throw new Error(`Aglet is running on ${dir.path}. Stop it, then restore.`)
  try {
    return await restoreInto(options, resolve(request.file), request.force === true)
  } finally {
    lock.release()
  }
}
