import type { DatabaseSync } from 'node:sqlite'

const dayMs = 86_400_000

/** Days since 1970, UTC. */
export const dayOf = (ms: number) => Math.floor(ms / dayMs)

/** The table that the keys of a day lie in. */
export const tableOf = (day: number) => `key_${day}`

/** The days that have a table of keys, newest first. */
export function daysOf(db: DatabaseSync): number[] {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'key_[0-9]*'").all()
  return tables.map(({ name }) => Number(String(name).slice(tableOf(0).length - 1))).sort((one, other) => other - one)
}
