import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type ClusterFolder, type ClusterProcess, send } from './clusterFolder.ts'
import { freePorts } from './freePorts.ts'

export type AgletRole = 'edge' | 'worker' | 'control'

/** One Aglet process, which can be ended and restarted. */
export type AgletProcess = {
  name: string
  role: AgletRole
  origin: string
  /** Its data directory, for its lock and its socket. */
  data: string
  pid(): number
  isAlive(): boolean
  /** Whether it has ended by itself. */
  hasCrashed(): boolean
  /** `from`: the script of another checkout to run instead. */
  start(environment?: Readonly<Record<string, string>>, from?: string): void
  /** Waits until it can work. Throws an Error with its last lines if it ends instead. */
  ready(withinMs?: number): Promise<void>
  /** Sends a signal, and waits until the process has ended. */
  end(signal: NodeJS.Signals): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** Its whole log since its first start. */
  log(): string
}

export type AgletProcesses = {
  all: readonly AgletProcess[]
  of(role: AgletRole): readonly AgletProcess[]
  /** The addresses of the first edge, and of all edges. */
  edgeOrigins: readonly string[]
}

export type AgletProcessesOptions = {
  folder: ClusterFolder
  /** The URL of the database for one process. */
  databaseUrl: (name: string) => string | Promise<string>
  counts?: Readonly<Partial<Record<AgletRole, number>>>
  environment?: Readonly<Record<string, string>>
}

const program = join(import.meta.dirname, '../aglet.sh')
const readyMs = 180_000
const lastBytes = 3_000

/** The last lines of a log. */
function endOf(file: string): string {
  const { size } = statSync(file)
  const buffer = Buffer.alloc(Math.min(size, lastBytes))
  const opened = openSync(file, 'r')
  readSync(opened, buffer, 0, buffer.length, size - buffer.length)
  closeSync(opened)
  return buffer.toString()
}

type Place = { folder: ClusterFolder; name: string; role: AgletRole; port: number; settings: Record<string, string> }

function describeProcess({ folder, name, role, port, settings }: Place): AgletProcess {
  const data = folder.folder(name)
  const origin = `http://127.0.0.1:${port}`
  let running: ClusterProcess | undefined
  let wasEnded = false
  const isAlive = () => running !== undefined && !running.hasEnded()
  const log = join(folder.path, `${name}.log`)
  return {
    name,
    role,
    origin,
    data,
    pid: () => running?.pid ?? 0,
    isAlive,
    hasCrashed: () => running !== undefined && !wasEnded && running.hasEnded(),
    start(environment = {}, from = program) {
      wasEnded = false
      const args = [from, 'serve', '--role', role, '--port', `${port}`, '--data', data]
      running = folder.start({ name, command: 'sh', args, environment: { ...settings, ...environment } })
    },
    async ready(withinMs = readyMs) {
      const giveUpAt = performance.now() + withinMs
      while (!(await fetch(`${origin}/readyz`).catch(() => undefined))?.ok) {
        if (!isAlive()) throw new Error(`${name} ended: ${endOf(log)}`)
        if (performance.now() > giveUpAt) throw new Error(`${name} is not ready: ${endOf(log)}`)
        await setTimeout(100)
      }
    },
    signal: (signal) => running && send(running.pid, signal),
    log: () => readFileSync(log, 'utf8'),
    async end(signal) {
      if (!running) return
      wasEnded = true
      send(running.pid, signal)
      await running.ended
    },
  }
}

const usualCounts = { control: 1, edge: 2, worker: 2 }

/**
 * Starts the processes of each role on one database: control first, which migrates it and creates the tag of the first
 * start. All have the same root key.
 */
export async function startAgletProcesses(options: AgletProcessesOptions): Promise<AgletProcesses> {
  const { folder, databaseUrl, environment = {} } = options
  const counts = { ...usualCounts, ...options.counts }
  const roles = (['control', 'edge', 'worker'] as const).flatMap((role) =>
    Array.from({ length: counts[role] }, (_, n) => ({ role, name: counts[role] === 1 ? role : `${role}${n + 1}` })),
  )
  const ports = await freePorts(roles.length)
  const originOf = (wanted: AgletRole) => `http://127.0.0.1:${ports[roles.findIndex(({ role }) => role === wanted)]}`
  const shared = {
    AGLET_ROOT_KEY: randomBytes(32).toString('base64url'),
    AGLET_ORIGIN: originOf('control'),
    AGLET_TAG_ORIGIN: originOf('edge'),
    ...environment,
  }
  const all: AgletProcess[] = []
  for (const [n, { role, name }] of roles.entries()) {
    const settings = { ...shared, AGLET_DATABASE_URL: await databaseUrl(name) }
    all.push(describeProcess({ folder, name, role, port: ports[n]!, settings }))
  }
  const of = (wanted: AgletRole) => all.filter(({ role }) => role === wanted)
  for (const each of of('control')) {
    each.start()
    await each.ready()
  }
  const others = all.filter(({ role }) => role !== 'control')
  for (const each of others) each.start()
  await Promise.all(others.map((each) => each.ready()))
  return { all, of, edgeOrigins: of('edge').map(({ origin }) => origin) }
}
