import type { Statement } from '#kit/writeBatch.ts'
import type { ColumnValues } from './rowMappings.ts'

const quoteColumns = (columns: ColumnValues) => Object.keys(columns).map((name) => `"${name}"`)

export function insertRow(table: string, columns: ColumnValues): Statement {
  const names = quoteColumns(columns)
  const placeholders = names.map(() => '?').join(', ')
  return { sql: `INSERT INTO ${table} (${names.join(', ')}) VALUES (${placeholders})`, rows: [Object.values(columns)] }
}

/** Replaces the row with the same key. */
export function upsertRow(table: string, key: string, columns: ColumnValues): Statement {
  const { sql, rows } = insertRow(table, columns)
  const assignments = quoteColumns(columns).map((name) => `${name} = excluded.${name}`)
  return { sql: `${sql} ON CONFLICT (${key}) DO UPDATE SET ${assignments.join(', ')}`, rows }
}
