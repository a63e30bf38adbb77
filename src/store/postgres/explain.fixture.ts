import pg from 'pg'
import type { Database, Sql, SqlValue } from '#postgres/database.ts'

/** The last values of each statement that was run, by its text. */
export type Statements = Map<string, readonly SqlValue[]>

/** Records the statements of a database. */
export function recordStatements(database: Database, statements: Statements): Database {
  const recorded = (sql: Sql): Sql =>
    ((text, values = []) => {
      statements.set(text, values)
      return sql(text, values)
    }) as Sql
  return {
    ...database,
    sql: recorded(database.sql),
    transaction: (work) => database.transaction((sql) => work(recorded(sql))),
  }
}

const toLiteral = (value: SqlValue): string => {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return `${pg.escapeLiteral(toArray(value))}`
  return pg.escapeLiteral(value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value))
}
const toArray = (values: readonly SqlValue[]): string =>
  `{${values.map((each) => (each === null ? 'NULL' : JSON.stringify(each instanceof Uint8Array ? `\\x${Buffer.from(each).toString('hex')}` : String(each)))).join(',')}}`

/** The lines of the generic plan of a statement. `options` of EXPLAIN, such as `ANALYZE`; `settings` of the planner. */
export function explain(
  database: Database,
  text: string,
  values: readonly SqlValue[],
  { options = 'COSTS OFF', settings = {} }: { options?: string; settings?: Record<string, string> } = {},
): Promise<string[]> {
  return database.transaction(async (sql) => {
    for (const [name, value] of Object.entries(settings)) await sql(`SET LOCAL ${name} = ${value}`)
    await sql(`PREPARE explained AS ${text}`)
    const params = values.length > 0 ? `(${values.map(toLiteral).join(', ')})` : ''
    try {
      const rows = await sql(`EXPLAIN (${options}) EXECUTE explained${params}`)
      return rows.map((row) => String(row['QUERY PLAN']))
    } finally {
      await sql('DEALLOCATE explained')
    }
  })
}
