import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** The nice value. A thread at 10 gets a tenth of the CPU time of a thread at 0 under contention (Linux, sched(7)). */
const lowPriority = 10

/**
 * Lowers the CPU priority of the calling thread. Only on Linux, where each thread has its own priority; on other
 * systems it would change that of the process.
 */
export function lowerThreadPriority(): void {
  try {
    // `<process>/task/<thread>`
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (Number.isInteger(thread) && thread !== process.pid) setPriority(thread, lowPriority)
  } catch {
    // a system without /proc, or without the permission
  }
}
