import { type DatabaseReport, inspectDatabase } from '#kit/inspectDatabase.ts'

/** First the oldest event of each tag, by the index on tag and position, then the oldest of these. */
const selectOldestEvent = `
  WITH RECURSIVE tags (tag) AS (
    SELECT min(tag) FROM event UNION ALL
    SELECT (SELECT min(tag) FROM event WHERE event.tag > tags.tag) FROM tags WHERE tags.tag IS NOT NULL
  )
  SELECT min((SELECT received_at FROM event WHERE event.tag = tags.tag ORDER BY position, idx LIMIT 1)) AS at FROM tags`

/** Reports on the file of a store that may be in use. Throws if it cannot be read or is not durable. */
export const inspectSqliteStore = (path: string): DatabaseReport => inspectDatabase(path, 'event', selectOldestEvent)
