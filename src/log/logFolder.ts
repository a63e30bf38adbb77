import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The folder of the log of a database: `store.log` beside `store.db`. */
export const logFolderOf = (path: string): string => `${path.replace(/\.db$/, '')}.log`

/** Copies a log that may be in use. A segment that is deleted meanwhile may be left out. */
export async function copyLog(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const name of await readdir(from).catch(() => []))
    await cp(join(from, name), join(to, name)).catch((error) => {
      if (error.code !== 'ENOENT') throw error
    })
}
