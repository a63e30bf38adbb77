import { randomUUID } from 'node:crypto'
import { type Database, openDatabase, type Sql } from '#postgres/database.ts'
import { CommitUnknown, DatabaseAway } from '#postgres/databaseError.ts'
import { migrate } from '#postgres/migrate.ts'

/** Migrated schemas of one server. Migrating a schema takes long, so removed ones are reused. */
export function createStreamSchemas(url: () => string) {
  const free: Database[] = []
  const all: Database[] = []
  const openSchema = (schema: string) => {
    const database = openDatabase({ url: url(), schema, connections: 4 })
    all.push(database)
    return database
  }
  async function empty({ sql }: Database): Promise<void> {
    const tables = await sql<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
         AND relname ~ '^(body|seen)_[0-9]+$'`,
    )
    if (tables.length > 0) await sql(`DROP TABLE ${tables.map(({ name }) => name).join(', ')}`)
    for (const name of ['todo', 'body_kept', 'change', 'member']) await sql(`DELETE FROM ${name}`)
  }
  return {
    /** A schema without records. */
    async create(): Promise<Database> {
      const found = free.pop()
      if (found) return found
      const database = openSchema(`stream_${randomUUID().replaceAll('-', '')}`)
      await migrate(database)
      return database
    },
    /** Another pool of connections to a schema, as of another process. */
    openAnother: ({ schema }: Database) => openSchema(schema),
    async remove(database: Database): Promise<void> {
      await empty(database)
      free.push(database)
    },
    async close(): Promise<void> {
      for (const database of all) await database.close()
    },
  }
}

/**
 * The fault of a statement. `away`: it does not reach the server. `lost`: it is not committed, but its caller cannot
 * know. `committed`: it is committed, and its answer is lost. `late`: it is committed after its caller got an error.
 * The last three throw CommitUnknown.
 */
export type AppendFailure = 'none' | 'away' | 'lost' | 'committed' | 'late'

/**
 * A database that applies the next fault of a list to each single statement that matches `pattern`, and none once the
 * list is empty.
 */
export function openFaultyDatabase(database: Database, pattern: RegExp) {
  let faults: AppendFailure[] = []
  const late: Promise<unknown>[] = []
  const unknown = () => new CommitUnknown('the response to a commit was lost')

  /** Runs a statement, answers that its result is unknown, and commits a moment later. */
  function commitLate(text: string, values: Parameters<Sql>[1]): Promise<never> {
    const ran = Promise.withResolvers<void>()
    const committed = database.transaction(async (sql) => {
      await sql(text, values)
      ran.resolve()
      await sql('SELECT pg_sleep(0.15)') // longer than the pause before a repetition
    })
    committed.catch(ran.reject)
    late.push(committed)
    return ran.promise.then(() => Promise.reject(unknown()))
  }
  const sql = (async (text, values) => {
    const fault = pattern.test(text) ? (faults.shift() ?? 'none') : 'none'
    if (fault === 'away') throw new DatabaseAway('no primary responds')
    if (fault === 'lost') throw unknown()
    if (fault === 'late') return commitLate(text, values)
    const rows = await database.sql(text, values)
    if (fault === 'committed') throw unknown()
    return rows
  }) as Sql
  return {
    database: { ...database, sql },
    setFaults(next: readonly AppendFailure[]) {
      faults = [...next]
    },
    /** Resolves when all late commits are done. */
    settled: () => Promise.all(late),
  }
}
