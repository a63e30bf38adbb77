import { after, before, describe } from 'node:test'
import { streamLaws } from '#stream/stream.suite.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { openPostgresStream } from './postgresStream.ts'
import { createStreamSchemas } from './streamOnSchema.fixture.ts'

const skip = await skipWithoutPostgres()

describe('streams in schemas of one server', { skip }, () => {
  let server: PostgresServer
  const schemas = createStreamSchemas(() => server.url)
  before(async () => {
    server = await startPostgres()
  })
  after(async () => {
    await schemas.close()
    await server.stop()
  })

  streamLaws('PostgreSQL', async () => {
    const database = await schemas.create()
    return {
      // The last shard has the largest positions. Other tests use the first one.
      open: (clock) => openPostgresStream({ database, clock, shard: 63 }),
      remove: () => schemas.remove(database),
    }
  })
})
