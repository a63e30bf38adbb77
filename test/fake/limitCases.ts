import type { OperationId } from '#contract/operations.ts'
import type { TeamLimits } from '#contract/teamLimits.ts'
import { type Asked, ask, type Control, type Customer, type Told, whileQueriesAre, withLimits } from './control.ts'

/** How the limits of a team are reached. */
export function limitCases(control: Control, customer: Customer) {
  const queriesAre = (why: 'tooMany' | 'tooSlow') => (id: OperationId, asked: Asked) =>
    whileQueriesAre(control, why, () => ask(control, id, customer, asked))
  return {
    /** Asked a second time of a team that may have one. */
    oneMore: (limit: keyof TeamLimits, asks: () => Promise<Told>) => async () => {
      await asks()
      return withLimits(control, { [limit]: 1 }, asks)
    },
    queryFaults: { tooManyQueries: queriesAre('tooMany'), queryTooSlow: queriesAre('tooSlow') },
  }
}
