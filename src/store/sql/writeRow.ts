import type { SqlParam, Statement } from '#kit/writeBatch.ts'
import type { Table } from './rowMappings.ts'
import { toStatement } from './sql.ts'

const quote = (name: string) => `"${name}"`

export function insertRow({ name, columns }: Table<object>, row: object): Statement {
  const values = columns(row)
  const names = Object.keys(values).map(quote)
  const placeholders = names.map(() => '?').join(', ')
  return toStatement(`INSERT INTO ${name} (${names.join(', ')}) VALUES (${placeholders})`, ...Object.values(values))
}

export function upsertRow(table: Table<object>, row: object): Statement {
  const { sql, rows } = insertRow(table, row)
  const assignments = Object.keys(table.columns(row)).map((name) => `${quote(name)} = excluded.${quote(name)}`)
  return { sql: `${sql} ON CONFLICT (${table.key}) DO UPDATE SET ${assignments.join(', ')}`, rows }
}

/** Does nothing if there is no row with the key. */
export function updateRow({ name, key, columns }: Table<object>, row: object): Statement {
  const values = columns(row)
  const keyNames = key.split(', ')
  const assignments = Object.keys(values).map((column) => `${quote(column)} = ?`)
  const sql = `UPDATE ${name} SET ${assignments.join(', ')} WHERE ${keyNames.map((column) => `${column} = ?`).join(' AND ')}`
  return toStatement(sql, ...Object.values(values), ...keyNames.map((column) => values[column]!))
}

/** For each change that drops rows, the SQL after `DELETE FROM` and its parameters. */
export type Dropped<Change extends { drop: string }> = {
  [Name in Change['drop']]: (change: Extract<Change, { drop: Name }>) => [rows: string, ...params: SqlParam[]]
}

export function deleteStatement<Change extends { drop: string }>(dropped: Dropped<Change>, change: Change): Statement {
  const rowsOf = dropped[change.drop as Change['drop']] as (change: Change) => [rows: string, ...params: SqlParam[]]
  const [rows, ...params] = rowsOf(change)
  return toStatement(`DELETE FROM ${rows}`, ...params)
}
