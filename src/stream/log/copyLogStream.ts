import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '#kit/clock.ts'
import { copyDatabase } from '#kit/copyDatabase.ts'
import { logFolderOf, openLogStream } from './logStream.ts'

/**
 * Copies a stream that may be in use. The index is copied first: a log that is longer than it is read on, and a segment that
 * is deleted meanwhile had no body that is kept. The copy's index is complete. Resolves to the newest position in the copy.
 */
export async function copyLogStream(from: string, to: string): Promise<number> {
  await copyDatabase(from, to, () => {})
  const [fromLog, toLog] = [logFolderOf(from), logFolderOf(to)]
  await mkdir(toLog, { recursive: true, mode: 0o700 })
  for (const name of await readdir(fromLog).catch(() => []))
    await cp(join(fromLog, name), join(toLog, name)).catch((error) => {
      if (error.code !== 'ENOENT') throw error
    })
  const copy = await openLogStream(to, systemClock)
  await copy.close()
  return copy.lastPosition()
}
