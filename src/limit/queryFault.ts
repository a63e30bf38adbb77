import type { Fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { QueryRefused } from '#kit/queryPool.ts'

const afterMs = 1_000

/** The fault for a query that was refused or aborted. */
export function toQueryFault({ why, limit }: QueryRefused): Fault {
  if (why === 'tooMany') return limitReached('tooManyQueries', limit, { afterMs })
  // A query that waited too long for a thread gets the same fault as a slow query.
  return limitReached('queryTooSlow', limit / 1_000, { afterMs })
}
