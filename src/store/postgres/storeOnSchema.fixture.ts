import { randomUUID } from 'node:crypto'
import { type Database, openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import type { StoreLocation } from '#store/store.fixture.ts'
import { startPostgres } from '../../../test/fake/postgresServer.ts'
import { openPostgresStore } from './postgresStore.ts'

/**
 * A migrated schema. `openDatabase` opens another pool of connections to it. It is deleted together with its server.
 */
export type SchemaLocation = { database: Database; openDatabase(): Database; remove(): Promise<void> }

export async function createSchema(url: string): Promise<SchemaLocation> {
  const schema = `store_${randomUUID().replaceAll('-', '')}`
  const openOne = () => openDatabase({ url, schema, connections: 4 })
  const database = openOne()
  await migrate(database)
  return { database, openDatabase: openOne, remove: database.close }
}

/** Starts a server with one schema, and opens the schema twice, as two processes do. */
export async function startTwoDatabases() {
  const server = await startPostgres()
  const { database, openDatabase: openAnother } = await createSchema(server.url)
  const databases: [Database, Database] = [database, openAnother()]
  return {
    databases,
    async stop() {
      for (const each of databases) await each.close()
      await server.stop()
    },
  }
}

/** Deletes the rows of all tables that are empty after the migrations. */
async function emptySchema({ database }: SchemaLocation): Promise<void> {
  const tables = await database.sql<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename NOT IN ('migration', 'slot', 'identity')`,
    [database.schema],
  )
  await database.sql(
    `SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false) FROM pg_sequences
    WHERE schemaname = $1`,
    [database.schema],
  )
  await database.sql('UPDATE identity SET shard = NULL, control = NULL')
  await database.transaction(async (sql) => {
    await sql('SET LOCAL session_replication_role = replica') // ignores foreign keys, so that the order does not matter
    for (const { name } of tables) await sql(`DELETE FROM "${name}"`)
  })
}

/** Schemas of one server. Migrating one takes a second, so a removed schema is used again. */
export function createSchemas(url: () => string) {
  const free: SchemaLocation[] = []
  const all: SchemaLocation[] = []
  async function createOne(): Promise<SchemaLocation> {
    const schema = await createSchema(url())
    all.push(schema)
    return schema
  }
  return {
    take: async () => free.pop() ?? createOne(),
    async giveBack(schema: SchemaLocation) {
      await emptySchema(schema)
      free.push(schema)
    },
    async close(): Promise<void> {
      for (const each of all) await each.remove()
    },
  }
}

/** Makes locations for the suites of a store. */
export function createStoreLocations(url: () => string) {
  const schemas = createSchemas(url)
  return {
    async create(): Promise<StoreLocation> {
      const schema = await schemas.take()
      return {
        async open() {
          const [database, queryDatabase] = [schema.openDatabase(), schema.openDatabase()]
          const store = await openPostgresStore({ database, queryDatabase })
          const close = async () => {
            await store.close()
            await Promise.all([database.close(), queryDatabase.close()])
          }
          return { ...store, close }
        },
        remove: () => schemas.giveBack(schema),
      }
    },
    close: schemas.close,
  }
}
