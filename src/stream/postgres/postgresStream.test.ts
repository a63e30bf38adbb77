import { randomBytes } from 'node:crypto'
import { after, before, describe } from 'node:test'
import { openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import { streamLaws } from '#stream/stream.suite.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { openPostgresStream } from './postgresStream.ts'

const skip = await skipWithoutPostgres()

describe('PostgreSQL', { skip }, () => {
  let server: PostgresServer
  before(async () => {
    server = await startPostgres()
  })
  after(() => server.stop())

  streamLaws('PostgreSQL', async () => {
    const schema = `stream_${randomBytes(6).toString('hex')}`
    const database = openDatabase({ url: server.url, schema, connections: 3 })
    await migrate(database)
    return {
      open: (clock) => openPostgresStream({ database, clock }),
      async remove() {
        await database.sql(`DROP SCHEMA ${schema} CASCADE`)
        await database.close()
      },
    }
  })
})
