import type { ChildMessage } from './frames.ts'
import type { SandboxLimits } from './sandboxLimits.ts'

/** The messages that the child may still send for a run. */
export type RunBudget = {
  /** Counts a message and returns whether it is within the limits of the run. */
  allows(message: Exclude<ChildMessage, { is: 'ready' }>): boolean
}

/**
 * Counts the messages of one run. The child enforces the same limits on the code. If a child exceeds them, its code has
 * escaped the isolate, and the child is no longer trusted.
 */
export function openRunBudget({ calls, logBytes, textLength, callLength }: SandboxLimits): RunBudget {
  let callCount = 0
  let loggedBytes = 0
  return {
    allows(message) {
      const longest = message.is === 'call' && message.name === 'fetch' ? textLength : callLength
      if (message.is === 'call') return ++callCount <= calls && message.args.length <= longest
      if (message.is !== 'log') return true
      const isWithin = loggedBytes < logBytes && message.text.length <= logBytes
      loggedBytes += message.text.length + 1
      return isWithin
    },
  }
}
