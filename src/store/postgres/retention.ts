import type { Database } from '#postgres/database.ts'
import { repeatUnknown } from '#postgres/repeatWhileAway.ts'
import type { DeliveryQueries } from '#store/deliveryQueries.ts'
import { countTableNames } from '#store/sql/countTables.ts'
import { createDropExpired } from '#store/sql/retention.ts'
import { postgresDialect } from './dialect.ts'
import { dropLeftTag } from './droppedTags.ts'
import { dropEvents } from './eventRetention.ts'
import { createReads, runStatements } from './statements.ts'

const keptTables = ['event', 'bodies', 'deployment', 'event_repeat', 'dropped_tag', ...countTableNames]
const nextTag = `SELECT min(tag) AS tag FROM (${keptTables
  .map((table) => `(SELECT tag FROM ${table} WHERE tag > $1 ORDER BY tag LIMIT 1)`)
  .join(' UNION ALL ')}) AS kept`

export const createRetention = (database: Database): Pick<DeliveryQueries, 'dropExpired' | 'nextKeptTag'> => ({
  dropExpired: createDropExpired(postgresDialect, {
    reads: createReads(database.sql),
    write: (statements) => repeatUnknown(() => database.transaction((sql) => runStatements(sql, statements))),
    dropEvents: dropEvents(database),
    more: [dropLeftTag(database)],
  }),
  async nextKeptTag(after) {
    const [next] = await database.sql<{ tag: string | null }>(nextTag, [after])
    return next?.tag ?? undefined
  },
})
