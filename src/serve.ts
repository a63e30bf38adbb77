import { makeSignInLink } from '#account/signInLink.ts'
import { type Client, client } from '#contract/client.ts'
import { fault } from '#contract/fault.ts'
import { environments } from '#contract/me.ts'
import { boundTo, type Settings } from '#contract/settings.ts'
import { openLocate } from '#geo/locate.ts'
import { type Checks, readiness } from '#http/health.ts'
import { injected } from '#http/inject.ts'
import { ownHost } from '#http/ownHost.ts'
import { type Answer, answerFault, openServer } from '#http/serve.ts'
import type { Log } from '#kit/log.ts'
import { openMeter } from '#kit/meter.ts'
import { startTraces } from '#kit/trace.ts'
import { openRates } from '#plugin/rates.ts'
import { openParser } from '#sandbox/parse.ts'
import type { Call } from './cli/call.ts'
import { runCommand } from './cli/operator/commands.ts'
import { lockForServing, makeDataDir } from './cli/operator/dataDir.ts'
import { demoOf, firstRun } from './cli/operator/firstRun.ts'
import { type Ground, groundChecks, openGround } from './cli/operator/ground.ts'
import { basePath, type HomeOptions } from './cli/operator/home.ts'
import { asksForRoot, finishRotation, rotateRoot } from './cli/operator/rotation.ts'
import { listenOnSocket } from './cli/operator/socket.ts'
import type { Told } from './cli/operator/welcome.ts'
import { does, type House, inboxOrigin, openApp, openCode, openEdge, startWorkers } from './roles.ts'

const drainMs = 30_000

export type ServeWorld = {
  version: string
  options: HomeOptions
  /** Makes links that sign the operator in; the first start does without being asked. */
  signIn: boolean
  env: Readonly<Record<string, string | undefined>>
  log: Log
  /** Told once everything runs: where it runs, and what the first start made. */
  started(settings: Settings, made: readonly Told[]): void
  /** Resolves when the server is to stop. */
  stopped: Promise<void>
}

/** Until the house is open: alive, not ready. */
const opening: Answer = (request, response) => {
  if (request.url === '/healthz') response.setHeader('content-type', 'application/json').end('{"alive":true}')
  else answerFault(response, fault('overloaded', { headers: { 'retry-after': '1' } }))
}

/** What weakens a wall is said loudly at every start. */
function warn({ allowPrivateDestinations, vendorsUrl, acceptWeakSandbox }: Settings, log: Log): void {
  if (allowPrivateDestinations)
    log({ level: 'warn', message: 'AGLET_ALLOW_PRIVATE_DESTINATIONS is on: customers can reach this network.' })
  if (vendorsUrl)
    log({ level: 'warn', message: 'AGLET_VENDORS_URL is set: nothing goes to the catalogue providers.', vendorsUrl })
  if (acceptWeakSandbox)
    log({ level: 'warn', message: 'AGLET_ACCEPT_WEAK_SANDBOX is on: untrusted code runs behind fewer walls.' })
}

async function openGrounds(options: HomeOptions, opened: AsyncDisposableStack, log: Log): Promise<Ground[]> {
  // One after the other: the first start makes one root key, and the second environment finds it.
  const grounds: Ground[] = []
  for (const environment of environments) {
    const ground = await openGround(environment, options, log)
    opened.defer(ground.close)
    grounds.push(ground)
  }
  return grounds
}

type Welcome = { settings: Settings; signIn: boolean; makeClient: MakeClient }

/** The first run of one environment, or what it made before. */
async function demoIn(ground: Ground, { settings, signIn, makeClient }: Welcome): Promise<Told[]> {
  const { environment, tagUrl, baseUrl } = ground
  const on = { ...ground, origin: inboxOrigin(settings), client: makeClient(environment) }
  const demo = does('control', settings) ? await firstRun(on) : await demoOf(ground)
  if (!demo) return []
  const told = { ...demo, environment, tagUrl: tagUrl(demo.tagId) }
  if (!signIn && !demo.token) return [told]
  const { url } = await makeSignInLink(ground, baseUrl)
  return [{ ...told, signIn: url }]
}

type MakeClient = (environment: Ground['environment']) => (token: string, teamId: string) => Client

function runFor(house: House, options: HomeOptions, ready: () => Promise<Record<string, unknown>>) {
  return (call: Call) => {
    if (call.command === 'ready') return ready()
    if (asksForRoot(call)) return rotateRoot(house.grounds, options)
    return runCommand(call, house.grounds.find(({ environment }) => environment === call.environment)!)
  }
}

/** Opens the data directory and the port, starts the roles, and serves until `stopped`. What was opened is closed in turn. */
export async function serve({ version, options, signIn, env, log, started, stopped }: ServeWorld): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const { dir, clock } = options
  makeDataDir(dir, environments)
  const lock = await lockForServing(dir, clock)
  opened.defer(lock.release)
  const http = openServer(opening)
  opened.defer(() => http.close(0))
  const settings = boundTo(options.settings, await http.listen(options.settings.host, options.settings.port))
  warn(settings, log)
  const traces = await startTraces(env)
  opened.defer(traces.close)
  const meter = openMeter()
  opened.defer(meter.close)
  const locate = await openLocate(settings.geoFile)
  const grounds = await openGrounds({ ...options, settings }, opened, log)
  await finishRotation(grounds, options, log)
  const rates = openRates(settings.ratesFile, { clock, log })
  const sandbox = openCode(settings)
  opened.defer(sandbox.close)
  const parseCode = openParser()
  const house: House = { version, settings, log, meter, locate, rates, sandbox, parseCode, grounds }

  const checks: Checks = Object.assign({ code: async () => sandbox.says() }, ...grounds.map(groundChecks))
  const ready = readiness(checks, { now: clock.now, forMs: 1_000 })
  const { app, listener } = await openApp(house, { ready, metrics: meter.page })
  opened.defer(() => app.close())
  const makeClient: MakeClient = (environment) => (token, teamId) =>
    client({ baseUrl: settings.origin + basePath(environment), token, teamId, fetch: injected(app) })
  const made: Told[] = []
  for (const ground of grounds) made.push(...(await demoIn(ground, { settings, signIn, makeClient })))

  const edge = openEdge(house)
  const isOwn = ownHost(settings)
  http.answerWith((request, response) => {
    if (edge(request, response)) return
    if (isOwn(request)) listener(request, response)
    else answerFault(response, fault('notFound', { headers: { connection: 'close' } }))
  })
  const workers = startWorkers(house)
  const socket = await listenOnSocket(dir.socket, { run: runFor(house, options, ready), log })
  opened.defer(socket.close)
  // Last opened, first closed: what is under way may still need everything above.
  opened.defer(async () => void (await Promise.all([http.close(drainMs), ...workers.map(({ stop }) => stop())])))
  started(settings, made)
  await stopped
  log({ message: 'stopping' })
}
