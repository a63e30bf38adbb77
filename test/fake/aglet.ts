import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import type { Journey } from '#contract/journey.ts'
import { type EnvironmentName, environments, type SealingKey } from '#contract/me.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { SecretType } from '#contract/script.ts'
import { sealEntry } from '#contract/seal.ts'
import { resolveDataDir } from '#runtime/dataDir.ts'
import { callRunningServer } from '#runtime/operatorSocket.ts'

/** The shell script of the command line, run with `sh` as by `npm start`. */
export const program = join(import.meta.dirname, '../../scripts/aglet.sh')
const run = promisify(execFile)
/** Long, because a process starts slowly on a busy machine. */
const readyWithinMs = 100_000

export type Aglet = { process: ChildProcess; origin: string; data: string; port: number; errors(): string }
export type StartOptions = {
  data: string
  port: number
  flags?: string[]
  wrap?: string[]
  environment?: Record<string, string>
  /** Runs the program of another checkout. */
  checkout?: string
}

/**
 * Starts Aglet in a separate process and waits until it is ready. `wrap` is put before the command. A missing data
 * directory is copied from an earlier first start, if the test run has one.
 */
export async function startAglet(options: StartOptions): Promise<Aglet> {
  const isNew = !existsSync(options.data) || readdirSync(options.data).length === 0
  if (isNew && !options.wrap && !options.environment?.AGLET_ROOT_KEY) await copyFirstStart(options.data)
  return spawnAglet(options)
}

/** Creates a data directory after its first start, if the test run has a folder for it. */
export async function copyFirstStart(data: string): Promise<void> {
  const { TESTS_FOLDER: folder } = process.env
  if (folder) cpSync(await firstStartIn(folder), data, { recursive: true })
}

/**
 * The data directory after a first start, created once for all processes of a run: its RSA keys take two seconds of CPU
 * time.
 */
async function firstStartIn(folder: string): Promise<string> {
  const made = join(folder, 'first-start')
  const data = join(folder, 'starting')
  if (existsSync(made)) return made
  try {
    mkdirSync(data, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    await until(() => existsSync(made) || !existsSync(data), readyWithinMs) // another process makes it
    return firstStartIn(folder)
  }
  try {
    if (existsSync(made)) return made // it was made after the first look
    await stopAglet(await spawnAglet({ data, port: await freePort() }))
    renameSync(data, made)
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
  return made
}

async function spawnAglet({
  data,
  port,
  flags = [],
  wrap = [],
  environment = {},
  checkout,
}: StartOptions): Promise<Aglet> {
  const shell = checkout ? join(checkout, 'scripts/aglet.sh') : program
  const command = [...wrap, 'sh', shell, 'serve', '--port', `${port}`, '--data', data, ...flags]
  const child = spawn(command[0]!, command.slice(1), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...environment },
  })
  process.once('exit', () => child.kill('SIGKILL'))
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors = (errors + chunk).slice(-20_000)
  })
  const origin = `http://127.0.0.1:${port}`
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`Aglet ended with ${child.exitCode}: ${errors}`)
    return (await fetch(`${origin}/readyz`).catch(() => undefined))?.ok ?? false
  }, readyWithinMs).catch((problem) => {
    child.kill('SIGKILL')
    throw new Error(`Aglet did not become ready: ${errors}`, { cause: problem })
  })
  return { process: child, origin, data, port, errors: () => errors }
}

/** Whether a process listens on the port. */
async function isTaken(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return true
  }
  server.close()
  await once(server, 'close')
  return false
}

/** Below the ephemeral ports, so that the system gives none of these to another process before the caller listens. */
const ports = { from: 10_000, to: 32_000 }

/** A port without a listener. */
export async function freePort(): Promise<number> {
  const port = randomInt(ports.from, ports.to)
  return (await isTaken(port)) ? freePort() : port
}

/** Stops Aglet with SIGTERM, or at once with SIGKILL. */
export async function stopAglet({ process: child }: Aglet, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

/** Runs one command of the command line and returns its JSON output. */
export async function aglet<Answer>(data: string, ...words: string[]): Promise<Answer> {
  const { stdout } = await run('sh', [program, ...words, '--json', '--data', data])
  return JSON.parse(stdout) as Answer
}

/**
 * Resolves when `holds` returns true. The pauses grow with the elapsed time, up to a fifth of a second: a fast machine that
 * polls the API without pauses would exceed the limit of calls per minute.
 */
export async function until(holds: () => Promise<boolean> | boolean, withinMs = 30_000): Promise<void> {
  const begun = Date.now()
  while (!(await holds())) {
    const waited = Date.now() - begun
    if (waited > withinMs) throw new Error(`not within ${withinMs} ms: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(20, waited / 8), 200)))
  }
}

export type Customer = {
  environment: EnvironmentName
  baseUrl: string
  teamId: string
  token: string
  tagId: string
  tagUrl: string
}

/** Runs an operator command on the socket of a running server, without a process for each command. */
export async function operate<Result>(
  { data }: Pick<Aglet, 'data'>,
  command: string,
  environment: EnvironmentName,
  input: Record<string, unknown>,
): Promise<Result> {
  const outcome = await callRunningServer(resolveDataDir(data).socket, { command, environment, input })
  if (!outcome || 'refused' in outcome) throw new Error(`${command}: ${JSON.stringify(outcome)}`)
  return outcome.result as Result
}

/** Creates a team with a tag and a token as the operator. */
export async function makeCustomer(
  deps: Pick<Aglet, 'data' | 'origin'>,
  name: string,
  environment: EnvironmentName = environments[0],
): Promise<Customer> {
  const create = <Result>(command: string, input: object) => operate<Result>(deps, command, environment, { ...input })
  const { teamId: team } = await create<{ teamId: string }>('team create', { name })
  const { tagId, tagUrl } = await create<Customer>('tag create', { team, name, domain: 'localhost' })
  const { token } = await create<{ token: string }>('token create', { team })
  const baseUrl = `${deps.origin}${environment === 'sandbox' ? '/sandbox' : ''}/v1`
  return { environment, baseUrl, teamId: team, token, tagId, tagUrl }
}

/** Creates a token whose only scope is `event:write`: the secret key of a source. */
export async function makeSourceKey(deps: Aglet, { teamId: team, environment }: Customer): Promise<string> {
  const input = { team, scopes: 'event:write' }
  return (await operate<{ token: string }>(deps, 'token create', environment, input)).token
}

/** Starts an Aglet with its own data directory, which `removeAglet` deletes. */
export async function startNewAglet(name: string, environment: Record<string, string> = {}): Promise<Aglet> {
  const data = mkdtempSync(join(tmpdir(), `aglet-${name}-`))
  return startAglet({ data, port: await freePort(), environment })
}

export async function removeAglet(aglet: Aglet): Promise<void> {
  await stopAglet(aglet)
  rmSync(aglet.data, { recursive: true, force: true })
}

/**
 * An Aglet for the tests of a file with its own data directory. After the tests it is stopped and the directory deleted.
 */
export async function openAglet(name: string, environment?: Record<string, string>): Promise<Aglet> {
  const aglet = await startNewAglet(name, environment)
  after(() => removeAglet(aglet))
  return aglet
}

/** Calls the control API and returns status and JSON. */
export async function call<Answer>(
  customer: Customer,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Answer }> {
  const answer = await fetch(`${customer.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${customer.token}`,
      'team-id': customer.teamId,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Answer }
}

/** The journey of an event, once every delivery has a final status. */
export async function settledJourney(customer: Customer, eventId: string): Promise<Journey> {
  let journey: Journey | undefined
  await until(async () => {
    const path = `/tag/${customer.tagId}/event/${encodeURIComponent(eventId)}`
    const { status, body } = await call<Journey>(customer, 'GET', path)
    journey = status === 200 ? body : undefined
    return body.deliveries?.length > 0 && body.deliveries.every((each) => each.status !== 'pending')
  })
  return journey!
}

/** The secrets of a script of the event sink. */
export const sinkAt = (url: string): Plain[] => [{ variable: 'EVENT_SINK_URL', type: 'TEXT', value: url }]

export type Plain = { variable: string; type: SecretType; value: string }

/** Secret entries of a script of this provider. */
export async function sealFor(customer: Customer, providerId: ProviderId, secrets: Plain[]) {
  const me = await call<{ encryptionKey: SealingKey }>(customer, 'GET', '/me')
  const { environment, teamId } = customer
  const entries = secrets.map(({ variable, type, value }) =>
    sealEntry({ environment, teamId, providerId, variable, type, plaintext: value, key: me.body.encryptionKey }),
  )
  return Promise.all(entries)
}

/** Seals the values and creates a deployed script with them. */
export async function makeScript(
  customer: Customer,
  providerId: ProviderId,
  name: string,
  secrets: Plain[],
  more: Record<string, unknown> = {},
): Promise<string> {
  const created = await call<{ scriptId: string; message?: string }>(customer, 'POST', '/script', {
    name,
    providerId,
    tagId: customer.tagId,
    secrets: await sealFor(customer, providerId, secrets),
    ...more,
  })
  if (created.status !== 200)
    throw new Error(`POST /script answered ${created.status}: ${JSON.stringify(created.body)}`)
  return created.body.scriptId
}
