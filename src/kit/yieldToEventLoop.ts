import type { Clock } from './clock.ts'

/** Lets other tasks of this thread run. */
export const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The maximum time that a loop blocks its thread. */
const maxBlockMs = 2

/**
 * For a long loop whose awaits resolve without leaving the microtask queue, so that it blocks its thread. Await the
 * returned function between its steps: it yields to the event loop when the loop has run for 2 ms.
 */
export function periodicYield({ now }: Pick<Clock, 'now'>): () => Promise<void> | undefined {
  let since = now()
  return () => {
    const passedMs = now() - since
    if (passedMs >= 0 && passedMs < maxBlockMs) return undefined
    return yieldToEventLoop().then(() => {
      since = now()
    })
  }
}
