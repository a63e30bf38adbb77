import type { Log } from './log.ts'

/** Runs work that is repeated. Logs one line when it begins to fail and one when it succeeds again. Does not reject. */
export function logFailureOnce(log: Log, messages: { failed: string; again: string }) {
  let isFailing = false
  return async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
      if (isFailing) log({ message: messages.again })
      isFailing = false
    } catch (error) {
      if (!isFailing) log({ level: 'error', message: messages.failed, error })
      isFailing = true
    }
  }
}
