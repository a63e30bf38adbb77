import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type EnvironmentName, environments, type SealingKey } from '#contract/me.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { SecretType } from '#contract/script.ts'
import { sealEntry } from '#contract/seal.ts'

const main = join(import.meta.dirname, '../../src/main.ts')
const run = promisify(execFile)

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
  const command = [...wrap, process.execPath, main, 'serve', '--port', `${port}`, '--data', data, ...flags]
  const child = spawn(command[0]!, command.slice(1), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...environment },
  })
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors = (errors + chunk).slice(-20_000)
  })
  const origin = `http://127.0.0.1:${port}`
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`Aglet ended with ${child.exitCode}: ${errors}`)
    return (await fetch(`${origin}/readyz`).catch(() => undefined))?.ok ?? false
  })
  return { process: child, origin, data, port, errors: () => errors }
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
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
  const { stdout } = await run(process.execPath, [main, ...words, '--json', '--data', data])
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

/** A team with a tag and a token, made on the command line. */
export async function makeCustomer(
  on: Aglet,
  name: string,
  environment: EnvironmentName = environments[0],
): Promise<Customer> {
  const within = ['--environment', environment]
  const { teamId } = await aglet<{ teamId: string }>(on.data, 'team', 'create', '--name', name, ...within)
  const { tagId, tagUrl } = await aglet<{ tagId: string; tagUrl: string }>(
    on.data,
    'tag',
    'create',
    '--team',
    teamId,
    '--name',
    name,
    '--domain',
    'localhost',
    ...within,
  )
  const { token } = await aglet<{ token: string }>(on.data, 'token', 'create', '--team', teamId, ...within)
  const baseUrl = `${on.origin}${environment === 'sandbox' ? '/sandbox' : ''}/v1`
  return { environment, baseUrl, teamId, token, tagId, tagUrl }
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
