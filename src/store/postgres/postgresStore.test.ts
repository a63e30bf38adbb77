import { after, before, describe } from 'node:test'
import { accountLaws } from '#store/accounts.suite.ts'
import { policyLaws } from '#store/policy.suite.ts'
import { opened } from '#store/store.suite.ts'
import { tagLaws } from '#store/tag.suite.ts'
import { runLaws } from '#store/webhookRuns.suite.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { createStoreLocation } from './storeOnSchema.fixture.ts'

const skip = await skipWithoutPostgres()

describe('stores on PostgreSQL', { skip }, () => {
  let server: PostgresServer
  before(async () => {
    server = await startPostgres()
  })
  const createLocation = () => createStoreLocation(server.url)

  tagLaws(opened(createLocation))
  accountLaws(createLocation)
  policyLaws(opened(createLocation))
  runLaws(opened(createLocation))

  // Hooks run in their order: the stores are closed first.
  after(() => server.stop())
})
