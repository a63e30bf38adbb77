import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '../fake/aglet.ts'

export const root = join(import.meta.dirname, '../..')
export const run = promisify(execFile)
/** Time for an installation from the registry on a busy machine. */
const readyWithinMs = 300_000

/** The environment of the test run, without settings of Aglet and npm's variables for this checkout. */
export const environment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(AGLET_|npm_|NODE_COMPILE_CACHE|INIT_CWD)/.test(name)),
)

/** Parts of the startup message; `eventId` replaces the README's, `tagOrigin` is the origin of a separate edge. */
export type Welcome = {
  origin: string
  tagOrigin?: string
  tagId: string
  teamId: string
  token: string
  eventId?: string
}

const readmeEventId = 'order-1001'

export function readWelcome(out: string): Welcome | undefined {
  const found = (pattern: RegExp) => pattern.exec(out)?.[1]
  const origin = found(/^ *Status page +(http\S+?)\/?$/m)
  const [tagId, teamId, token] = [found(/(tag_\w+)/), found(/(team_\w+)/), found(/(aglet_live_\w+)/)]
  return origin && tagId && teamId && token ? { origin, tagId, teamId, token } : undefined
}

export type Started = { child: ChildProcess; out(): string; error(): string; ended: Promise<number | null> }

/** Starts a server in its own process group, so that npm and its children end together. */
export function start(command: readonly string[], options: { cwd: string; env?: NodeJS.ProcessEnv }): Started {
  const child = spawn(command[0]!, command.slice(1), {
    env: environment,
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  process.once('exit', () => signal(child, 'SIGKILL'))
  let [out, error] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    error = (error + chunk).slice(-20_000)
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, out: () => out, error: () => error, ended }
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, name)
  } catch {
    // It has already ended.
  }
}

export async function stop({ child, ended }: Started): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) signal(child, 'SIGTERM')
  await ended
}

export async function welcomeOf({ child, out, error }: Started): Promise<Welcome> {
  await until(() => {
    assert.equal(child.exitCode, null, `ended with ${child.exitCode}: ${error()}`)
    return readWelcome(out()) !== undefined && /See where it went/.test(out())
  }, readyWithinMs)
  return readWelcome(out())!
}

/** The README's two commands: one sends a first event, the other reads its journey. */
function readmeCommands({
  origin,
  tagOrigin = origin,
  tagId,
  teamId,
  token,
  eventId = readmeEventId,
}: Welcome): [send: string, read: string] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const commands = [...readme.matchAll(/^```\w*\n(curl [^`]+)^```$/gm)].map(([, command]) =>
    command!
      .replaceAll('http://127.0.0.1:4000/t/', `${tagOrigin}/t/`)
      .replaceAll('http://127.0.0.1:4000', origin)
      .replaceAll('tag_…', tagId)
      .replaceAll('aglet_live_…', token)
      .replaceAll('team_…', teamId)
      .replaceAll(readmeEventId, eventId),
  )
  const send = commands.find((each) => each.includes('-X POST'))
  const read = commands.find((each) => each.includes('/event/'))
  assert.ok(send && read, 'the README has the two commands')
  return [send, read]
}

const shell = async (command: string, env: NodeJS.ProcessEnv) =>
  JSON.parse((await run('sh', ['-c', command], { env })).stdout)

/** Waits until the README's event is delivered. */
export async function readReadmeEvent(welcome: Welcome, env = environment): Promise<void> {
  const [, read] = readmeCommands(welcome)
  await until(async () => (await shell(read, env)).deliveries?.[0]?.status === 'delivered', 30_000)
}

/** Runs the README's commands after a first start, until the event is delivered. */
export async function deliverReadmeEvent(welcome: Welcome, env = environment): Promise<void> {
  const [send, read] = readmeCommands(welcome)
  const { result } = await shell(send, env)
  assert.equal(result.status, 'accepted')
  await readReadmeEvent(welcome, env)
  assert.equal((await shell(read, env)).eventId, result.eventId)
}

/** The state of the sandbox for customers' code in /readyz, after its first probe. */
export async function sandboxState({ origin }: Welcome, env = environment): Promise<string> {
  let state = ''
  await until(async () => {
    state = (await shell(`curl -sS ${origin}/readyz`, env)).checks.code
    return !/being found out/.test(state)
  }, 30_000)
  return state
}
