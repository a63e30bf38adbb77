import { statfsSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Settings } from '#contract/settings.ts'
import { openReader } from '#kit/sqlite.ts'

const dayMs = 86_400_000
/** What is old is dropped every hour: a day later it should be gone. */
const graceMs = dayMs

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`
const days = (ms: number) => `${(ms / dayMs).toFixed(1)} days`

/** The first event of each tag in the journal, or the first body of the stream that nothing failed of; epoch ms. */
const oldestEvent = `
  WITH RECURSIVE tags (tag) AS (
    SELECT min(tag) FROM event UNION ALL
    SELECT (SELECT min(tag) FROM event WHERE event.tag > tags.tag) FROM tags WHERE tags.tag IS NOT NULL
  )
  SELECT min((SELECT received_at FROM event WHERE event.tag = tags.tag ORDER BY position, idx LIMIT 1)) AS at FROM tags`
const oldestBody = 'SELECT appended_at AS at FROM body ORDER BY position LIMIT 1'

const has = (db: DatabaseSync, table: string) =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined
const pragma = (db: DatabaseSync, name: string) => Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])

type Kept = Pick<Settings, 'keepEventsDays' | 'keepFailuresDays' | 'keepJournalDays'>

/** How long the oldest row may be kept at most: what failed is kept longest. What still waits may be older. */
const longestMs = ({ keepEventsDays, keepFailuresDays, keepJournalDays }: Kept, isStream: boolean) =>
  Math.max(isStream ? keepEventsDays : keepJournalDays, keepFailuresDays) * dayMs

/** How large a database is, how much of it is free to be written again, and how old its oldest row is. Throws when retention lags. */
export function lookAtRoom(path: string, settings: Kept, now: number): string {
  const db = openReader(path)
  try {
    const isStream = has(db, 'body')
    if (!isStream && !has(db, 'bodies')) return megabytes(statSync(path).size)
    const row = db.prepare(isStream ? oldestBody : oldestEvent).get()
    const told = [
      megabytes(statSync(path).size),
      `${megabytes(pragma(db, 'freelist_count') * pragma(db, 'page_size'))} free in it`,
    ]
    if (row?.at == null) return [...told, 'no events'].join(', ')
    const ageMs = now - Number(row.at)
    told.push(`oldest event ${days(ageMs)} old`)
    if (ageMs > longestMs(settings, isStream) + graceMs)
      throw new Error(
        `${told.join(', ')}: retention lags, or deliveries wait for longer (aglet delivery list --status pending)`,
      )
    return told.join(', ')
  } finally {
    db.close()
  }
}

/** The room left on the disk. Throws when it is so little that events are refused soon. */
export function lookAtDisk(path: string, leastBytes = 1024 ** 3): string {
  const { bavail, bsize } = statfsSync(path)
  const told = `${megabytes(bavail * bsize)} free`
  if (bavail * bsize < leastBytes) throw new Error(`${told}: make room, or keep less (AGLET_KEEP_JOURNAL_DAYS)`)
  return told
}
