import { existsSync } from 'node:fs'
import { readFile, readlink, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageFolder, programUrl } from '#kit/ownFiles.ts'
import { type SandboxLimits, sandboxLimits } from './sandboxLimits.ts'

/** The layers that protect the machine from code that has escaped its isolate. */
export type IsolationLayers = {
  /** Node's permission model: no files but the program's own, no child processes, no workers. */
  permission: boolean
  /** A separate network namespace without a network. */
  network: boolean
  /** A separate user, who owns no files and cannot signal other processes. */
  user: boolean
  /** No program that it starts can gain privileges. */
  noNewPrivileges: boolean
  /** The kernel refuses memory beyond a limit, so the limit does not depend on polling. */
  memory: boolean
}

/**
 * The program of a child and its arguments. `n` selects the user of the child. `dataBytes` limits its writable memory,
 * used or not; without it the limit is 16 GiB.
 */
export type ChildCommand = (n: number, dataBytes?: number) => { program: string; args: string[] }

/** The limit that a child gets from its parent; it has the others itself. */
type ChildLimits = Pick<SandboxLimits, 'wallMs'>

const childProgram = fileURLToPath(programUrl('sandbox/child.ts'))
/** The other files that the child loads. Empty if its program is a single file. */
const childSources = ['sandbox', 'contract/jsonOf.ts', 'provider/form/codeSource.ts'].map((path) =>
  join(packageFolder, 'src', path),
)
const firstUser = 210_000
const userCount = 50_000

/** The path of the engine's binary for this machine. Undefined if its package has none. */
export function engineFile(): string | undefined {
  const require = createRequire(import.meta.url)
  const find = (require as unknown as (name: string) => { path(directory: string): string })('node-gyp-build')
  try {
    return find.path(dirname(require.resolve('isolated-vm/package.json')))
  } catch {
    return undefined
  }
}

/** Node and its arguments: the child may read its program, the engine and its own status, nothing else. */
async function buildNodeCommand(engine: string, { wallMs }: ChildLimits): Promise<string[]> {
  const readable = [
    childProgram,
    ...(childProgram.endsWith('.ts') ? childSources : []),
    join(packageFolder, 'package.json'),
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
    childProgram,
    engine,
    `${wallMs}`,
  ]
}

const runAsUser = (n: number) => {
  const user = `${firstUser + (n % userCount)}`
  return ['setpriv', '--reuid', user, '--regid', user, '--clear-groups', '--no-new-privs', '--bounding-set=-all', '--']
}

const unboundedBytes = 2 ** 34
/** The stack of each thread. The default of 8 MB would count as used memory from the start; Node's code needs 1 MB. */
const stackBytes = 2 * 1024 * 1024

/** A child whose memory request is denied aborts. Core dumps are off, because they would contain secrets. */
const withMemoryLimit = (dataBytes = unboundedBytes) => [
  'prlimit',
  `--data=${dataBytes}`,
  `--stack=${stackBytes}`,
  '--core=0',
  '--',
]

/** The baseline after an empty run, the allowed growth, and a stack for each thread that the engine may start. */
export const memoryLimit = (baselineBytes: number, { growthBytes }: SandboxLimits) =>
  baselineBytes + growthBytes + cpus().length * stackBytes

/** Commands that start a child, strongest isolation first. Trying them shows which ones this machine allows. */
export async function childCommands(engine: string, limits: ChildLimits = sandboxLimits): Promise<ChildCommand[]> {
  const node = await buildNodeCommand(engine, limits)
  const isLinux = process.platform === 'linux' && existsSync('/proc/self/ns/net')
  const isolationCommands: ((n: number) => string[])[] = [
    (n) => ['unshare', '--net', '--ipc', '--', ...runAsUser(n)],
    () => ['unshare', '--net', '--ipc', '--', 'setpriv', '--no-new-privs', '--'],
    () => ['unshare', '--user', '--net', '--ipc', '--', 'setpriv', '--no-new-privs', '--'],
    () => ['unshare', '--user', '--net', '--'],
  ]
  const prefixes = (isLinux ? isolationCommands : []).concat(() => [])
  return prefixes.flatMap((prefix) =>
    (isLinux ? [withMemoryLimit, () => []] : [() => []]).map((bound) => (n: number, dataBytes?: number) => {
      const [program, ...args] = [...prefix(n), ...bound(dataBytes), ...node]
      return { program: program!, args }
    }),
  )
}

/** The layers of a running child according to /proc. The child itself reports the permission model when it becomes ready. */
export async function inspectLayers(pid: number): Promise<Omit<IsolationLayers, 'permission'>> {
  const [ownNetwork, childNetwork] = await Promise.all([readLink('/proc/self/ns/net'), readLink(`/proc/${pid}/ns/net`)])
  const [status, bounds] = await Promise.all(
    ['status', 'limits'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
  )
  const user = Number(/^Uid:\s+(\d+)/m.exec(status!)?.[1] ?? -1)
  return {
    network: ownNetwork !== undefined && childNetwork !== undefined && ownNetwork !== childNetwork,
    user: user >= firstUser,
    noNewPrivileges: /^NoNewPrivs:\s+1/m.test(status!),
    memory: /^Max data size\s+\d+/m.test(bounds!),
  }
}

const readLink = (path: string) => readlink(path).catch(() => undefined)

/** Untrusted code requires both: the permission model alone does not restrict the network. */
export const areSufficient = ({ permission, network }: IsolationLayers) => permission && network
