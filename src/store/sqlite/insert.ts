import type { Statement } from '#kit/units.ts'
import type { Columns } from './rows.ts'

const quoted = (columns: Columns) => Object.keys(columns).map((name) => `"${name}"`)

export function insert(table: string, columns: Columns): Statement {
  const names = quoted(columns)
  const marks = names.map(() => '?').join(', ')
  return { sql: `INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`, rows: [Object.values(columns)] }
}

/** Takes the place of the row that has the same key. */
export function put(table: string, key: string, columns: Columns): Statement {
  const { sql, rows } = insert(table, columns)
  const taken = quoted(columns).map((name) => `${name} = excluded.${name}`)
  return { sql: `${sql} ON CONFLICT (${key}) DO UPDATE SET ${taken.join(', ')}`, rows }
}
