import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Where it is there the kernel's bound on memory must stand, and nothing of it may be skipped. */
export const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0

/** The most memory that a child of this process which is alive has ever had, bytes. */
export function peakOfChildren(): number {
  const pids = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  const peaks = pids.map((pid) => {
    try {
      return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
    } catch {
      return 0 // it has ended meanwhile
    }
  })
  return Math.max(0, ...peaks)
}
