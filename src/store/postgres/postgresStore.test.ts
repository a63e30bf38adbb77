import { randomUUID } from 'node:crypto'
import { after, before, describe } from 'node:test'
import { openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import { accountLaws } from '#store/accounts.suite.ts'
import { policyLaws } from '#store/policy.suite.ts'
import type { StoreLocation } from '#store/store.fixture.ts'
import { opened } from '#store/store.suite.ts'
import type { Store } from '#store/store.ts'
import { tagLaws } from '#store/tag.suite.ts'
import { runLaws } from '#store/webhookRuns.suite.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { openPostgresStore } from './postgresStore.ts'

const skip = await skipWithoutPostgres()

describe('stores on PostgreSQL', { skip }, () => {
  let server: PostgresServer
  before(async () => {
    server = await startPostgres()
  })

  /** A schema of its own. */
  async function createLocation(): Promise<StoreLocation> {
    const schema = `store_${randomUUID().replaceAll('-', '')}`
    const openOne = () => openDatabase({ url: server.url, schema, connections: 4 })
    const own = openOne()
    await migrate(own)
    return {
      async open() {
        const database = openOne()
        const store = (await openPostgresStore({ database })) as Store
        return { ...store, close: () => store.close().then(database.close) }
      },
      async remove() {
        await own.sql(`DROP SCHEMA ${schema} CASCADE`)
        await own.close()
      },
    }
  }

  tagLaws(opened(createLocation))
  accountLaws(createLocation)
  policyLaws(opened(createLocation))
  runLaws(opened(createLocation))

  // Hooks run in their order: the stores are closed first.
  after(() => server.stop())
})
