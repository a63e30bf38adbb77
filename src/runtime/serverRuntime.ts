import { createServer, type RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { createPasswordHasher, type PasswordHasher } from '#account/password.ts'
import { createPersonAccess } from '#account/personAccess.ts'
import { createPersonAuthenticator } from '#account/personAuthenticator.ts'
import { openSignInMethods } from '#account/signInMethods.ts'
import { openAlertNotifier } from '#alert/alertNotifier.ts'
import { controlRoutes } from '#control/controlRoutes.ts'
import { watchHostClaims } from '#control/hostClaims.ts'
import { openDryRun } from '#control/replayRequest.ts'
import { openCaptureRules } from '#delivery/captureRules.ts'
import { browserVariables, openScriptSecrets } from '#delivery/scriptSecrets.ts'
import { startWorker } from '#delivery/worker.ts'
import type { EdgeDeps } from '#edge/edgeDeps.ts'
import { edgeRouter } from '#edge/router.ts'
import type { Locate } from '#geo/locate.ts'
import { accountRoutes } from '#http/accountRoutes.ts'
import { type DashboardBuild, dashboardFolder, dashboardRoutes, readDashboard } from '#http/dashboard.ts'
import { demoInboxRoutes } from '#http/demoInboxRoutes.ts'
import { createFastify } from '#http/fastifyApp.ts'
import { healthRoutes, type Readiness } from '#http/healthRoutes.ts'
import { type ApiReference, referencePages } from '#http/referencePages.ts'
import { statusPageRoute } from '#http/statusPage.ts'
import { tlsDomainCheckRoute } from '#http/tlsDomainCheck.ts'
import { toRetentionPolicy } from '#journal/retentionPolicy.ts'
import type { Log } from '#kit/log.ts'
import type { Meter } from '#kit/meter.ts'
import { openSlots } from '#limit/slots.ts'
import { openTokenRate } from '#limit/tokenRate.ts'
import { readSdkBuilds, sdkFolder } from '#manifest/sdkBuilds.ts'
import type { Rates } from '#plugin/plugin.ts'
import { plugins } from '#plugins/index.ts'
import { systemResolve, vetHost, vetUrl } from '#provider/engine/outboundGuard.ts'
import { openSender } from '#provider/engine/send.ts'
import { openSendThread } from '#provider/engine/sendThread.ts'
import { providers } from '#providers/index.ts'
import { createGuardedFetch, fetchLimits } from '#sandbox/guardedFetch.ts'
import type { ParseCode } from '#sandbox/parseCode.ts'
import { createSharedSandbox, type SharedSandbox } from '#sandbox/sharedSandbox.ts'
import { hookLimits } from '#script/hook.ts'
import type { VetAddress } from '#script/hookAddress.ts'
import { meterOverload } from '#stream/backpressure.ts'
import { createSystemDns } from '#tag/dns.ts'
import { openHostProofs } from '#tag/hostProofs.ts'
import type { EnvironmentRuntime } from './environmentRuntime.ts'
import { basePath, tagPrefix } from './environmentStore.ts'
import { outboundGuard, outboundSettings, senderOptions } from './outboundSettings.ts'
import { createServerReport } from './serverReport.ts'
import { isLoopback, type Settings } from './settings.ts'
import { openControlTestRun } from './testRun.ts'

/** What the roles share: the process-wide parts, and the runtime of each environment. */
export type ServerRuntime = {
  version: string
  settings: Settings
  log: Log
  meter: Meter
  locate: Locate
  rates(): Rates | undefined
  /** Runs customers' code. */
  sandbox: SharedSandbox
  parseCode: ParseCode
  environments: readonly EnvironmentRuntime[]
}

/** The sandbox of the process, opened at the first run of code; its `fetch` goes through the outbound guard. */
export function openCustomerSandbox(settings: Settings): SharedSandbox {
  const send = openSender({ ...outboundSettings(settings), limits: fetchLimits })
  const sandbox = createSharedSandbox({ fetch: createGuardedFetch(send), acceptWeak: settings.acceptWeakSandbox })
  return { ...sandbox, close: () => sandbox.close().finally(send.close) }
}

export const hasRole = (role: 'control' | 'edge' | 'worker', { role: chosen }: Settings) =>
  chosen === 'all' || chosen === role

/** Handles requests below the tag URLs; returns false for every other path. */
export function openEdge({
  settings,
  log,
  meter,
  sandbox,
  environments: runtimes,
}: ServerRuntime): ReturnType<typeof edgeRouter> {
  if (!hasRole('edge', settings)) return () => false
  const { brand, trustProxy, tagOrigin } = settings
  const { protocol, hostname } = new URL(tagOrigin)
  const sdk = readSdkBuilds(sdkFolder)
  if (sdk.length === 0)
    log({ level: 'warn', message: 'The browser SDK is not built, GET /load is 404: npm run bundle' })
  const shared = { brand, trustProxy, log, meter, development: protocol === 'http:' && isLoopback(hostname) }
  return edgeRouter(
    runtimes.map((runtime) => {
      const plaintexts = openScriptSecrets(runtime)
      meterOverload(runtime.intake, meter, { environment: runtime.environment })
      return {
        ...runtime,
        ...shared,
        sdk,
        providers,
        runCode: sandbox.run,
        plaintexts,
        variables: browserVariables(plaintexts, providers),
        captures: openCaptureRules(providers, plaintexts),
        deliveriesOf: deliveriesWhenSettled(runtime),
        prefix: tagPrefix(runtime.environment),
        retryAfterSeconds: runtime.intake.retryAfterSeconds,
        countMemory: runtime.intake.countMemory,
        isFull: runtime.intake.isFull,
      }
    }),
  )
}

const syncTimeoutMs = 10_000

const deliveriesWhenSettled =
  ({ completions, keys }: EnvironmentRuntime): EdgeDeps['deliveriesOf'] =>
  async ({ tagId, teamId }, eventId, trusted) => {
    const key = keys.team(teamId).eventKey(tagId, eventId, trusted)
    const deliveries = await completions.deliveriesOf(tagId, key, syncTimeoutMs)
    return deliveries.map(({ scriptId, providerId, status, reason }) => ({
      scriptId,
      providerId,
      status,
      ...(reason && { reason }),
    }))
  }

export type Stoppable = { stop(): Promise<void> }

/** Starts the delivery worker of every environment. */
export function startWorkers({
  settings,
  log,
  meter,
  locate,
  rates,
  sandbox,
  environments: runtimes,
}: ServerRuntime): Stoppable[] {
  if (!hasRole('worker', settings)) return []
  const { brand } = settings
  const outbound = outboundSettings(settings)
  return runtimes.map((runtime) => {
    const send = openSendThread(senderOptions(settings, runtime))
    const hooks = openSender({ ...outbound, limits: hookLimits })
    const alerts = openAlertNotifier({ ...runtime, log, send: hooks })
    const worker = startWorker({
      ...runtime,
      brand,
      log,
      meter,
      locate,
      rates,
      plugins,
      providers,
      send,
      runCode: sandbox.run,
      onChannelEvent: alerts.report,
      keep: toRetentionPolicy(settings),
      random: Math.random,
    })
    const close = async () => {
      await alerts.stop()
      await Promise.all([send.close(), hooks.close()])
    }
    return { stop: () => worker.stop().finally(close) }
  })
}

const toApiReference = ({ environment }: EnvironmentRuntime): ApiReference => ({
  environment,
  path: environment === 'production' ? '/docs' : `/${environment}/docs`,
  document: `${basePath(environment)}/openapi.json`,
})

/** Routes outside the API: health, metrics, status page, API reference, TLS domain check and demo inbox. */
function serverRoutes(app: FastifyInstance, server: ServerRuntime, deps: ServerStatus): void {
  const { version, settings, environments: runtimes } = server
  healthRoutes(app, { ...deps, version })
  const environments = runtimes.map(({ environment, tagUrl }) => ({
    environment,
    baseUrl: settings.origin + basePath(environment),
    tagUrls: tagUrl('{tagId}'),
  }))
  statusPageRoute(app, { version, brand: settings.brand, environments })
  if (hasRole('control', settings)) referencePages(app, runtimes.map(toApiReference))
  const ownHosts = [settings.origin, settings.tagOrigin].map((origin) => new URL(origin).hostname)
  tlsDomainCheckRoute(app, (host) => ownHosts.includes(host) || runtimes.some((runtime) => isServed(runtime, host)))
  const inboxNames = runtimes.map(({ demoInbox }) => demoInbox)
  if (isLoopback(settings.host)) demoInboxRoutes(app, inboxNames, runtimes[0]!.clock.now)
}

const isServed = ({ snapshots, servedHosts }: EnvironmentRuntime, host: string) =>
  servedHosts.isReady(host) && snapshots.byHost(host) !== undefined

type ServerStatus = { ready(): Promise<Readiness>; metrics(): Promise<string> }

/** The control plane's outbound calls: deploy hooks, and DNS look-ups that prove the ownership of host names. */
function openOutboundServices({ settings }: ServerRuntime) {
  const send = openSender({ ...outboundSettings(settings), limits: hookLimits })
  const target = new URL(settings.tagOrigin).hostname.replace(/^\[|\]$/g, '')
  const policy = outboundGuard(settings)
  const vetAddress: VetAddress = async (url) => {
    await vetHost(vetUrl(url, policy), policy, systemResolve(policy, settings.dnsServers))
  }
  const dns = createSystemDns(settings.dnsServers)
  return { send, vetAddress, proofsFor: (runtime: EnvironmentRuntime) => openHostProofs({ ...runtime, dns, target }) }
}

type OutboundServices = ReturnType<typeof openOutboundServices>

/** Serves the dashboard beside the control API. Returns its build; undefined where it is not built. */
function openDashboard(app: FastifyInstance, { settings, log }: ServerRuntime): DashboardBuild | undefined {
  if (!hasRole('control', settings)) return undefined
  const build = readDashboard(dashboardFolder)
  if (!build) log({ level: 'warn', message: 'The dashboard is not built, /dashboard is 404: npm run bundle' })
  app.register(async (routes) => dashboardRoutes(routes, settings.origin, build))
  return build
}

/** The dependencies of the control API of one environment. */
function openControlDeps(
  app: FastifyInstance,
  server: ServerRuntime,
  runtime: EnvironmentRuntime,
  { passwords, ready, ...outbound }: OutboundServices & Pick<ServerStatus, 'ready'> & { passwords: PasswordHasher },
) {
  const { settings, log } = server
  const { send, vetAddress, proofsFor } = outbound
  const { brand, rateLimit } = settings
  const { locate, rates } = server
  const captures = openCaptureRules(providers, openScriptSecrets(runtime)).ofTag
  const dryRunDeps = { ...runtime, log, brand, locate, rates, providers, plugins, captures }
  return {
    ...runtime,
    send,
    vetAddress,
    hostProofs: proofsFor(runtime),
    rates,
    authenticatePerson: createPersonAuthenticator(runtime),
    findPersonAccess: createPersonAccess(runtime),
    ...openSignInMethods({ ...runtime, passwords }),
    dryRunReplay: openDryRun(dryRunDeps),
    runTest: openControlTestRun(app, senderOptions(settings, runtime), {
      ...dryRunDeps,
      runCode: server.sandbox.run,
      keep: toRetentionPolicy(settings),
    }),
    parseCode: server.parseCode,
    runCode: server.sandbox.run,
    guard: outboundGuard(settings),
    brand,
    limits: settings,
    streamSlots: openSlots(() => settings.streamsPerTeam),
    personStreamSlots: openSlots(() => settings.streamsPerPerson),
    querySlots: openSlots(() => settings.queriesPerTeam),
    tokenRate: openTokenRate(settings, runtime.clock),
    rateLimit,
    server: createServerReport(settings, { version: server.version, ready: ready }),
    retryAfterSeconds: runtime.intake.retryAfterSeconds,
    log,
  }
}

/** The Fastify app with every HTTP route except the edge's, and the listener that the HTTP server calls. */
export async function openControlApp(
  server: ServerRuntime,
  deps: ServerStatus,
): Promise<{ app: FastifyInstance; listener: RequestListener }> {
  const { settings, log } = server
  let listener: RequestListener | undefined
  const app = createFastify({
    log,
    trustProxy: settings.trustProxy.ranges,
    serverFactory(requestListener) {
      listener = requestListener
      return createServer() // Fastify requires a server; this one never listens
    },
  })
  app.register(async (routes) => serverRoutes(routes, server, deps))
  const dashboard = openDashboard(app, server)
  const outbound = openOutboundServices(server)
  const passwords = createPasswordHasher()
  const closing = new AbortController()
  app.addHook('onClose', async () => {
    closing.abort()
    await outbound.send.close()
  })
  for (const runtime of hasRole('control', settings) ? server.environments : []) {
    const prefix = basePath(runtime.environment)
    const routeDeps = openControlDeps(app, server, runtime, { ...outbound, passwords, ready: deps.ready })
    app.register(async (routes) => controlRoutes(routes, routeDeps), { prefix })
    void watchHostClaims(routeDeps, closing.signal)
    const pageDeps = { ...routeDeps, origin: settings.origin, hasDashboard: dashboard !== undefined }
    app.register(async (routes) => accountRoutes(routes, pageDeps))
  }
  await app.ready()
  return { app, listener: listener! }
}
