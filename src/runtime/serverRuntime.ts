import { createServer, type RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { openAccountMails } from '#account/accountMails.ts'
import { createPasswordHasher, type PasswordHasher } from '#account/password.ts'
import { createPersonAccess } from '#account/personAccess.ts'
import { createPersonAuthenticator } from '#account/personAuthenticator.ts'
import { openSandboxAccounts } from '#account/sandboxAccounts.ts'
import { openSandboxLinks } from '#account/sandboxLinks.ts'
import { openSignInMethods } from '#account/signInMethods.ts'
import { createAlertPage } from '#alert/alertPage.ts'
import type { ControlDeps } from '#control/controlDeps.ts'
import { controlRoutes } from '#control/controlRoutes.ts'
import { watchHostClaims } from '#control/hostClaims.ts'
import { openDryRun } from '#control/replayRequest.ts'
import { openCaptureRules } from '#delivery/captureRules.ts'
import { openScriptSecrets } from '#delivery/scriptSecrets.ts'
import { accountRoutes } from '#http/accountRoutes.ts'
import { dashboardFolder, dashboardRoutes, readDashboard } from '#http/dashboard.ts'
import { createFastify } from '#http/fastifyApp.ts'
import { type ApiReference, referencePages } from '#http/referencePages.ts'
import { toRetentionPolicy } from '#journal/retentionPolicy.ts'
import { openSlots } from '#limit/slots.ts'
import { openTokenIssueRate } from '#limit/tokenIssueRate.ts'
import type { SendMail } from '#mail/mail.ts'
import { plugins } from '#plugins/index.ts'
import { systemResolve, vetHost, vetUrl } from '#provider/engine/outboundGuard.ts'
import { openSender } from '#provider/engine/send.ts'
import { providers } from '#providers/index.ts'
import { hookLimits } from '#script/hook.ts'
import type { VetAddress } from '#script/vetAddress.ts'
import { createSystemDns } from '#tag/dns.ts'
import { openHostProofs } from '#tag/hostProofs.ts'
import { alertMailer } from './alertMail.ts'
import type { EnvironmentRuntime } from './environmentRuntime.ts'
import { basePath, dashboardPath } from './environmentStore.ts'
import { openEnvironmentTestRun } from './environmentTestRun.ts'
import { ownRoutes, type ServerStatus } from './ownRoutes.ts'
import { createServerReport } from './serverReport.ts'
import { demoInboxesOf, outboundGuard, outboundSettings, type ServerRuntime, senderOptions } from './sharedRuntime.ts'

const toApiReference = ({ environment }: EnvironmentRuntime): ApiReference => ({
  environment,
  path: environment === 'production' ? '/docs' : `/${environment}/docs`,
  document: `${basePath(environment)}/openapi.json`,
})

/** The control plane's outbound calls: deploy hooks, vendor ratings, and DNS lookups that prove host ownership. */
function openOutboundServices({ settings }: ServerRuntime) {
  const { vendorsUrl } = settings
  const send = openSender({ ...outboundSettings(settings), ...(vendorsUrl && { vendorsUrl }), limits: hookLimits })
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

type ControlParts = Pick<ControlDeps, 'send' | 'vetAddress' | 'hostProofs' | 'server' | 'runTest'> & {
  passwords: PasswordHasher
}

/** The account mails of one environment. */
export const toMails = (sendMail: SendMail, { baseUrl, environment }: EnvironmentRuntime) => ({
  send: openAccountMails({ sendMail, baseUrl, environment }),
  baseUrl,
})

/** Links people to the sandbox; only for production, and only if this process serves both. */
function toSandboxLinks({ environments }: ServerRuntime, runtime: EnvironmentRuntime, passwords: PasswordHasher) {
  const sandbox = environments.find(({ environment }) => environment === 'sandbox')
  if (runtime.environment !== 'production' || !sandbox) return {}
  return { sandboxLinks: openSandboxLinks({ ...runtime, passwords }, openSandboxAccounts({ ...sandbox, passwords })) }
}

/** The dependencies of the control plane of one environment. */
function toControlDeps(server: ServerRuntime, runtime: EnvironmentRuntime, parts: ControlParts): ControlDeps {
  const { settings, log, rates, parseCode, sandbox, mail } = server
  const { environment, baseUrl, tagUrl, clock, store, stream, keys, sealingKeys, snapshots } = runtime
  const { profiles, authenticate, intake } = runtime
  const { send, vetAddress, hostProofs, passwords, runTest, server: report } = parts
  /** This process's share of a limit for all control processes. */
  const part = (limit: number) => Math.ceil(limit / runtime.cluster.members.count('control'))
  const accountDeps = { environment, clock, store, keys }
  return {
    ...openSignInMethods({ ...accountDeps, passwords, log, mails: mail && toMails(mail.send, runtime) }),
    ...toSandboxLinks(server, runtime, passwords),
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
    ...alertMailer(server.mail),
    alertPage: createAlertPage(settings.origin + dashboardPath(environment)),
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
  const build = readDashboard(dashboardFolder)
  if (!build)
    log({ level: 'warn', message: 'The dashboard is not built, so /dashboard responds with 404. Run npm run bundle.' })
  app.register(async (routes) => dashboardRoutes(routes, settings.origin, build))
}

/** Serves the control API and the pages for people, and checks host claims, until the app is closed. */
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

/** The Fastify app of a process with the role `control`, with every HTTP route except the edge's, and its request listener. */
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
  app.register(async (routes) => {
    ownRoutes(routes, server, deps)
    referencePages(routes, server.environments.map(toApiReference))
  })
  openDashboard(app, server)
  openControl(app, server, deps)
  await app.ready()
  return { app, listener: listener! }
}

export type { ServerRuntime } from './sharedRuntime.ts'
