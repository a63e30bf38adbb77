import { readdirSync, readFileSync } from 'node:fs'

const usPerTick = 10_000 // the clock of /proc has 100 ticks a second

const statOf = (pid: string) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
const parentOf = (pid: string) => Number(statOf(pid)[1])
const commandOf = (pid: string) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')
/** User and system time: of the process, and of its ended children. */
const ticksOf = (pid: string, fields: readonly number[]) =>
  fields.reduce((sum, field) => sum + Number(statOf(pid)[field]), 0)
const own = [11, 12]
const withEnded = [11, 12, 13, 14]

/** A value that is read from a process; undefined if the process has ended. */
const read = <Value>(of: (pid: string) => Value, pid: string): Value | undefined => {
  try {
    return of(pid)
  } catch {
    return undefined
  }
}

/** The CPU time of the PostgreSQL server on this port and of its processes, in µs. */
export function postgresCpuUs(port: number): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const main = pids.find((pid) => read(commandOf, pid)?.includes(`port=${port}\0`))
  if (main === undefined) throw new Error(`No PostgreSQL server with port=${port} is running.`)
  const children = pids.filter((pid) => read(parentOf, pid) === Number(main))
  const ticks = children.reduce((sum, pid) => sum + (read((each) => ticksOf(each, own), pid) ?? 0), 0)
  return (ticks + ticksOf(main, withEnded)) * usPerTick
}

/** The CPU time of processes of this machine, in µs. Ended processes count as zero. */
export const processesCpuUs = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + (read((each) => ticksOf(each, own), String(pid)) ?? 0), 0) * usPerTick
