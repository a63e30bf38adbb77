import type { DatabaseSync } from 'node:sqlite'

/** How far the stream has come: the newest position, the position up to which all is settled, and how many are beyond it. */
export type Standing = { last: number; cursor: number; ahead: number }

const numberOf = (db: DatabaseSync, sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0])

export function standingOf(db: DatabaseSync): Standing {
  const cursor = numberOf(db, 'SELECT position FROM cursor')
  const ahead = numberOf(db, 'SELECT count(*) FROM settled')
  // All that is settled may have been dropped: then the cursor alone knows where the stream has come to.
  return { last: Math.max(cursor, numberOf(db, 'SELECT coalesce(max(position), 0) FROM body')), cursor, ahead }
}

/** Positions have no gaps, so what waits need not be counted. */
export const waitingIn = ({ last, cursor, ahead }: Standing) => last - cursor - ahead
