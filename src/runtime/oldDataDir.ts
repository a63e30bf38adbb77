import { existsSync } from 'node:fs'
import { openReader } from '#kit/sqlite.ts'

/** A table that the stream's file had while it stored the bodies itself. */
const selectOldTable = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'recent'"

/**
 * Throws an Error for the operator if a stream's file has the format before the logs. Changes nothing.
 * Source: docs/decisions/0022-logs-before-rows.md.
 */
export function refuseOldStream(path: string): void {
  if (!existsSync(path)) return
  const db = openReader(path)
  try {
    if (!db.prepare(selectOldTable).get()) return
  } finally {
    db.close()
  }
  throw new Error(
    `${path} was written by an Aglet version from before the first release, which this version does not support. Start that version, ` +
      'export the events of each tag and write its configuration to a file with "aglet pull"; then start this version on a ' +
      'new directory, apply the file with "aglet apply", and send the events again.',
  )
}
