import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

const retryMs = 1_000

/**
 * Retries work that must not be lost, once a second, until it succeeds, because a full disk may recover. `what`
 * completes the log message `could not …`. Resolves to false if the signal was aborted first; the next start then
 * repeats the work.
 */
export async function retryUntilDone(
  what: string,
  work: () => Promise<void>,
  deps: { clock: Clock; log: Log },
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await work()
      return true
    } catch (error) {
      if (signal.aborted) deps.log({ level: 'warn', message: `could not ${what}; the work was stopped`, error })
      else deps.log({ level: 'error', message: `could not ${what}; retrying every second`, error })
    }
    await deps.clock.wait(retryMs, signal)
  }
  return false
}
