import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

const againMs = 1_000

/**
 * Does what must not be lost until it is done, once a second, because a full disk has room again some day. False when the
 * signal came before: then it is not done, and the next start makes up for it.
 */
export async function insist(
  what: string,
  work: () => Promise<void>,
  on: { clock: Clock; log: Log },
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await work()
      return true
    } catch (error) {
      on.log({ level: 'error', message: `could not ${what}: it is tried again`, error })
    }
    await on.clock.wait(againMs, signal)
  }
  return false
}
