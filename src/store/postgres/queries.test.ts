import { after, before, describe } from 'node:test'
import { eventSearchLaws } from '#store/eventSearch.suite.ts'
import { opened } from '#store/store.suite.ts'
import { profileLaws } from '#store/users.suite.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { createStoreLocation } from './storeOnSchema.fixture.ts'

const skip = await skipWithoutPostgres()

describe('queries on PostgreSQL', { skip }, () => {
  let server: PostgresServer
  before(async () => {
    server = await startPostgres()
  })
  const createLocation = () => createStoreLocation(server.url)

  profileLaws(opened(createLocation))
  eventSearchLaws(createLocation)

  // Hooks run in their order: the stores are closed first.
  after(() => server.stop())
})
