import { readFileSync } from 'node:fs'

/** Whether a process is gone, or has ended and its parent has not heard of it. */
export function hasEnded(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}
