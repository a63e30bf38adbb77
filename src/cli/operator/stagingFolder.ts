import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The name of a folder in which a backup is unpacked. A leftover one belonged to a process that was killed. */
export const isStagingFolder = (name: string): boolean => /^restoring-[0-9a-f]{12}$/.test(name)

/** Deletes a folder, including write-protected subfolders. */
async function removeFolder(path: string): Promise<void> {
  await chmod(path, 0o700).catch(() => {})
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isDirectory()) await removeFolder(join(path, entry.name))
  await rm(path, { recursive: true, force: true })
}

/** Deletes leftovers of earlier processes. Only call it while no other process unpacks a backup there. */
export async function removeLeftStagingFolders(path: string): Promise<void> {
  for (const name of (await readdir(path)).filter(isStagingFolder)) await removeFolder(join(path, name))
}

/** Runs with a new folder below a path, and always deletes it afterwards. */
export async function withStagingFolder<Result>(
  path: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = join(path, `restoring-${randomBytes(6).toString('hex')}`)
  await mkdir(folder, { mode: 0o700 })
  try {
    return await work(folder)
  } finally {
    await removeFolder(folder)
  }
}
