import { randomUUID } from 'node:crypto'
import { after, before, describe } from 'node:test'
import { openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import { findingLaws } from '#store/deliveryQueries.suite.ts'
import { journalLaws } from '#store/journal.suite.ts'
import { plannedDeliveryLaws } from '#store/plannedDeliveries.suite.ts'
import { replayLaws } from '#store/replays.suite.ts'
import type { StoreLocation } from '#store/store.fixture.ts'
import type { Store } from '#store/store.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { openPostgresStore } from './postgresStore.ts'

const skip = await skipWithoutPostgres()

describe('the journal on PostgreSQL', { skip }, () => {
  let server: PostgresServer
  before(async () => {
    server = await startPostgres()
  })
  async function createLocation(): Promise<StoreLocation> {
    const schema = `store_${randomUUID().replaceAll('-', '')}`
    const openOne = () => openDatabase({ url: server.url, schema, connections: 4 })
    const own = openOne()
    await migrate(own)
    return {
      async open() {
        const database = openOne()
        const store = (await openPostgresStore({ database })) as unknown as Store
        return { ...store, close: () => store.close().then(database.close) }
      },
      async remove() {
        await own.sql(`DROP SCHEMA ${schema} CASCADE`)
        await own.close()
      },
    }
  }
  journalLaws(createLocation)
  plannedDeliveryLaws(createLocation)
  replayLaws(createLocation)
  findingLaws(createLocation)

  // Hooks run in their order: the stores are closed first.
  after(() => server.stop())
})
