import type { FromChild } from './frames.ts'
import type { Limits } from './limits.ts'

/** What a run may still have its child say. */
export type RunBudget = {
  /** Whether a frame is within the limits of its run; what it says is counted. */
  allows(said: Exclude<FromChild, { is: 'ready' }>): boolean
}

/**
 * Counts what a child says of one run. The child keeps the same limits and tells the code so; one that passes them runs code
 * that has broken out of its isolate, so nothing it says is trusted any more.
 */
export function openRunBudget({ calls, logBytes, textLength }: Limits): RunBudget {
  let called = 0
  let logged = 0
  return {
    allows(said) {
      if (said.is === 'call') return ++called <= calls && said.args.length <= textLength
      if (said.is !== 'log') return true
      const isWithin = logged < logBytes && said.text.length <= logBytes
      logged += said.text.length + 1
      return isWithin
    },
  }
}
