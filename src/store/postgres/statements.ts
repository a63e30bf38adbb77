import type { Statement, WriteUnit } from '#kit/writeBatch.ts'
import type { Sql } from '#postgres/database.ts'
import type { SqlReads } from '#store/sql/sql.ts'

const numbered = new Map<string, string>()

/** Converts placeholders: `?1` becomes `$1`, and `?` the number after the largest one before it, as in SQLite. */
function numberParams(sql: string): string {
  let text = numbered.get(sql)
  if (text === undefined) {
    let count = 0
    text = sql.replaceAll(/\?(\d*)/g, (_, number: string) => {
      const at = number ? Number(number) : count + 1
      count = Math.max(count, at)
      return `$${at}`
    })
    numbered.set(sql, text)
  }
  return text
}

/** Runs a statement once for each row of parameters. */
export async function runStatement(sql: Sql, { sql: text, rows }: Statement): Promise<void> {
  for (const row of rows) await sql(numberParams(text), row)
}

/** Runs statements in order. */
export async function runStatements(sql: Sql, unit: WriteUnit): Promise<void> {
  for (const each of unit) await runStatement(sql, each)
}

/** Runs a statement as `runStatement` does, and resolves with the number of rows that it changed. */
export async function countChanged(sql: Sql, { sql: text, rows }: Statement): Promise<number> {
  let changed = 0
  for (const row of rows) changed += (await sql(`${numberParams(text)} RETURNING 1`, row)).length
  return changed
}

export const createReads = (sql: Sql): SqlReads => ({
  one: async (text, ...params) => (await sql(numberParams(text), params))[0],
  all: (text, ...params) => sql(numberParams(text), params),
})
