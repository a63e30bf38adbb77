import { existsSync } from 'node:fs'
import { readFile, readlink, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Limits } from './limits.ts'

/** What stands between a customer's code, should it ever break out of its isolate, and the machine. */
export type Walls = {
  /** Node's permission model: no files but the program's own, no child processes, no workers. */
  permission: boolean
  /** A network namespace of its own, without a network. */
  network: boolean
  /** A user of its own, who owns nothing and can signal nobody. */
  user: boolean
  /** Nothing that it could start would have more rights. */
  noNewPrivileges: boolean
  /** The kernel refuses it memory beyond a bound, however late anybody looks. */
  memory: boolean
}

/**
 * A program and its arguments, the child's own included. `n` gives each child a user of its own. `dataBytes` bounds its
 * writable memory, in use or not; without it the bound is far off.
 */
export type Command = (n: number, dataBytes?: number) => { program: string; args: string[] }

const here = dirname(fileURLToPath(import.meta.url))
const app = join(here, '../..')
const firstUser = 210_000
const users = 50_000

/** The engine's binary for this machine; undefined where its package holds none. */
export function engineFile(): string | undefined {
  const ours = createRequire(import.meta.url)
  const find = (ours as unknown as (name: string) => { path(directory: string): string })('node-gyp-build')
  try {
    return find.path(dirname(ours.resolve('isolated-vm/package.json')))
  } catch {
    return undefined
  }
}

/** What Node itself is told: the child reads its own program, the engine and how much memory it has, nothing else. */
async function nodeCommand(engine: string): Promise<string[]> {
  const readable = [
    here,
    join(here, '../provider/form/codeSource.ts'),
    join(app, 'package.json'),
    engine,
    '/proc/self/status',
  ]
  return [
    await realpath(process.execPath),
    '--permission',
    '--allow-addons',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    '--no-node-snapshot',
    '--max-old-space-size=48',
    '--max-semi-space-size=1',
    '--v8-pool-size=1',
    join(here, 'child.ts'),
    engine,
  ]
}

const asUser = (n: number) => {
  const user = `${firstUser + (n % users)}`
  return ['setpriv', '--reuid', user, '--regid', user, '--clear-groups', '--no-new-privs', '--bounding-set=-all', '--']
}

const farBytes = 2 ** 34
/** Of each thread. The usual 8 MB count as used from the start; Node's own code asks for one. */
const stackBytes = 2 * 1024 * 1024

/** A child that is refused memory aborts: its memory, secrets and all, must not be kept in a file. */
const bounded = (dataBytes = farBytes) => ['prlimit', `--data=${dataBytes}`, `--stack=${stackBytes}`, '--core=0', '--']

/** Above what it has used after an empty run. The engine may start a thread for each processor, and one more. */
export const boundOf = (usualBytes: number, { growthBytes }: Limits) =>
  usualBytes + growthBytes + cpus().length * stackBytes

/** Ways to start a child, the strongest first; which of them this machine allows is found by trying. */
export async function commands(engine: string): Promise<Command[]> {
  const node = await nodeCommand(engine)
  const isLinux = process.platform === 'linux' && existsSync('/proc/self/ns/net')
  const ways: ((n: number) => string[])[] = [
    (n) => ['unshare', '--net', '--ipc', '--', ...asUser(n)],
    () => ['unshare', '--net', '--ipc', '--', 'setpriv', '--no-new-privs', '--'],
    () => ['unshare', '--user', '--net', '--ipc', '--', 'setpriv', '--no-new-privs', '--'],
    () => ['unshare', '--user', '--net', '--'],
  ]
  const behind = (isLinux ? ways : []).concat(() => [])
  return behind.flatMap((way) =>
    (isLinux ? [bounded, () => []] : [() => []]).map((bound) => (n: number, dataBytes?: number) => {
      const [program, ...args] = [...way(n), ...bound(dataBytes), ...node]
      return { program: program!, args }
    }),
  )
}

/** The walls around a child that runs, seen from outside. */
export async function wallsOf(pid: number): Promise<Walls> {
  const [ours, its] = await Promise.all([linkOf('/proc/self/ns/net'), linkOf(`/proc/${pid}/ns/net`)])
  const [status, bounds] = await Promise.all(
    ['status', 'limits'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
  )
  const user = Number(/^Uid:\s+(\d+)/m.exec(status!)?.[1] ?? -1)
  return {
    permission: true,
    network: ours !== undefined && its !== undefined && ours !== its,
    user: user >= firstUser,
    noNewPrivileges: /^NoNewPrivs:\s+1/m.test(status!),
    memory: /^Max data size\s+\d+/m.test(bounds!),
  }
}

const linkOf = (path: string) => readlink(path).catch(() => undefined)

/** Untrusted code needs both: the permission model alone leaves the network open. */
export const areStrong = ({ permission, network }: Walls) => permission && network
