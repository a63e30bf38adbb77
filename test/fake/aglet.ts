import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { dataDirAt } from '#cli/operator/dataDir.ts'
import { askSocket } from '#cli/operator/socket.ts'
import type { Journey } from '#contract/journey.ts'
import { type EnvironmentName, environments, type SealingKey } from '#contract/me.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { SecretType } from '#contract/script.ts'
import { sealEntry } from '#contract/seal.ts'

/** Runs the command line as `npm start` does: `sh` with this before the words. */
export const program = join(import.meta.dirname, '../../scripts/aglet.sh')
const run = promisify(execFile)
/** Long: on a machine that does much else a process alone takes a while to begin. */
const readyWithinMs = 100_000

export type Aglet = { process: ChildProcess; origin: string; data: string; port: number; errors(): string }
export type StartOptions = {
  data: string
  port: number
  flags?: string[]
  wrap?: string[]
  environment?: Record<string, string>
}

/** Starts a real Aglet in a process of its own and waits until it is ready. `wrap` is put before the command. */
export async function startAglet({
  data,
  port,
  flags = [],
  wrap = [],
  environment = {},
}: StartOptions): Promise<Aglet> {
  const command = [...wrap, 'sh', program, 'serve', '--port', `${port}`, '--data', data, ...flags]
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

/** Whether somebody listens there. */
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

/** Below what the system hands out to who asks for any port: before the one who asked here listens, nobody else gets it. */
const ports = { from: 10_000, to: 32_000 }

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const port = randomInt(ports.from, ports.to)
  return (await isTaken(port)) ? freePort() : port
}

/** Ends it as an operator would, or at once with SIGKILL. */
export async function stopAglet({ process: child }: Aglet, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** One command of the command line, its JSON answer. */
export async function aglet<Answer>(data: string, ...words: string[]): Promise<Answer> {
  const { stdout } = await run('sh', [program, ...words, '--json', '--data', data])
  return JSON.parse(stdout) as Answer
}

/** Resolves when `holds` does; asks again as soon as it has answered. */
export async function until(holds: () => Promise<boolean> | boolean, withinMs = 30_000): Promise<void> {
  const end = Date.now() + withinMs
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ${withinMs} ms: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
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

/** What the command line asks of a server that runs, without a process for each command. */
async function operate<Result>(
  { data }: Aglet,
  command: string,
  environment: EnvironmentName,
  input: Record<string, unknown>,
): Promise<Result> {
  const outcome = await askSocket(dataDirAt(data).socket, { command, environment, input })
  if (!outcome || 'refused' in outcome) throw new Error(`${command}: ${JSON.stringify(outcome)}`)
  return outcome.result as Result
}

/** A team with a tag and a token, made by the operator. */
export async function makeCustomer(
  on: Aglet,
  name: string,
  environment: EnvironmentName = environments[0],
): Promise<Customer> {
  const made = <Result>(command: string, input: object) => operate<Result>(on, command, environment, { ...input })
  const { teamId: team } = await made<{ teamId: string }>('team create', { name })
  const { tagId, tagUrl } = await made<Customer>('tag create', { team, name, domain: 'localhost' })
  const { token } = await made<{ token: string }>('token create', { team })
  const baseUrl = `${on.origin}${environment === 'sandbox' ? '/sandbox' : ''}/v1`
  return { environment, baseUrl, teamId: team, token, tagId, tagUrl }
}

/** An Aglet for the tests of a file, on a data directory of its own; it ends with them, and the directory goes. */
export async function openAglet(name: string, environment: Record<string, string> = {}): Promise<Aglet> {
  const data = mkdtempSync(join(tmpdir(), `aglet-${name}-`))
  const aglet = await startAglet({ data, port: await freePort(), environment })
  after(async () => {
    await stopAglet(aglet)
    rmSync(data, { recursive: true, force: true })
  })
  return aglet
}

/** One call of the control API, its status and its JSON. */
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

/** The journey of an event, once nothing of it is to be done any more. */
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

/** What a script of the event sink is given. */
export const sinkAt = (url: string): Plain[] => [{ variable: 'EVENT_SINK_URL', type: 'TEXT', value: url }]

export type Plain = { variable: string; type: SecretType; value: string }

/** Seals what is given and makes a deployed script of it. */
export async function makeScript(
  customer: Customer,
  providerId: ProviderId,
  name: string,
  secrets: Plain[],
  more: Record<string, unknown> = {},
): Promise<string> {
  const me = await call<{ encryptionKey: SealingKey }>(customer, 'GET', '/me')
  const { environment, teamId, tagId } = customer
  const entries = secrets.map(({ variable, type, value }) =>
    sealEntry({ environment, teamId, providerId, variable, type, plaintext: value, key: me.body.encryptionKey }),
  )
  const made = await call<{ scriptId: string; message?: string }>(customer, 'POST', '/script', {
    name,
    providerId,
    tagId,
    secrets: await Promise.all(entries),
    ...more,
  })
  if (made.status !== 200) throw new Error(`POST /script answered ${made.status}: ${JSON.stringify(made.body)}`)
  return made.body.scriptId
}
