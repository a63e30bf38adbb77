import type { Clock } from '#kit/clock.ts'

/** npm hands a signal on that the terminal has already sent to the whole group: two so close are one. */
const sameSignalMs = 1_000

/** Resolves at the first SIGINT or SIGTERM. A second one, later, ends the process at once. */
export function untilStopped(process: NodeJS.Process, clock: Pick<Clock, 'now'>): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    const stop = () => {
      if (firstAt !== undefined && clock.now() - firstAt > sameSignalMs) process.exit(1)
      firstAt ??= clock.now()
      resolve()
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}
