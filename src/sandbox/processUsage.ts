import { readFileSync } from 'node:fs'

/** One clock tick of Linux: 10 ms on every platform that Node supports. */
const tickMs = 10
const pageBytes = 4096

/** CPU time and resident memory of a process from /proc. Undefined without /proc, or if the process has ended. */
export function readProcessUsage(pid: number): { cpuMs: number; residentBytes: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the program's name in parentheses, which may contain any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
      residentBytes: Number(fields[21]) * pageBytes,
    }
  } catch {
    return undefined
  }
}

/** The writable memory that a process has mapped, used or not. RLIMIT_DATA limits it. */
export function readDataBytes(pid: number | 'self'): number | undefined {
  try {
    const [, kilobytes] = /^VmData:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}
