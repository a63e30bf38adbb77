import { readFileSync } from 'node:fs'

/** Clock ticks of Linux are 10 ms wherever Node runs. */
const tickMs = 10
const pageBytes = 4096

/** What a process has used, seen from outside; undefined where that cannot be seen, or the process is gone. */
export function usageOf(pid: number): { cpuMs: number; residentBytes: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // the second field is the program's name in brackets, which may hold anything
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
      residentBytes: Number(fields[21]) * pageBytes,
    }
  } catch {
    return undefined
  }
}

/** The writable memory that a process has mapped, in use or not: what RLIMIT_DATA bounds. */
export function dataBytesOf(pid: number | 'self'): number | undefined {
  try {
    const [, kilobytes] = /^VmData:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}
