import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** A process of the cluster, in its own session, so that Ctrl-C only reaches the script. */
export type ClusterProcess = { name: string; pid: number; hasEnded(): boolean; ended: Promise<void> }

export type StartProcess = {
  name: string
  command: string
  args: readonly string[]
  environment?: Readonly<Record<string, string>>
}

/** The folder of one cluster: data, logs, and the ids of its processes. */
export type ClusterFolder = {
  path: string
  /** Creates a subfolder that only its owner can read. */
  folder(name: string): string
  /** Starts a process, whose output goes to `<name>.log`. */
  start(process: StartProcess): ClusterProcess
  /** Ends all processes and deletes the folder. */
  remove(): Promise<void>
}

const pidsFile = 'pids'
const markFile = 'aglet-cluster'
const stopMs = 5_000

/** Creates a folder, or accepts an empty one. Throws an Error for any other. */
function makeFolder(path: string | undefined): string {
  if (path === undefined) return mkdtempSync(join(tmpdir(), 'aglet-cluster-'))
  if (existsSync(path) && readdirSync(path).length > 0)
    throw new Error(`${path} is not empty. Remove an earlier cluster with: npm run cluster -- --down --data ${path}`)
  mkdirSync(path, { recursive: true })
  return path
}

/**
 * Opens the folder, and starts a guard: a process that ends everything and deletes the folder if this process ends without
 * doing so.
 */
export function openClusterFolder(wanted?: string): ClusterFolder {
  const path = makeFolder(wanted)
  chmodSync(path, 0o755) // the database's user reads its part of it
  appendFileSync(join(path, markFile), '')
  const guard = startGuard(path)
  const removeAtExit = () => guard.stdin?.destroy()
  process.once('exit', removeAtExit)
  return {
    path,
    folder(name) {
      const made = join(path, name)
      mkdirSync(made, { mode: 0o700 })
      return made
    },
    start: (each) => startProcess(path, each),
    async remove() {
      await takeDown(path)
      guard.stdin?.destroy()
      process.removeListener('exit', removeAtExit)
    },
  }
}

/** The guard waits for the end of its standard input, which ends with this process. */
function startGuard(path: string): ChildProcess {
  const script = join(import.meta.dirname, '../cluster.ts')
  const guard = spawn('sh', ['-c', 'cat; exec "$@"', 'sh', process.execPath, script, '--down', '--data', path], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  ;(guard.stdin as unknown as { unref(): void }).unref()
  return guard
}

function startProcess(path: string, { name, command, args, environment = {} }: StartProcess): ClusterProcess {
  const log = openSync(join(path, `${name}.log`), 'a', 0o600)
  const child = spawn(command, args, {
    detached: true,
    cwd: '/',
    stdio: ['ignore', log, log],
    env: { ...process.env, ...environment },
  })
  const ended = once(child, 'exit').then(() => {})
  if (child.pid === undefined) throw new Error(`${command} cannot be started.`)
  appendFileSync(join(path, pidsFile), `${child.pid}\n`)
  return { name, pid: child.pid, hasEnded: () => child.exitCode !== null || child.signalCode !== null, ended }
}

const read = (file: string) => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Process ids from files. */
const pidsIn = (files: readonly string[]) => files.map((file) => Number(read(file).split('\n')[0]))

/** Those of these processes that are alive and belong to the folder. An id may meanwhile belong to another process. */
const living = (path: string, pids: readonly number[]) =>
  [...new Set(pids)].filter(
    (pid) => pid > 1 && read(`/proc/${pid}/cmdline`).includes(path) && !/\) Z /.test(read(`/proc/${pid}/stat`)),
  )

const serversOf = (path: string) => living(path, pidsIn(globSync(join(path, '*/**/postmaster.pid'))))
const startedBy = (path: string) => living(path, read(join(path, pidsFile)).split('\n').map(Number))

/** Waits until `find` finds no process, for at most `withinMs`. */
async function untilEnded(find: () => readonly number[], withinMs: number): Promise<void> {
  for (const giveUpAt = performance.now() + withinMs; find().length > 0 && performance.now() < giveUpAt; )
    await setTimeout(20)
}

const mountsBelow = (path: string) =>
  read('/proc/mounts')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((mounted) => mounted.startsWith(`${path}/`))

/**
 * Ends the processes of a cluster's folder, and deletes it. Patroni ends first, because it would restart its server. A
 * server that shuts down normally releases its shared memory.
 */
export async function takeDown(path: string): Promise<void> {
  if (!existsSync(join(path, markFile))) return
  const all = () => [...startedBy(path), ...serversOf(path)]
  // A server that was started without Patroni also shuts down normally.
  for (const pid of startedBy(path).filter((each) => !serversOf(path).includes(each))) send(pid, 'SIGKILL')
  for (const pid of serversOf(path).flatMap(withChildren)) send(pid, 'SIGCONT')
  for (const pid of serversOf(path)) send(pid, 'SIGQUIT')
  await untilEnded(all, stopMs)
  for (const pid of all().flatMap(withChildren)) send(pid, 'SIGKILL')
  await untilEnded(all, stopMs)
  for (const mounted of mountsBelow(path)) execFileSync('umount', ['--lazy', mounted])
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

/** Sends a signal; ignores a process that has ended. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** A process and all its descendants. */
export function withChildren(pid: number): number[] {
  const children = globSync(`/proc/${pid}/task/*/children`).flatMap((file) => read(file).trim().split(' '))
  return [pid, ...children.filter((each) => each !== '').flatMap((each) => withChildren(Number(each)))]
}
