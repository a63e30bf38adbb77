import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { availableParallelism, cpus, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { median } from './load.ts'

const onPath = (program: string) =>
  ['/usr/sbin', '/usr/local/sbin', ...(process.env.PATH ?? '').split(':')]
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path))

export const nginxPath = () => onPath('nginx')

/** The measured process has the first core for itself; the load and the vendor share the others. */
export const pinnings = { measured: '0', load: availableParallelism() > 1 ? `1-${availableParallelism() - 1}` : '0' }

/** The command prefix that pins a process to its cores; empty if the machine does not support it. */
export const pinned = (to: keyof typeof pinnings): string[] =>
  onPath('taskset') ? ['taskset', '-c', pinnings[to]] : []

/** The median time of one fsync of 4 KiB on the disk of the data directories, in ms. */
function fsyncMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-fsync-'))
  const file = openSync(join(folder, 'file'), 'w')
  const bytes = Buffer.alloc(4096, 1)
  const tookMs = Array.from({ length: 200 }, () => {
    const begun = performance.now()
    writeSync(file, bytes)
    fsyncSync(file)
    return performance.now() - begun
  })
  closeSync(file)
  rmSync(folder, { recursive: true })
  return median(tookMs)
}

const fileSystem = () =>
  execFileSync('df', ['--output=fstype', tmpdir()], { encoding: 'utf8' }).trim().split('\n').at(-1)!

const commit = () => {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return 'unknown'
  }
}

export type Machine = ReturnType<typeof describeMachine>

/** The facts that a figure depends on besides the code. `TMPDIR` chooses the disk. */
export function describeMachine() {
  const fields = [...readFileSync('/proc/cpuinfo', 'utf8').matchAll(/^model name\s*: (.*)$/gm)]
  return {
    cpu: fields[0]?.[1] ?? cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    fileSystem: fileSystem(),
    fsyncMs: Number(fsyncMs().toFixed(2)),
    isPinned: pinned('measured').length > 0,
    commit: commit(),
    at: new Date().toISOString().slice(0, 16),
  }
}

export const machineLine = (machine: Machine) =>
  `${machine.cores} cores of ${machine.cpu}, ${machine.memoryGb} GB, Linux ${machine.kernel}, Node ${machine.node}, ` +
  `${machine.fileSystem} with ${machine.fsyncMs} ms an fsync, ${machine.isPinned ? 'cores assigned' : 'cores shared'}, ` +
  `commit ${machine.commit}, ${machine.at} UTC`
