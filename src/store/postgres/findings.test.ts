import { after, before, describe } from 'node:test'
import { findingLaws } from '#store/deliveryQueries.suite.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { createStoreLocation } from './storeOnSchema.fixture.ts'

const skip = await skipWithoutPostgres()

describe('findings on PostgreSQL', { skip }, () => {
  let server: PostgresServer
  before(async () => {
    server = await startPostgres()
  })
  const createLocation = () => createStoreLocation(server.url)

  findingLaws(createLocation)

  // Hooks run in their order: the stores are closed first.
  after(() => server.stop())
})
