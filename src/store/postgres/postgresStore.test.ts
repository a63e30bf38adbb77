import { after, before, describe } from 'node:test'
import { sharedStoreLaws, storeLaws } from '#store/store.suite.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { createStoreLocations } from './storeOnSchema.fixture.ts'

const skip = await skipWithoutPostgres()

describe('stores in schemas of one server', { skip }, () => {
  let server: PostgresServer
  before(async () => {
    server = await startPostgres()
  })
  const locations = createStoreLocations(() => server.url)
  storeLaws('PostgreSQL', locations.create)
  sharedStoreLaws(locations.create)
  after(async () => {
    await locations.close()
    await server.stop()
  })
})
