import type { Database } from '#postgres/database.ts'
import { repeatUnknown } from '#postgres/repeatWhileAway.ts'
import type { DeliveryQueries } from '#store/deliveryQueries.ts'
import { createLookups } from '#store/sql/lookups.ts'
import { awaitRead } from '#store/sql/read.ts'
import { postgresDialect } from './dialect.ts'
import { storePlanned } from './plannedDeliveries.ts'
import { createRetention } from './retention.ts'
import { createReads } from './statements.ts'

const lookups = createLookups(postgresDialect)

export const createDeliveryQueries = (database: Database): DeliveryQueries => {
  const { sql } = database
  const reads = createReads(sql)
  return {
    repeats: (...args) => awaitRead(lookups.repeats(...args), reads),
    newestEvent: (...args) => awaitRead(lookups.newestEvent(...args), reads),
    exchangePack: (...args) => awaitRead(lookups.exchangePack(...args), reads),
    joins: (...args) => awaitRead(lookups.joins(...args), reads),
    exchangePackRefs: (...args) => awaitRead(lookups.exchangePackRefs(...args), reads),
    async replaceExchangePack(no, sealed) {
      await repeatUnknown(() => sql('UPDATE bodies SET sealed = $1 WHERE no = $2', [sealed, no]))
    },
    async neededPositions(...args) {
      await repeatUnknown(() => storePlanned(sql))
      return awaitRead(lookups.neededPositions(...args), reads)
    },
    ...createRetention(database),
  }
}
