import type { SqlParam, Statement, WriteUnit } from '#kit/writeBatch.ts'
import type { Table } from './rowMappings.ts'
import { toStatement } from './sql.ts'

const quote = (name: string) => `"${name}"`

export function insertRow<Noun extends object>({ name, columns }: Table<Noun>, row: Noun): [Statement] {
  const values = columns(row)
  const names = Object.keys(values).map(quote)
  const placeholders = names.map(() => '?').join(', ')
  return [toStatement(`INSERT INTO ${name} (${names.join(', ')}) VALUES (${placeholders})`, ...Object.values(values))]
}

/** Replaces the row with the same key. */
export function upsertRow<Noun extends object>(table: Table<Noun>, row: Noun): [Statement] {
  const [{ sql, rows }] = insertRow(table, row)
  const assignments = Object.keys(table.columns(row)).map((name) => `${quote(name)} = excluded.${quote(name)}`)
  return [{ sql: `${sql} ON CONFLICT (${table.key}) DO UPDATE SET ${assignments.join(', ')}`, rows }]
}

/** Changes the row with the same key; does nothing if there is none. */
export function updateRow<Noun extends object>({ name, key, columns }: Table<Noun>, row: Noun): WriteUnit {
  const values = columns(row)
  const keyNames = key.split(', ')
  const assignments = Object.keys(values).map((column) => `${quote(column)} = ?`)
  const sql = `UPDATE ${name} SET ${assignments.join(', ')} WHERE ${keyNames.map((column) => `${column} = ?`).join(' AND ')}`
  return [toStatement(sql, ...Object.values(values), ...keyNames.map((column) => values[column]!))]
}

/** `rows`: what follows `DELETE FROM`. */
export const deleteRows = (rows: string, ...params: SqlParam[]): WriteUnit => [
  toStatement(`DELETE FROM ${rows}`, ...params),
]
