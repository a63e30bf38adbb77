import type { Fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { QueryRefused } from '#kit/queryPool.ts'

const afterMs = 1_000

/** What a caller is told of a query that was not made to its end. */
export function queryFault({ why, limit }: QueryRefused): Fault {
  if (why === 'tooMany') return limitReached('tooManyQueries', limit, { afterMs })
  // One that waited too long for a thread took too long as well.
  return limitReached('queryTooSlow', limit / 1_000, { afterMs })
}
