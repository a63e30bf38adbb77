import { Fault } from '#contract/fault.ts'
import type { Status } from '#contract/outcome.ts'
import type { Issue } from '#contract/schema.ts'
import type { Queries } from '#store/queries.ts'
import { statsOf } from './counts.ts'
import { findDeliveries } from './deliveries.ts'
import { eventsOfUser, listEvents } from './events.ts'
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
  events: (tagId, page) => listEvents(read, tagId, page),
  eventsOf: (tagId, userId, page) => eventsOfUser(read, tagId, userId, page),
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
