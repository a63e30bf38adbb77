import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type DatabaseReport, inspectDatabase } from '#kit/inspectDatabase.ts'
import { logFolderOf } from '#log/logFolder.ts'

const selectOldestBody = 'SELECT appended_at AS at FROM body ORDER BY position LIMIT 1'

function bytesOf(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  } catch {
    return 0 // no event has arrived yet
  }
}

/** Reports on a stream that may be in use. The size includes the index and the log. Throws if it cannot be read. */
export function inspectLogStream(path: string): DatabaseReport {
  const report = inspectDatabase(path, 'body', selectOldestBody)
  return { ...report, bytes: report.bytes + bytesOf(logFolderOf(path)) }
}
