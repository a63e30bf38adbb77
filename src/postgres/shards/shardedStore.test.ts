import { after, before, describe } from 'node:test'
import { createSchemas } from '#store/postgres/storeOnSchema.fixture.ts'
import { storeLaws } from '#store/store.suite.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { openShardedOn } from './shardedStore.fixture.ts'

const skip = await skipWithoutPostgres()

describe('a control schema and two event shards', { skip }, () => {
  let server: PostgresServer
  before(async () => {
    server = await startPostgres()
  })
  const schemas = createSchemas(() => server.url)
  storeLaws('shards', async () => {
    const own = [await schemas.take(), await schemas.take(), await schemas.take()]
    return {
      async open() {
        const [control, ...shards] = own.map((each) => each.openDatabase())
        const store = await openShardedOn({ control: control!, shards })
        return {
          ...store,
          async close() {
            await store.close()
            await Promise.all([control!, ...shards].map((each) => each.close()))
          },
        }
      },
      async remove() {
        for (const each of own) await schemas.giveBack(each)
      },
    }
  })
  after(async () => {
    await schemas.close()
    await server.stop()
  })
})
