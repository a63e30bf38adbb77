import { badRequest, Fault } from '#contract/fault.ts'
import type { Status } from '#contract/outcome.ts'
import type { Issue } from '#contract/schema.ts'
import { openQueryPool } from '#kit/queryPool.ts'
import type { Queries, QueryLimits } from '#store/queries.ts'
import { statsOf } from './counts.ts'
import { findDeliveries } from './deliveries.ts'
import type { Read } from './read.ts'
import { watchedOf } from './watch.ts'

const standing = `
  SELECT ref.id AS script, status, count FROM (
    SELECT script, status, count(*) AS count FROM delivery
    WHERE replay = (SELECT no FROM replay WHERE id = ?) GROUP BY status, script
  ) JOIN ref ON ref.no = script`

function standingOfReplay(read: Read, replayId: string): Record<string, Partial<Record<Status, number>>> {
  const counts: Record<string, Partial<Record<Status, number>>> = {}
  for (const { script, status, count } of read.all(standing, replayId))
    counts[String(script)] = { ...counts[String(script)], [String(status)]: Number(count) }
  return counts
}

type Answers = { [Name in keyof Queries]: (...args: Parameters<Queries[Name]>) => Awaited<ReturnType<Queries[Name]>> }

/** How each query is answered on a connection. */
const answersOf = (read: Read): Answers => ({
  stats: (tagId, asked) => statsOf(read, tagId, asked),
  deliveries: (tagId, filter, page) => findDeliveries(read, tagId, filter, page),
  watch: (tagId, asked) => watchedOf(read, tagId, asked),
  replayed: (replayIds) => replayIds.map((replayId) => standingOfReplay(read, replayId)),
})

export type QueryAsk = { name: keyof Queries; args: readonly unknown[] }
/** A bad cursor is the caller's: an error would lose its issues between threads. */
export type QueryAnswer = { value: unknown } | { issues: readonly Issue[] }

/** Answers queries in their thread. */
export function answering(read: Read): (ask: QueryAsk) => QueryAnswer {
  const answers = answersOf(read) as Record<keyof Queries, (...args: readonly unknown[]) => unknown>
  return ({ name, args }) => {
    try {
      return { value: answers[name](...args) }
    } catch (problem) {
      const issues = problem instanceof Fault ? problem.attributes?.issues : undefined
      if (!issues) throw problem
      return { issues: issues as readonly Issue[] }
    }
  }
}

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
      watch: ask('watch', false),
      replayed: ask('replayed'),
    }
  }
  return { queriesOf, close: pool.close }
}
