import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

/**
 * Does work again and again, with a pause of `everyMs` after each, until the signal. `what` completes the log message
 * `could not …` of an error, which ends nothing.
 */
export async function repeatEvery(
  everyMs: number,
  what: string,
  work: () => Promise<unknown>,
  { clock, log }: { clock: Pick<Clock, 'wait'>; log: Log },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch((error) => log({ level: 'error', message: `could not ${what}`, error }))
    await clock.wait(everyMs, signal)
  }
}
