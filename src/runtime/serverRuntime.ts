import { createServer, type RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { openAccountMails } from '#account/accountMails.ts'
import { createPasswordHasher, type PasswordHasher } from '#account/password.ts'
import { createPersonAccess } from '#account/personAccess.ts'
import { createPersonAuthenticator } from '#account/personAuthenticator.ts'
import { openSignInMethods } from '#account/signInMethods.ts'
import type { ControlDeps } from '#control/controlDeps.ts'
import { controlRoutes } from '#control/controlRoutes.ts'
import { watchHostClaims } from '#control/hostClaims.ts'
import { openDryRun } from '#control/replayRequest.ts'
import { openCaptureRules } from '#delivery/captureRules.ts'
import { openScriptSecrets } from '#delivery/scriptSecrets.ts'
import { openTestRun } from '#delivery/testRun.ts'
import type { Locate } from '#geo/locate.ts'
import { accountRoutes } from '#http/accountRoutes.ts'
import { dashboardFolder, dashboardRoutes, readDashboard } from '#http/dashboard.ts'
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
import { openTokenIssueRate } from '#limit/tokenIssueRate.ts'
import type { SendMail } from '#mail/mail.ts'
import type { MailQueue } from '#mail/mailQueue.ts'
import type { Rates } from '#plugin/plugin.ts'
import { plugins } from '#plugins/index.ts'
import { type GuardPolicy, systemResolve, vetHost, vetUrl } from '#provider/engine/outboundGuard.ts'
import { openSender, type SendRequest } from '#provider/engine/send.ts'
import { providers } from '#providers/index.ts'
import { createGuardedFetch, fetchLimits } from '#sandbox/guardedFetch.ts'
import type { ParseCode } from '#sandbox/parseCode.ts'
import { createSharedSandbox, type SharedSandbox } from '#sandbox/sharedSandbox.ts'
import { hookLimits } from '#script/hook.ts'
import type { VetAddress } from '#script/vetAddress.ts'
import { hasRole, isLoopback, ownOrigin, type Settings } from '#settings/settings.ts'
import { createSystemDns } from '#tag/dns.ts'
import { openHostProofs } from '#tag/hostProofs.ts'
import type { EnvironmentRuntime } from './environmentRuntime.ts'
import { basePath } from './environmentStore.ts'
import { createServerReport } from './serverReport.ts'

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
  /** Undefined where the operator has set no SMTP server. */
  mail: MailQueue | undefined
  environments: readonly EnvironmentRuntime[]
}

/** The sandbox of the process, opened at the first run of code; its `fetch` goes through the outbound guard. */
export function openCustomerSandbox(settings: Settings): SharedSandbox {
  const send = openSender({ ...outboundSettings(settings), limits: fetchLimits })
  const sandbox = createSharedSandbox({ fetch: createGuardedFetch(send), acceptWeak: settings.acceptWeakSandbox })
  return { ...sandbox, close: () => sandbox.close().finally(send.close) }
}

/** The sender's settings for requests to addresses that a customer may set. */
export const outboundSettings = ({ allowPrivateDestinations, outboundPorts, port, dnsServers }: Settings) => ({
  allowPrivate: allowPrivateDestinations,
  outboundPorts,
  dnsServers,
  ownPorts: [port],
})

/** The policy on addresses that customers may set. */
export function outboundGuard(settings: Settings): GuardPolicy {
  const { allowPrivate, outboundPorts: ports, ownPorts } = outboundSettings(settings)
  return { allowPrivate, ports, ownPorts }
}

/** The loopback origin where the server listens on a loopback address, else the public origin. */
export const demoInboxOrigin = ({ host, port, origin }: Settings) => (isLoopback(host) ? ownOrigin(host, port) : origin)

/** The names of the demo inboxes of all environments: a configuration of the sandbox also works in production. */
export const demoInboxesOf = (environments: readonly Pick<EnvironmentRuntime, 'demoInbox'>[]) =>
  environments.map(({ demoInbox }) => demoInbox)

/**
 * The options of the sender of deliveries. A demo inbox passes the guard while only this machine can call it, also where
 * another process of this machine serves the origin.
 */
export function senderOptions(settings: Settings, demoInboxes: readonly string[]) {
  const { vendorsUrl, host, origin } = settings
  const origins = isLoopback(host) ? [demoInboxOrigin(settings), origin] : []
  const exactAllowed = origins
    .filter((each) => isLoopback(new URL(each).hostname))
    .flatMap((each) => demoInboxes.map((name) => `${each}/demo/inbox/${name}`))
  return { ...outboundSettings(settings), exactAllowed, ...(vendorsUrl && { vendorsUrl }) }
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
  if (isLoopback(settings.host)) demoInboxRoutes(app, demoInboxesOf(runtimes), runtimes[0]!.clock.now)
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
  return {
    send,
    vetAddress,
    proofsFor: ({ store, servedHosts, clock, snapshots }: EnvironmentRuntime) =>
      openHostProofs({ store, servedHosts, clock, dns, target, teamOf: (tagId) => snapshots.get(tagId)?.teamId }),
  }
}

/** Counts what a replay would send, with the providers and plugins of this build. */
function openEnvironmentDryRun({ settings, log, locate, rates }: ServerRuntime, runtime: EnvironmentRuntime) {
  const { clock, store, stream, keys, snapshots, profiles } = runtime
  const { brand } = settings
  const captures = openCaptureRules(providers, openScriptSecrets(runtime)).ofTag
  const data = { clock, store, stream, keys, snapshots, profiles }
  return openDryRun({ ...data, log, brand, locate, rates, providers, plugins, captures })
}

/** Plans and sends test events from this thread, because they are few. `send` has the guard of the worker's sender. */
export function openEnvironmentTestRun(server: ServerRuntime, runtime: EnvironmentRuntime, send: SendRequest) {
  const { settings, log, locate, rates, sandbox } = server
  const { environment, clock, stream, keys, profiles, tagUrl, intakeRate } = runtime
  const captures = openCaptureRules(providers, openScriptSecrets(runtime)).ofTag
  return openTestRun({
    ...{ environment, clock, stream, keys, profiles, tagUrl, intakeRate },
    ...{ log, locate, rates, captures, send, providers, plugins },
    brand: settings.brand,
    runCode: sandbox.run,
    keep: toRetentionPolicy(settings),
    random: Math.random,
  })
}

type ControlParts = Pick<ControlDeps, 'send' | 'vetAddress' | 'hostProofs' | 'server' | 'runTest'> & {
  passwords: PasswordHasher
}

const toMails = (sendMail: SendMail, { baseUrl, environment }: EnvironmentRuntime) => ({
  send: openAccountMails({ sendMail, baseUrl, environment }),
  baseUrl,
})

/** The dependencies of the control plane of one environment. */
function toControlDeps(server: ServerRuntime, runtime: EnvironmentRuntime, parts: ControlParts): ControlDeps {
  const { settings, log, rates, parseCode, sandbox, mail } = server
  const { environment, baseUrl, tagUrl, clock, store, stream, keys, sealingKeys, snapshots } = runtime
  const { profiles, authenticate, intake } = runtime
  const { send, vetAddress, hostProofs, passwords, runTest, server: report } = parts
  /** The part of this process of a limit that all control processes share. */
  const part = (limit: number) => Math.ceil(limit / runtime.cluster.members.count('control'))
  const accountDeps = { environment, clock, store, keys }
  return {
    ...openSignInMethods({ ...accountDeps, passwords, log, mails: mail && toMails(mail.send, runtime) }),
    environment,
    baseUrl,
    tagUrl,
    brand: settings.brand,
    clock,
    log,
    store,
    stream,
    keys,
    sealingKeys,
    snapshots,
    profiles,
    intakeLog: runtime.intakeLog,
    runLog: runtime.runLog,
    authenticate,
    authenticatePerson: createPersonAuthenticator(accountDeps),
    findPersonAccess: createPersonAccess(accountDeps),
    send,
    parseCode,
    vetAddress,
    runCode: sandbox.run,
    guard: outboundGuard(settings),
    demoInboxes: demoInboxesOf(server.environments),
    hostProofs,
    server: report,
    dryRunReplay: openEnvironmentDryRun(server, runtime),
    runTest,
    journalMs: toRetentionPolicy(settings).journalMs,
    rates,
    limits: settings,
    streamSlots: openSlots(() => part(settings.streamsPerTeam)),
    personStreamSlots: openSlots(() => part(settings.streamsPerPerson)),
    querySlots: openSlots(() => part(settings.queriesPerTeam)),
    tokenRate: openTokenIssueRate(settings, clock, () => runtime.cluster.members.count('control')),
    rateLimit: () => part(settings.rateLimit),
    retryAfterSeconds: intake.retryAfterSeconds,
  }
}

/** Serves the dashboard beside the control API. */
function openDashboard(app: FastifyInstance, { settings, log }: ServerRuntime): void {
  if (!hasRole('control', settings)) return
  const build = readDashboard(dashboardFolder)
  if (!build) log({ level: 'warn', message: 'The dashboard is not built, /dashboard is 404: npm run bundle' })
  app.register(async (routes) => dashboardRoutes(routes, settings.origin, build))
}

/** Serves the control API and the pages of people, and checks the claims to hosts, until the app is closed. */
function openControl(app: FastifyInstance, server: ServerRuntime, deps: Pick<ServerStatus, 'ready'>): void {
  const { settings, log } = server
  const { send, vetAddress, proofsFor } = openOutboundServices(server)
  const passwords = createPasswordHasher()
  const closing = new AbortController()
  app.addHook('onClose', async () => {
    closing.abort()
    await send.close()
  })
  for (const runtime of server.environments) {
    const proofs = proofsFor(runtime)
    const report = createServerReport(settings, { version: server.version, ready: deps.ready })
    const testSender = openSender(senderOptions(settings, demoInboxesOf(server.environments)))
    app.addHook('onClose', () => testSender.close())
    const runTest = openEnvironmentTestRun(server, runtime, testSender)
    const parts = { send, vetAddress, passwords, runTest, hostProofs: proofs, server: report }
    const controlDeps = toControlDeps(server, runtime, parts)
    const { environment, keys, clock, store, snapshots } = runtime
    app.register(async (routes) => controlRoutes(routes, controlDeps), { prefix: basePath(environment) })
    const { leases } = runtime.cluster
    const claimsDeps = { environment, keys, clock, store, snapshots, send, log, leases, hostProofs: proofs }
    void watchHostClaims(claimsDeps, closing.signal)
    const pageDeps = { ...controlDeps, origin: settings.origin }
    app.register(async (routes) => accountRoutes(routes, pageDeps))
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
  openDashboard(app, server)
  if (hasRole('control', settings)) openControl(app, server, deps)
  await app.ready()
  return { app, listener: listener! }
}
