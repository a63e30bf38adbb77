import { systemClock } from '#kit/clock.ts'
import { copyDatabase } from '#kit/copyDatabase.ts'
import { copyLog, logFolderOf } from '#log/logFolder.ts'
import { openLogStream } from './logStream.ts'

/**
 * Copies a stream that may be in use. The index is copied first: a log that is longer than it is read on, and a segment that
 * is deleted meanwhile had no body that is kept. The copy's index is complete. Resolves to the newest position in the copy.
 */
export async function copyLogStream(from: string, to: string): Promise<number> {
  await copyDatabase(from, to, () => {})
  await copyLog(logFolderOf(from), logFolderOf(to))
  const copy = await openLogStream(to, systemClock)
  await copy.close()
  return copy.lastPosition()
}
