import type { OperationId } from '#contract/operations.ts'
import type { TeamLimits } from '#settings/teamLimits.ts'
import {
  type ControlAnswer,
  type ControlRequest,
  type Customer,
  callControl,
  type TestControl,
  whileQueriesAre,
  withLimits,
} from './testControl.ts'

/** Requests that reach the limits of a team. */
export function limitCases(control: TestControl, customer: Customer) {
  const queriesAre = (why: 'tooMany' | 'tooSlow') => (id: OperationId, asked: ControlRequest) =>
    whileQueriesAre(control, why, () => callControl(control, id, customer, asked))
  return {
    /** A second request of a team with a limit of one. */
    oneMore: (limit: keyof TeamLimits, asks: () => Promise<ControlAnswer>) => async () => {
      await asks()
      return withLimits(control, { [limit]: 1 }, asks)
    },
    queryFaults: { tooManyQueries: queriesAre('tooMany'), queryTooSlow: queriesAre('tooSlow') },
  }
}
