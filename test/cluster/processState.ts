import { readFileSync } from 'node:fs'

/** Whether a process is gone, or is a zombie that its parent has not reaped. */
export function hasEnded(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}
