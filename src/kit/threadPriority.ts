import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** A tenth of what a thread of usual priority gets, while there is not enough for both (Linux, sched(7)). */
const low = 10

/**
 * Lets the threads of usual priority go before the one that calls this. Linux gives every thread a priority of its own; elsewhere
 * nothing is changed, because the priority would be that of the process.
 */
export function lowerThreadPriority(): void {
  try {
    // `<process>/task/<thread>`
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (Number.isInteger(thread) && thread !== process.pid) setPriority(thread, low)
  } catch {
    // a system without /proc, or one that does not let it
  }
}
