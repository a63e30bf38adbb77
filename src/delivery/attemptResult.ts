import type { AttemptRecord, DeliveryOutcome, DueDelivery } from '#store/store.ts'

/**
 * The result of an attempt. `sent` is set if a request was made, or would have been made outside the sandbox
 * environment.
 */
export type AttemptResult = Pick<
  DeliveryOutcome,
  'status' | 'reason' | 'nextAt' | 'isUncounted' | 'isCrash' | 'stepResults'
> & { sent?: AttemptDetails }
export type AttemptDetails = Pick<AttemptRecord, 'durationMs' | 'httpStatus' | 'message' | 'exchanges' | 'issues'>

/** After this many attempts that threw, the delivery is dead: `poison`. */
export const poisonTries = 3
/**
 * A delivery is also dead after this many attempts during which the process ended. The limit is higher because a
 * process may end for other reasons.
 */
const poisonCrashes = 5

export const isPoison = ({ crashCount = 0 }: DueDelivery): boolean => crashCount >= poisonCrashes
export const poisonResult: AttemptResult = { status: 'dead', reason: 'poison' }
