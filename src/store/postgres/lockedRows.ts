/**
 * The keys of tables. Every statement that changes rows locks them in the order of their keys first, so that of two
 * transactions one waits for the other.
 */
const keys = {
  event: ['position', 'idx', 'tag'],
  held: ['position', 'idx', 'tag'],
  delivery: ['position', 'idx', 'script'],
  attempt: ['delivery', 'number'],
} as const

type LockedTable = keyof typeof keys
/** `from`: the tables and conditions that find the rows. `columns`: what else the change reads, as a column of `found`. */
type FoundRows = { from: string; columns?: string }

const lock = (table: LockedTable, { from, columns }: FoundRows) => {
  const own = keys[table].map((key) => `${table}.${key}`).join(', ')
  return `WITH found AS MATERIALIZED (
    SELECT ${own}${columns ? `, ${columns}` : ''} FROM ${from} ORDER BY ${own} FOR UPDATE OF ${table}
  )`
}
const isFound = (table: LockedTable) => keys[table].map((key) => `${table}.${key} = found.${key}`).join(' AND ')

/** `where`: a further condition. */
export const updateLocked = (
  table: LockedTable,
  { set, where = 'true', ...rows }: FoundRows & { set: string; where?: string },
): string => `${lock(table, rows)} UPDATE ${table} SET ${set} FROM found WHERE ${isFound(table)} AND ${where}`

export const deleteLocked = (table: LockedTable, from: string): string =>
  `${lock(table, { from })} DELETE FROM ${table} USING found WHERE ${isFound(table)}`

/** The rows of events as parameters of a statement: their tags, positions and indexes. */
export const eventPlaces = 'unnest($1::text[], $2::bigint[], $3::int[]) AS wanted (tag, position, idx)'
