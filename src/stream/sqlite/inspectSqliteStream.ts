import { type DatabaseReport, inspectDatabase } from '#kit/inspectDatabase.ts'

const selectOldestBody = 'SELECT appended_at AS at FROM body ORDER BY position LIMIT 1'

/** Reports on the file of a stream that may be in use. Throws when it cannot be read or is not durable. */
export const inspectSqliteStream = (path: string): DatabaseReport => inspectDatabase(path, 'body', selectOldestBody)
