import type { Clock } from './clock.ts'

/** Lets all others of this thread have a turn. */
export const breath = () => new Promise<void>((resolve) => setImmediate(resolve))

/** How long a loop may hold up everything else on its thread. */
const mostMs = 2

/**
 * For a loop that awaits only what is at hand, which lets nobody else have a turn: awaited between its steps, it gives the others
 * one whenever the loop has gone on for some milliseconds.
 */
export function breathing({ now }: Pick<Clock, 'now'>): () => Promise<void> | undefined {
  let since = now()
  return () => {
    const passedMs = now() - since
    if (passedMs >= 0 && passedMs < mostMs) return undefined
    return breath().then(() => {
      since = now()
    })
  }
}
