import { statfsSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { openReader } from '#kit/sqlite.ts'
import type { Settings } from '#runtime/settings.ts'

const dayMs = 86_400_000
/** Retention runs every hour, so a day of delay is an error. */
const retentionGraceMs = dayMs

const formatMegabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`
const formatDays = (ms: number) => `${(ms / dayMs).toFixed(1)} days`

/** The oldest event of each tag in the journal, and the oldest body in the stream; epoch ms. */
const oldestEvent = `
  WITH RECURSIVE tags (tag) AS (
    SELECT min(tag) FROM event UNION ALL
    SELECT (SELECT min(tag) FROM event WHERE event.tag > tags.tag) FROM tags WHERE tags.tag IS NOT NULL
  )
  SELECT min((SELECT received_at FROM event WHERE event.tag = tags.tag ORDER BY position, idx LIMIT 1)) AS at FROM tags`
const oldestBody = 'SELECT appended_at AS at FROM body ORDER BY position LIMIT 1'

const hasTable = (db: DatabaseSync, table: string) =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined
const readPragma = (db: DatabaseSync, name: string) =>
  Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])

type RetentionDays = Pick<Settings, 'keepEventsDays' | 'keepFailuresDays' | 'keepJournalDays'>

/** The maximum age of a row. Failed deliveries are kept longest; pending ones may be older. */
const maxAgeMs = ({ keepEventsDays, keepFailuresDays, keepJournalDays }: RetentionDays, isStream: boolean) =>
  Math.max(isStream ? keepEventsDays : keepJournalDays, keepFailuresDays) * dayMs

/** The size of a database, its reusable free space, and the age of its oldest row. Throws when retention lags. */
export function describeDatabaseSize(path: string, settings: RetentionDays, now: number): string {
  const db = openReader(path)
  try {
    const isStream = hasTable(db, 'body')
    if (!isStream && !hasTable(db, 'bodies')) return formatMegabytes(statSync(path).size)
    const row = db.prepare(isStream ? oldestBody : oldestEvent).get()
    const parts = [
      formatMegabytes(statSync(path).size),
      `${formatMegabytes(readPragma(db, 'freelist_count') * readPragma(db, 'page_size'))} free in it`,
    ]
    if (row?.at == null) return [...parts, 'no events'].join(', ')
    const ageMs = now - Number(row.at)
    parts.push(`oldest event ${formatDays(ageMs)} old`)
    if (ageMs > maxAgeMs(settings, isStream) + retentionGraceMs)
      throw new Error(
        `${parts.join(', ')}: retention lags, or deliveries wait for longer (aglet delivery list --status pending)`,
      )
    return parts.join(', ')
  } finally {
    db.close()
  }
}

/** The free space on the disk. Throws when it is less than `minBytes`: events are refused soon. */
export function describeFreeDisk(path: string, minBytes = 1024 ** 3): string {
  const { bavail, bsize } = statfsSync(path)
  const text = `${formatMegabytes(bavail * bsize)} free`
  if (bavail * bsize < minBytes) throw new Error(`${text}: free some space, or lower AGLET_KEEP_JOURNAL_DAYS`)
  return text
}
