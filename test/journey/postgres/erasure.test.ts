import { after, test } from 'node:test'
import fc from 'fast-check'
import { openAglet } from '../../fake/aglet.ts'
import { cases } from '../../fake/cases.ts'
import { checkHistory, wholeHistory } from '../../fake/erasureLaw.ts'
import { echo, histories } from '../../fake/erasureShop.ts'
import { skipWithoutPostgres, startPostgres } from '../../fake/postgresServer.ts'
import { openVendor } from '../../fake/vendor.ts'

const skip = await skipWithoutPostgres()
const database = skip ? undefined : await startPostgres({ fsync: 'on', synchronous_commit: 'on' })
const vendor = await openVendor(echo, { remember: false })
after(async () => {
  await vendor.close()
  await database?.stop()
})
const server =
  database &&
  (await openAglet('erasure-pg', {
    AGLET_DATABASE_URL: database.url,
    AGLET_ROOT_KEY: 'ab'.repeat(32),
    AGLET_SYNC_STANDBYS: '0',
    AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
    AGLET_VENDORS_URL: vendor.url,
    AGLET_RATE_LIMIT: '1000000',
  }))

test('on PostgreSQL nothing of an erased person is left after any history', { skip }, async () => {
  await checkHistory(server!, vendor, wholeHistory)
  const law = fc.asyncProperty(histories, (history) => checkHistory(server!, vendor, history))
  await fc.assert(law, { numRuns: cases(6, 1), endOnFailure: true })
})
