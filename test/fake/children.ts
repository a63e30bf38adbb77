import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether prlimit exists: then the kernel's memory limit must be enforced, and its tests are not skipped. */
export const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0

/** The highest peak memory of the running children of this process, in bytes. */
export function peakOfChildren(): number {
  const pids = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  const peaks = pids.map((pid) => {
    try {
      return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
    } catch {
      return 0 // the child has ended
    }
  })
  return Math.max(0, ...peaks)
}
