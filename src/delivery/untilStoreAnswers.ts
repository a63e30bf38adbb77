import { isStoreAway } from '#store/isStoreAway.ts'
import type { RetryDeps } from './resolveEvent.ts'

const retryMs = 1_000

/**
 * Repeats a read once a second while the store is unavailable, because an event must not be given up for an
 * unreadable user. Throws every other error, and the last one when the worker stops. `what` completes the log message
 * `could not …`.
 */
export async function untilStoreAnswers<Result>(
  what: string,
  read: () => Promise<Result>,
  { clock, log, giveUp }: RetryDeps,
): Promise<Result> {
  for (;;)
    try {
      return await read()
    } catch (error) {
      if (!isStoreAway(error) || giveUp.aborted) throw error
      log({ level: 'error', message: `could not ${what}; retrying every second`, error })
      await clock.wait(retryMs, giveUp)
    }
}
