import type { Clock } from '#kit/clock.ts'

/** npm forwards a signal that the terminal already sent to the process group: two within this time count as one. */
const duplicateSignalMs = 1_000

/** Resolves at the first SIGINT or SIGTERM. A second one after that time ends the process at once. */
export function waitForStopSignal(process: NodeJS.Process, clock: Pick<Clock, 'now'>): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    const stop = () => {
      if (firstAt !== undefined && clock.now() - firstAt > duplicateSignalMs) process.exit(1)
      firstAt ??= clock.now()
      resolve()
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}
