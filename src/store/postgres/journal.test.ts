import { after, before, describe } from 'node:test'
import { journalLaws } from '#store/journal.suite.ts'
import { plannedDeliveryLaws } from '#store/plannedDeliveries.suite.ts'
import { replayLaws } from '#store/replays.suite.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { createStoreLocation } from './storeOnSchema.fixture.ts'

const skip = await skipWithoutPostgres()

describe('the journal on PostgreSQL', { skip }, () => {
  let server: PostgresServer
  before(async () => {
    server = await startPostgres()
  })
  const createLocation = () => createStoreLocation(server.url)

  journalLaws(createLocation)
  plannedDeliveryLaws(createLocation)
  replayLaws(createLocation)

  // Hooks run in their order: the stores are closed first.
  after(() => server.stop())
})
