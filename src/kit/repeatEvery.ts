import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

/**
 * Repeats work until the signal is aborted, with a pause of `everyMs` after each run. An error is logged as `could not
 * <what>`, and the work is repeated.
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
