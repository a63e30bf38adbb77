import type { AttemptRow, DueDelivery, Settled } from '#store/store.ts'

/** How an attempt ended, before it is put on record. `sent`: a request was made, or would have been outside the sandbox. */
export type Ended = Pick<Settled, 'status' | 'reason' | 'nextAt' | 'free' | 'spoilt' | 'stepResults'> & { sent?: Sent }
export type Sent = Pick<AttemptRow, 'durationMs' | 'httpStatus' | 'message' | 'exchanges' | 'issues'>

/** Making an attempt that throws so often, or so many processes that ended meanwhile, and the event is given up. */
export const poisonTries = 3

export const isPoison = ({ spoilt = 0 }: DueDelivery): boolean => spoilt >= poisonTries
export const poison: Ended = { status: 'dead', reason: 'poison' }
