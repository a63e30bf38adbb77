import type { Clock } from './clock.ts'

/** Lets other tasks of this thread run. */
export const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * For a long loop whose awaits resolve without leaving the microtask queue, so that it blocks its thread. Await the
 * returned function between its steps: it yields to the event loop when the loop has run for `maxBlockMs`.
 */
export function periodicYield({ now }: Pick<Clock, 'now'>, maxBlockMs = 2): () => Promise<void> | undefined {
  let since = now()
  return () => {
    const passedMs = now() - since
    if (passedMs >= 0 && passedMs < maxBlockMs) return undefined
    return yieldToEventLoop().then(() => {
      since = now()
    })
  }
}

/**
 * Planning and sending yield less often than other loops. While more events arrive than are delivered, more of them are
 * then planned and written together, and fewer wait in memory.
 */
export const yieldFromDelivery = (clock: Pick<Clock, 'now'>) => periodicYield(clock, 5)
