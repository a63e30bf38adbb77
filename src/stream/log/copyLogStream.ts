import { systemClock } from '#kit/clock.ts'
import { copyDatabase } from '#kit/copyDatabase.ts'
import { copyLog, logFolderOf } from '#log/logFolder.ts'
import { openLogStream } from './logStream.ts'

/**
 * Copies a stream that may be in use. The index is copied first: the copy then applies the newer part of the log, and a
 * segment that is deleted in the meantime has no body that is still kept. The copy's index is complete. Resolves to the
 * newest position in the copy.
 */
export async function copyLogStream(from: string, to: string): Promise<number> {
  await copyDatabase(from, to, () => {})
  await copyLog(logFolderOf(from), logFolderOf(to))
  const copy = await openLogStream(to, systemClock)
  await copy.close()
  return copy.lastPosition()
}
