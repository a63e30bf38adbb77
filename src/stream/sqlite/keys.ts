import type { DatabaseSync } from 'node:sqlite'
import type { EventPlace } from '#stream/stream.ts'

/** A key is known on its day and the seven days after. */
const daysKnown = 7
const dayMs = 86_400_000
/** More than a body has events. */
const placesPerBody = 512

/** Days since 1970, UTC. */
export const dayOf = (ms: number) => Math.floor(ms / dayMs)
export const placeOf = (position: number, index: number) => position * placesPerBody + index

const tableOf = (day: number) => `key_${day}`

/** The days that have a table of keys, newest first. */
function daysOf(db: DatabaseSync): number[] {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'key_[0-9]*'").all()
  return tables.map(({ name }) => Number(String(name).slice(tableOf(0).length - 1))).sort((one, other) => other - one)
}

const holdsKeys = (db: DatabaseSync) => (day: number) =>
  db.prepare(`SELECT 1 FROM ${tableOf(day)} LIMIT 1`).get() !== undefined

/** Takes a key, once: false when it is known already. */
export type TakeKey = (key: bigint, place: number) => boolean

/** Keys are taken into the table of this day. Days that lie ahead count as well: the clock may have been set back. */
export function keysOf(db: DatabaseSync, day: number): TakeKey {
  db.exec(`CREATE TABLE IF NOT EXISTS ${tableOf(day)} (key INTEGER PRIMARY KEY, place INTEGER NOT NULL) STRICT`)
  const others = daysOf(db)
    .filter((each) => each !== day && each >= day - daysKnown)
    .filter(holdsKeys(db))
  const unknown = others.map((each) => `NOT EXISTS (SELECT 1 FROM ${tableOf(each)} WHERE key = ?1)`)
  const where = unknown.length > 0 ? `WHERE ${unknown.join(' AND ')}` : ''
  const take = db.prepare(`INSERT OR IGNORE INTO ${tableOf(day)} (key, place) SELECT ?1, ?2 ${where}`)
  return (key, place) => take.run(key, place).changes === 1
}

/** Where the event of this key lies. The newest place wins. */
export function findKey(db: DatabaseSync, key: bigint): EventPlace | undefined {
  db.exec('BEGIN')
  try {
    for (const day of daysOf(db)) {
      const found = db.prepare(`SELECT place FROM ${tableOf(day)} WHERE key = ?`).get(BigInt.asIntN(64, key))
      if (!found) continue
      const place = Number(found.place)
      return { position: Math.floor(place / placesPerBody), index: place % placesPerBody }
    }
    return undefined
  } finally {
    db.exec('COMMIT')
  }
}

/** Drops the days whose keys are no longer known on this day. */
export function dropKeys(db: DatabaseSync, day: number): void {
  for (const each of daysOf(db)) if (each < day - daysKnown) db.exec(`DROP TABLE ${tableOf(each)}`)
}
