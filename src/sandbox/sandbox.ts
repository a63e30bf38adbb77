import { type RunEnding, SandboxProcess } from './childProcess.ts'
import {
  areSufficient,
  type ChildCommand,
  childCommands,
  engineFile,
  type IsolationLayers,
  inspectLayers,
  memoryLimit,
} from './isolationLayers.ts'
import type { FetchRequest, FetchResponse, Job, RunResult } from './job.ts'
import { ProcessPool } from './processPool.ts'
import { readDataBytes } from './processUsage.ts'
import { type SandboxLimits, sandboxLimits as usualLimits } from './sandboxLimits.ts'

export type SandboxOptions = {
  fetch(request: FetchRequest): Promise<FetchResponse>
  /** Run untrusted code even when isolation layers are missing (AGLET_ACCEPT_WEAK_SANDBOX). */
  acceptWeak: boolean
  limits?: Partial<SandboxLimits>
  /** Commands that start a child, strongest isolation first. Default: the commands of `isolationLayers.ts`. */
  commands?: typeof childCommands
}

/** Runs customers' code. `run` never throws for an error of the code. */
export type Sandbox = {
  run(job: Job): Promise<RunResult>
  /** The isolation layers of this machine, and the reason if code does not run. */
  state: SandboxState
  /** Kills every child. */
  close(): Promise<void>
}
export type SandboxState = { layers: IsolationLayers; off?: string }

const noLayers: IsolationLayers = {
  permission: false,
  network: false,
  user: false,
  noNewPrivileges: false,
  memory: false,
}

const emptyRun = { key: '', code: 'async process() {}', name: 'process', resultKind: 'value' } as const

/** The writable memory of a child after a run of an empty function. */
async function readBaselineBytes(process: SandboxProcess): Promise<number | undefined> {
  const call = () => Promise.reject(new Error('an empty run makes no calls'))
  const ended = await new Promise<RunEnding>((end) => process.run(emptyRun, [], '{}', { log: () => {}, call, end }))
  return 'result' in ended ? readDataBytes(process.pid!) : undefined
}

/** The first command that starts a child on this machine, and its isolation layers. */
async function findCommand(
  limits: SandboxLimits,
  commands: typeof childCommands,
): Promise<{ command: ChildCommand; layers: IsolationLayers } | undefined> {
  const engine = engineFile()
  if (!engine) return undefined
  for (const command of await commands(engine, limits)) {
    const process = new SandboxProcess(command(0), limits)
    const isUp = await process.waitUntilReady()
    const layers = isUp ? { permission: process.hasPermissionModel, ...(await inspectLayers(process.pid!)) } : noLayers
    const baseline = layers.memory ? await readBaselineBytes(process) : undefined
    process.kill('died')
    await process.ended
    if (baseline !== undefined) return { command: (n) => command(n, memoryLimit(baseline, limits)), layers }
    if (isUp && !layers.memory) return { command, layers }
  }
  return undefined
}

function toSandboxState(found: { layers: IsolationLayers } | undefined, acceptWeak: boolean): SandboxState {
  if (!found) return { layers: noLayers, off: 'The engine that isolates code does not start on this machine.' }
  const { layers } = found
  if (areSufficient(layers) || acceptWeak) return { layers }
  const off =
    'Customers’ code is off, because its network access cannot be blocked here (unshare --net is not allowed). Run as root, allow user namespaces, or accept the risk with AGLET_ACCEPT_WEAK_SANDBOX=1.'
  return { layers, off }
}

/** The state as text for the operator. */
export function describeState({ layers, off }: SandboxState): string {
  if (off) return `off: ${off}`
  const names = {
    permission: 'no files',
    network: 'no network',
    user: 'a separate user',
    noNewPrivileges: 'no new privileges',
    memory: 'a memory limit',
  }
  const namesOf = (isPresent: boolean) =>
    Object.entries(names).flatMap(([layer, name]) => (layers[layer as keyof typeof layers] === isPresent ? name : []))
  const missing = namesOf(false)
  return `ok: ${namesOf(true).join(', ')}${missing.length > 0 ? `; missing: ${missing.join(', ')}` : ''}`
}

/** Tests which isolation layers this machine allows by starting a child. `open` opens the pool of children. */
export async function probeSandbox(options: SandboxOptions): Promise<{ state: SandboxState; open(): Sandbox }> {
  const limits = { ...usualLimits, ...options.limits }
  const found = await findCommand(limits, options.commands ?? childCommands)
  const state = toSandboxState(found, options.acceptWeak)
  const open = (): Sandbox => {
    if (!found || state.off) return disabledSandbox(state)
    const pool = new ProcessPool(found.command, limits, options.fetch)
    return { state, run: (job) => pool.run(job), close: () => pool.close() }
  }
  return { state, open }
}

const disabledSandbox = (state: SandboxState): Sandbox => ({
  state,
  run: async () => ({ notRun: 'off', message: state.off!, logs: [] }),
  close: async () => {},
})

/** Probes and opens the sandbox at once. */
export const openSandbox = async (options: SandboxOptions): Promise<Sandbox> => (await probeSandbox(options)).open()
