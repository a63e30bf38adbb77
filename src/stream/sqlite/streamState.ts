import type { DatabaseSync } from 'node:sqlite'

/**
 * `last`: the newest position. `cursor`: all positions up to it are settled. `ahead`: the number of settled ones beyond
 * it.
 */
export type StreamState = { last: number; cursor: number; ahead: number }

const numberOf = (db: DatabaseSync, sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0])

export function readStreamState(db: DatabaseSync): StreamState {
  const cursor = numberOf(db, 'SELECT position FROM cursor')
  const ahead = numberOf(db, 'SELECT count(*) FROM settled')
  // If all bodies were settled and deleted, the cursor is the newest position.
  return { last: Math.max(cursor, numberOf(db, 'SELECT coalesce(max(position), 0) FROM body')), cursor, ahead }
}

/** The number of unsettled bodies, in O(1) because positions have no gaps. */
export const waitingCount = ({ last, cursor, ahead }: StreamState) => last - cursor - ahead
