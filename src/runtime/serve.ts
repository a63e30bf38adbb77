import type { RequestListener } from 'node:http'
import type { OperatorCall } from '#cli/operatorCall.ts'
import { type Client, client } from '#contract/client.ts'
import { fault } from '#contract/fault.ts'
import { environments } from '#contract/me.ts'
import type { EdgeRouter } from '#edge/router.ts'
import { locateNothing, openLocate } from '#geo/locate.ts'
import { cachedReadiness, type HealthChecks } from '#http/healthRoutes.ts'
import { type AnswerRequest, openHttpServer, sendFault } from '#http/httpServer.ts'
import { injectedFetch } from '#http/injectedFetch.ts'
import { createOwnHostTest } from '#http/ownHostTest.ts'
import { openPlainApp } from '#http/plainApp.ts'
import { collectGarbage } from '#kit/collectGarbage.ts'
import type { Log } from '#kit/log.ts'
import { openMeter } from '#kit/meter.ts'
import { startTraces, tracedRequest } from '#kit/trace.ts'
import { openExchangeRates } from '#plugin/exchangeRates.ts'
import { type DatabaseWait, databaseName, openDatabaseWait, StartEnded } from '#postgres/databaseWait.ts'
import { openParser } from '#sandbox/parseCode.ts'
import { hasRole, type Settings, withBoundPort } from '#settings/settings.ts'
import { lockForServing } from './dataDir.ts'
import { findDemo } from './demo.ts'
import { type EnvironmentRuntime, environmentChecks, openEnvironmentRuntime } from './environmentRuntime.ts'
import { basePath, type EnvironmentStoreOptions } from './environmentStore.ts'
import { announceServer } from './findDataDir.ts'
import { isRootKeyRotation, resealSharedKeys, resumeRootKeyRotation, rotateRootKeyEverywhere } from './keyRotation.ts'
import { openMail } from './openMail.ts'
import { listenForOperator } from './operatorSocket.ts'
import { ownRoutes, type ServerStatus } from './ownRoutes.ts'
import { openPreviews } from './previews.ts'
import { demoInboxOrigin, openCustomerSandbox, type ServerRuntime } from './sharedRuntime.ts'
import type { StartedEnvironment } from './startupMessage.ts'

const drainTimeoutMs = 30_000

export type ServeDeps = {
  version: string
  options: EnvironmentStoreOptions
  /** Creates links that sign the operator in; the first start always creates them. */
  signIn: boolean
  env: Readonly<Record<string, string | undefined>>
  log: Log
  /** Called once everything is running, with the bound settings and the demo of each environment. */
  started(settings: Settings, environments: readonly StartedEnvironment[]): void
  /** Resolves when the server is to stop. */
  stopped: Promise<void>
}

/** Until the runtime is open, the process is alive but not ready. `reasons`: what the start is waiting for. */
const answerWhileStarting =
  (reasons: () => Record<string, string>): AnswerRequest =>
  (request, response) => {
    const json = (status: number, body: object) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
        .end(JSON.stringify(body))
    if (request.url === '/healthz') json(200, { alive: true })
    else if (request.url === '/readyz') json(503, { ready: false, checks: { start: 'is not finished', ...reasons() } })
    else sendFault(response, fault('overloaded', { headers: { 'retry-after': '1' } }))
  }

/** Logs a warning at every start for each setting that weakens isolation. */
function warnOfWeakSettings({ allowPrivateDestinations, vendorsUrl, acceptWeakSandbox }: Settings, log: Log): void {
  if (allowPrivateDestinations)
    log({ level: 'warn', message: 'AGLET_ALLOW_PRIVATE_DESTINATIONS is on: customers can reach this network.' })
  if (vendorsUrl)
    log({ level: 'warn', message: 'AGLET_VENDORS_URL is set: nothing is sent to the real vendors.', vendorsUrl })
  if (acceptWeakSandbox)
    log({ level: 'warn', message: 'AGLET_ACCEPT_WEAK_SANDBOX is on: untrusted code runs with fewer isolation layers.' })
}

/** An edge neither locates requests nor converts currencies: workers do, and control shows the result. */
const decidesEvents = (settings: Settings) => hasRole('worker', settings) || hasRole('control', settings)

async function openEnvironments(
  options: EnvironmentStoreOptions,
  opened: AsyncDisposableStack,
  { log, wait }: { log: Log; wait: DatabaseWait },
): Promise<EnvironmentRuntime[]> {
  // In sequence: the first environment creates the root key, and the second reads it.
  const runtimes: EnvironmentRuntime[] = []
  for (const environment of environments) {
    const runtime = await wait.until(databaseName(environment), () => openEnvironmentRuntime(environment, options, log))
    opened.defer(runtime.close)
    runtimes.push(runtime)
  }
  return runtimes
}

async function finishRotations(
  runtimes: readonly EnvironmentRuntime[],
  options: EnvironmentStoreOptions,
  { log, wait }: { log: Log; wait: DatabaseWait },
): Promise<void> {
  await resumeRootKeyRotation(runtimes, options, log)
  for (const each of runtimes)
    await wait.until(databaseName(each.environment), () => resealSharedKeys([each], options, log))
}

type StartupDeps = { settings: Settings; signIn: boolean; makeClient: OpenClient }

/** Runs the first start of one environment, or finds what an earlier one created. */
async function ensureDemo(
  runtime: EnvironmentRuntime,
  { settings, signIn, makeClient }: StartupDeps,
): Promise<StartedEnvironment[]> {
  const { environment, tagUrl, baseUrl } = runtime
  const deps = { ...runtime, origin: demoInboxOrigin(settings), client: makeClient(environment) }
  // Only one process creates it; the others find it.
  const demo = hasRole('control', settings)
    ? await runtime.cluster.leases.exclusive('start', async () => (await loadFirstStart()).runFirstStart(deps))
    : await findDemo(runtime)
  if (!demo) return []
  const started = { ...demo, environment, tagUrl: tagUrl(demo.tagId) }
  if (!signIn && !demo.token) return [started]
  const { url } = await (await import('#account/signInLink.ts')).createSignInLink(runtime, baseUrl)
  return [{ ...started, signIn: url }]
}

async function ensureDemos(
  runtimes: readonly EnvironmentRuntime[],
  deps: StartupDeps,
  wait: DatabaseWait,
): Promise<StartedEnvironment[]> {
  const demos: StartedEnvironment[] = []
  for (const each of runtimes)
    demos.push(...(await wait.until(databaseName(each.environment), () => ensureDemo(each, deps))))
  return demos
}

// Each role loads only its own modules: those of the API take 30 MB, those of deliveries about as much.
const loadControl = () => import('./serverRuntime.ts')
const loadEdge = () => import('./edgeRole.ts')
const loadWorker = () => import('./workerRole.ts')
const loadFirstStart = () => import('./firstRun.ts')

type OwnApp = { listener: RequestListener; fetch: typeof fetch; close(): Promise<void> }

/** The process's own routes, and a `fetch` for them without a network. */
async function openOwnApp(runtime: ServerRuntime, status: ServerStatus): Promise<OwnApp> {
  if (!hasRole('control', runtime.settings)) {
    const listener = openPlainApp((app) => ownRoutes(app, runtime, status), runtime.log)
    return { listener, fetch, close: async () => {} }
  }
  const { app, listener } = await (await loadControl()).openControlApp(runtime, status)
  return { listener, fetch: injectedFetch(app), close: () => app.close() }
}

type OpenClient = (environment: EnvironmentRuntime['environment']) => (token: string, teamId: string) => Client

function createCallRunner(
  runtime: ServerRuntime,
  options: EnvironmentStoreOptions,
  ready: () => Promise<Record<string, unknown>>,
) {
  return async (call: OperatorCall): Promise<Record<string, unknown>> => {
    if (call.command === 'ready') return ready()
    if (call.command === 'mail') return { ...runtime.mail?.report() }
    if (isRootKeyRotation(call)) return rotateRootKeyEverywhere(runtime.environments, options)
    const { runOperatorCommand } = await import('./operatorCommands.ts')
    const own = runtime.environments.find(({ environment }) => environment === call.environment)!
    const mails = runtime.mail && (await loadControl()).toMails(runtime.mail.send, own).send
    return runOperatorCommand(call, { ...own, ...(mails && { mails }) })
  }
}

type RequestRoutes = {
  isOwn: ReturnType<typeof createOwnHostTest>
  edge: EdgeRouter | undefined
  listener: RequestListener
}

/** Sends requests for tags' hosts and paths to the edge, all others to the server's own routes. */
const routeRequests =
  ({ isOwn, edge, listener }: RequestRoutes): AnswerRequest =>
  (request, response) => {
    if (edge?.answer(request, response)) return
    if (isOwn(request)) listener(request, response)
    else if (edge) void edge.answerUnknownHost(request, response)
    else sendFault(response, fault('notFound', { headers: { connection: 'close' } }))
  }

/** Opens the data directory, which must exist, and the port, starts the roles, serves until `stopped`, and closes in reverse order. */
export async function serve(deps: ServeDeps): Promise<void> {
  const stopping = new AbortController()
  void deps.stopped.then(() => stopping.abort())
  const wait = openDatabaseWait({ log: deps.log, signal: stopping.signal })
  try {
    await startAndServe(deps, wait)
  } catch (problem) {
    if (!(problem instanceof StartEnded)) throw problem
    deps.log({ message: 'stopping' })
  }
}

async function startAndServe(deps: ServeDeps, wait: DatabaseWait): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const { version, signIn, env, log, started, stopped } = deps
  const { clock, dir } = deps.options
  const options = { ...deps.options, member: { version, log, wait } }
  const answerStarting = answerWhileStarting(wait.reasons)
  const lock = await lockForServing(dir, clock)
  opened.defer(lock.release)
  const http = openHttpServer(answerStarting)
  opened.defer(() => http.close(0))
  const settings = withBoundPort(options.settings, await http.listen(options.settings.host, options.settings.port))
  warnOfWeakSettings(settings, log)
  const traces = await startTraces(env)
  opened.defer(traces.close)
  const meter = openMeter()
  opened.defer(meter.close)
  const locate = decidesEvents(settings) ? await openLocate(settings.geoFile) : locateNothing
  const runtimes = await openEnvironments({ ...options, settings, meter }, opened, { log, wait })
  await finishRotations(runtimes, options, { log, wait })
  const rates = openExchangeRates(decidesEvents(settings) ? settings.ratesFile : undefined, { clock, log })
  const sandbox = openCustomerSandbox(settings)
  opened.defer(sandbox.close)
  const mail = await openMail(settings, { clock, log }, opened)
  const shared = { version, settings, log, meter, locate, rates, sandbox, parseCode: openParser(), mail }
  const runtime: ServerRuntime = { ...shared, environments: runtimes }

  const checks: HealthChecks = Object.assign(
    { code: async () => sandbox.describe() },
    ...runtimes.map(environmentChecks),
  )
  const ready = cachedReadiness(checks, { now: clock.now, forMs: 1_000 })
  const { fetch, listener, close } = await openOwnApp(runtime, { ready, metrics: meter.page })
  opened.defer(close)
  const makeClient: OpenClient = (environment) => (token, teamId) =>
    client({ baseUrl: settings.origin + basePath(environment), token, teamId, fetch })
  const demos = await ensureDemos(runtimes, { settings, signIn, makeClient }, wait)

  const previewsOf = openPreviews(runtime, opened)
  const edge = hasRole('edge', settings) ? (await loadEdge()).openEdge({ ...runtime, opened, previewsOf }) : undefined
  let isStarted = false
  const toRole = routeRequests({ isOwn: createOwnHostTest(settings), edge, listener })
  http.setAnswer((request, response) =>
    !isStarted && request.url === '/readyz'
      ? answerStarting(request, response)
      : tracedRequest(request, response, () => toRole(request, response)),
  )
  const workers = hasRole('worker', settings) ? await (await loadWorker()).startWorkers(runtime) : []
  opened.defer(announceServer(dir, env))
  const socket = await listenForOperator(dir.socket, { run: createCallRunner(runtime, options, ready), log })
  opened.defer(socket.close)
  // Deferred last, so closed first: requests and deliveries in flight may still need everything opened before.
  opened.defer(async () => void (await Promise.all([http.close(drainTimeoutMs), ...workers.map(({ stop }) => stop())])))
  collectGarbage()
  // Until now `/readyz` has reported that the process is starting.
  isStarted = true
  started(settings, demos)
  await stopped
  log({ message: 'stopping' })
}
