import { randomUUID } from 'node:crypto'
import { type Database, openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import type { StoreLocation } from '#store/store.fixture.ts'
import type { Store } from '#store/store.ts'
import { openPostgresStore } from './postgresStore.ts'

/** A migrated schema of its own, with the database that drops it. `openDatabase` opens another connection pool. */
export type SchemaLocation = { database: Database; openDatabase(): Database; remove(): Promise<void> }

export async function createSchema(url: string): Promise<SchemaLocation> {
  const schema = `store_${randomUUID().replaceAll('-', '')}`
  const openOne = () => openDatabase({ url, schema, connections: 4 })
  const database = openOne()
  await migrate(database)
  return {
    database,
    openDatabase: openOne,
    async remove() {
      await database.sql(`DROP SCHEMA ${schema} CASCADE`)
      await database.close()
    },
  }
}

/** A location of the laws of a store. */
export async function createStoreLocation(url: string): Promise<StoreLocation> {
  const { remove, openDatabase: openOne } = await createSchema(url)
  return {
    async open() {
      const database = openOne()
      const store = (await openPostgresStore({ database })) as Store
      return { ...store, close: () => store.close().then(database.close) }
    },
    remove,
  }
}
