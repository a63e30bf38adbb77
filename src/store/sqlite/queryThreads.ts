import { badRequest } from '#contract/fault.ts'
import { openQueryPool } from '#kit/queryPool.ts'
import type { Queries, QueryLimits } from '#store/queries.ts'
import type { QueryAnswer, QueryAsk } from './queries.ts'

/** A team never has both. */
const threads = 2
const idleMs = 60_000

/** The queries on a file, each team's in turn. */
export function openQueries(path: string, { perTeam, limitMs }: QueryLimits) {
  const program = new URL('./queries.thread.ts', import.meta.url)
  const options = { threads, perName: perTeam, waitMs: limitMs, limitMs, idleMs }
  const pool = openQueryPool<QueryAsk, QueryAnswer>(program, { path }, options)

  const queriesOf = (teamId: string): Queries => {
    const ask =
      <Name extends keyof Queries>(name: Name, isCounted = true) =>
      async (...args: Parameters<Queries[Name]>): Promise<Awaited<ReturnType<Queries[Name]>>> => {
        const answer = await pool.ask(teamId, { name, args }, isCounted)
        if ('issues' in answer) throw badRequest(...answer.issues)
        return answer.value as Awaited<ReturnType<Queries[Name]>>
      }
    return {
      stats: ask('stats'),
      deliveries: ask('deliveries'),
      events: ask('events'),
      eventsOf: ask('eventsOf'),
      watch: ask('watch', false),
      replayed: ask('replayed'),
    }
  }
  return { queriesOf, close: pool.close }
}
