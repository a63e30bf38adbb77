import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { RootKeyProblem } from '#account/rootKey.ts'
import { environments } from '#contract/me.ts'
import { sync } from '#kit/copy.ts'
import { unpackArchive } from './archive.ts'
import { type DataDir, lockDataDir } from './dataDir.ts'
import { type HomeOptions, openHome } from './home.ts'

/** What may lie in a data directory that counts as empty: the key may be brought before the rest. */
const harmless = /^(aglet\.(lock|sock)(-journal)?|root\.key|restoring-[0-9a-f]{12})$/

const isEmpty = ({ path }: DataDir) => readdirSync(path).every((name) => harmless.test(name))

/** Moves what the backup brings out of the way. Nothing is deleted: a wrong backup must not cost the right data. */
async function moveAside(dir: DataDir, names: readonly string[], folder: string): Promise<boolean> {
  const there = names.filter((name) => existsSync(join(dir.path, name)))
  if (there.length === 0) return false
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of there) await rename(join(dir.path, name), join(folder, name))
  return true
}

/** What was unpacked takes its place: both environments whole, a key as a file that only its owner reads. */
async function moveIn(dir: DataDir, from: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (!existsSync(join(from, name))) continue
    await chmod(join(from, name), name.startsWith('root.key') ? 0o400 : 0o700)
    await rename(join(from, name), join(dir.path, name))
  }
  await sync(dir.path)
}

/** Whether the root key that is here opens what was restored, in words. */
async function lookAtKey(options: HomeOptions): Promise<string> {
  try {
    for (const environment of environments.filter((each) => existsSync(options.dir.store(each)))) {
      const home = await openHome(environment, options)
      await home.store.close()
    }
    return 'fits'
  } catch (problem) {
    if (problem instanceof RootKeyProblem) return problem.message
    throw problem
  }
}

async function restoreInto(options: HomeOptions, file: string, force: boolean): Promise<Record<string, unknown>> {
  const { dir, clock } = options
  if (!force && !isEmpty(dir))
    throw new Error(
      `${dir.path} is not empty: choose another with --data, or put the backup in its place with --force.`,
    )
  const staging = join(dir.path, `restoring-${randomBytes(6).toString('hex')}`)
  await mkdir(staging, { mode: 0o700 })
  try {
    const { at, version, files } = await unpackArchive(file, staging)
    const keys = Object.keys(files).filter((name) => name.startsWith('root.key'))
    // A key that came with the backup brings its own next one, or none: a stranger's must not stay beside it.
    const replaced = [...environments, ...(keys.length > 0 ? ['root.key', 'root.key.next'] : [])]
    const aside = join(dir.path, `before-restore-${new Date(clock.now()).toISOString().replace(/[:.]/g, '-')}`)
    const isMoved = await moveAside(dir, replaced, aside)
    await moveIn(dir, staging, [...environments, ...keys])
    return { at, version, data: dir.path, ...(isMoved && { before: aside }), rootKey: await lookAtKey(options) }
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/**
 * Puts a backup into a data directory that no server has. Throws a sentence when one has it, when the directory is not
 * empty and `force` is not said, and when the backup is not whole: then nothing has been changed.
 */
export async function restoreBackup(
  options: HomeOptions,
  asked: { file: string; force?: boolean },
): Promise<Record<string, unknown>> {
  const { dir } = options
  mkdirSync(dir.path, { recursive: true, mode: 0o700 })
  const lock = lockDataDir(dir)
  if (!lock) throw new Error(`Aglet is running on ${dir.path}: stop it, then restore.`)
  try {
    return await restoreInto(options, resolve(asked.file), asked.force === true)
  } finally {
    lock.release()
  }
}
