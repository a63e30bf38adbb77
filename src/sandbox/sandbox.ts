import { Cell, type Ending } from './cell.ts'
import type { FetchAnswer, FetchRequest, Job, Ran } from './job.ts'
import { type Limits, limits as usualLimits } from './limits.ts'
import { Pool } from './pool.ts'
import { dataBytesOf } from './usage.ts'
import { areStrong, boundOf, type Command, commands, engineFile, type Walls, wallsOf } from './walls.ts'

export type SandboxOptions = {
  fetch(request: FetchRequest): Promise<FetchAnswer>
  /** Run untrusted code even where its walls cannot all be built (AGLET_ACCEPT_WEAK_SANDBOX). */
  acceptWeak: boolean
  limits?: Partial<Limits>
  /** Ways to start a child, the strongest first: those of `walls.ts`, unless it is said. */
  ways?: typeof commands
}

/** Where customers' code runs: `run` never throws for what the code does. */
export type Sandbox = {
  run(job: Job): Promise<Ran>
  /** The walls that stand here, and why nothing runs where that is so. */
  state: SandboxState
  /** Kills every child. */
  close(): Promise<void>
}
export type SandboxState = { walls: Walls; off?: string }

const noWalls: Walls = { permission: false, network: false, user: false, noNewPrivileges: false, memory: false }

const empty = { key: '', code: 'async process() {}', name: 'process', shape: 'value' } as const

/** The writable memory of a child that has run a function which does nothing. */
async function usualBytes(cell: Cell): Promise<number | undefined> {
  const call = () => Promise.reject(new Error('nothing is called'))
  const ended = await new Promise<Ending>((end) => cell.run(empty, [], '{}', { log: () => {}, call, end }))
  return 'result' in ended ? dataBytesOf(cell.pid!) : undefined
}

/** The first of the ways to start a child that works here, and the walls that it builds. */
async function findWay(limits: Limits, ways: typeof commands): Promise<{ command: Command; walls: Walls } | undefined> {
  const engine = engineFile()
  if (!engine) return undefined
  for (const command of await ways(engine)) {
    const cell = new Cell(command(0), limits)
    const isUp = await cell.isReady()
    const walls = isUp ? await wallsOf(cell.pid!) : noWalls
    const usual = walls.memory ? await usualBytes(cell) : undefined
    cell.kill('died')
    await cell.ended
    if (usual !== undefined) return { command: (n) => command(n, boundOf(usual, limits)), walls }
    if (isUp && !walls.memory) return { command, walls }
  }
  return undefined
}

function stateOf(found: { walls: Walls } | undefined, acceptWeak: boolean): SandboxState {
  if (!found) return { walls: noWalls, off: 'The engine that isolates code does not start on this machine.' }
  const { walls } = found
  if (areStrong(walls) || acceptWeak) return { walls }
  const off =
    'Customers’ code is off: it cannot be kept from the network here (unshare --net is not allowed). Run as root or allow user namespaces; or accept it with AGLET_ACCEPT_WEAK_SANDBOX=1.'
  return { walls, off }
}

/** The state in words, for who looks after the server. */
export function tellState({ walls, off }: SandboxState): string {
  if (off) return `off: ${off}`
  const names = {
    permission: 'no files',
    network: 'no network',
    user: 'a user of its own',
    noNewPrivileges: 'no new privileges',
    memory: 'no memory beyond a bound',
  }
  const told = (stands: boolean) =>
    Object.entries(names).flatMap(([wall, name]) => (walls[wall as keyof typeof walls] === stands ? name : []))
  const missing = told(false)
  return `ok: ${told(true).join(', ')}${missing.length > 0 ? `; missing: ${missing.join(', ')}` : ''}`
}

/** Finds out which walls this machine allows, by starting a child and ending it again. `open` opens the pool behind them. */
export async function probeSandbox(options: SandboxOptions): Promise<{ state: SandboxState; open(): Sandbox }> {
  const limits = { ...usualLimits, ...options.limits }
  const found = await findWay(limits, options.ways ?? commands)
  const state = stateOf(found, options.acceptWeak)
  const open = (): Sandbox => {
    if (!found || state.off) return closed(state)
    const pool = new Pool(found.command, limits, options.fetch)
    return { state, run: (job) => pool.run(job), close: () => pool.close() }
  }
  return { state, open }
}

const closed = (state: SandboxState): Sandbox => ({
  state,
  run: async () => ({ notRun: 'off', message: state.off!, logs: [] }),
  close: async () => {},
})

/** The same at once: for who runs code in any case. */
export const openSandbox = async (options: SandboxOptions): Promise<Sandbox> => (await probeSandbox(options)).open()
