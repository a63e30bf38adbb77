import { randomUUID } from 'node:crypto'
import { type Database, openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import type { StoreLocation } from '#store/store.fixture.ts'
import { openPostgresStore } from './postgresStore.ts'

/** A migrated schema, and a function that opens another pool of connections to it. */
export type MigratedSchema = { database: Database; openAnother(): Database }

export async function createSchema(url: string): Promise<MigratedSchema> {
  const schema = `store_${randomUUID().replaceAll('-', '')}`
  const openAnother = () => openDatabase({ url, schema, connections: 4 })
  const database = openAnother()
  await migrate(database)
  return { database, openAnother }
}

/** Deletes the rows of every table that migrations leave empty. */
async function emptySchema({ database }: MigratedSchema): Promise<void> {
  const tables = await database.sql<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename NOT IN ('migration', 'slot')`,
    [database.schema],
  )
  await database.transaction(async (sql) => {
    await sql('SET LOCAL session_replication_role = replica') // no foreign keys: in any order
    for (const { name } of tables) await sql(`DELETE FROM "${name}"`)
  })
}

/** Makes locations of the laws of a store. A schema takes a second to migrate, so that removed ones are used again. */
export function createStoreLocations(url: () => string) {
  const free: MigratedSchema[] = []
  const all: MigratedSchema[] = []
  async function createOne(): Promise<MigratedSchema> {
    const schema = await createSchema(url())
    all.push(schema)
    return schema
  }
  return {
    async create(): Promise<StoreLocation> {
      const schema = free.pop() ?? (await createOne())
      return {
        async open() {
          const [database, queryDatabase] = [schema.openAnother(), schema.openAnother()]
          const store = await openPostgresStore({ database, queryDatabase })
          const close = async () => {
            await store.close()
            await Promise.all([database.close(), queryDatabase.close()])
          }
          return { ...store, close }
        },
        async remove() {
          await emptySchema(schema)
          free.push(schema)
        },
      }
    },
    async close(): Promise<void> {
      for (const { database } of all) await database.close()
    },
  }
}
