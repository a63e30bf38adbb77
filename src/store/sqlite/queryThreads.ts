import { badRequest } from '#contract/fault.ts'
import { programUrl } from '#kit/ownFiles.ts'
import { openQueryPool } from '#kit/queryPool.ts'
import { openQueryThread } from '#kit/queryThread.ts'
import { type JournalQueries, type QueryLimits, queryNames } from '#store/journalQueries.ts'
import type { QueryAnswer, QueryAsk } from './queries.ts'

/** A team never uses both threads at once. */
const threads = 2
const idleMs = 60_000

/** Runs the queries of a database file in threads, scheduled fairly among teams. */
export function openQueries(path: string, { perTeam, limitMs }: QueryLimits, fold: () => Promise<void>) {
  const program = programUrl('store/sqlite/queries.thread.ts')
  const slots = Array.from({ length: threads }, () =>
    openQueryThread<QueryAsk, QueryAnswer>(program, { path }, limitMs),
  )
  const pool = openQueryPool(slots, { perName: perTeam, waitMs: limitMs, idleMs })

  const queriesOf = (teamId: string): JournalQueries => {
    const ask =
      (name: keyof JournalQueries) =>
      async (...args: readonly unknown[]): Promise<unknown> => {
        // If the disk is full, queries run without the events that have no row yet.
        await fold().catch(() => {})
        const answer = await pool.ask(teamId, { name, args }, name !== 'watch')
        if ('issues' in answer) throw badRequest(...answer.issues)
        return answer.value
      }
    return Object.fromEntries(queryNames.map((name) => [name, ask(name)])) as JournalQueries
  }
  return { queriesOf, close: pool.close }
}
