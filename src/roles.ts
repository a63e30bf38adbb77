import { createServer, type RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { authenticatePerson } from '#account/authenticatePerson.ts'
import { openPasswords } from '#account/password.ts'
import { openSignIns } from '#account/signIns.ts'
import { openAlerts } from '#alert/alerts.ts'
import { isLoopback, ownOrigin, type Settings } from '#contract/settings.ts'
import { controlRoutes } from '#control/app.ts'
import { watchHostClaims } from '#control/hostClaims.ts'
import { openCaptures } from '#delivery/captures.ts'
import { openTrial } from '#delivery/replayAsk.ts'
import { openedSecrets, pageVariables } from '#delivery/secrets.ts'
import { startWorker } from '#delivery/worker.ts'
import { edgeDoor } from '#edge/door.ts'
import type { EdgeWorld } from '#edge/world.ts'
import type { Locate } from '#geo/locate.ts'
import { accountRoutes } from '#http/account.ts'
import { fastifyFor } from '#http/app.ts'
import { askRoute } from '#http/ask.ts'
import { demoInbox } from '#http/demoInbox.ts'
import { healthRoutes, type Readiness } from '#http/health.ts'
import { meterOverload } from '#http/overload.ts'
import { statusPage } from '#http/page.ts'
import { type Reference, referencePages } from '#http/reference.ts'
import { keepOf } from '#journal/keep.ts'
import type { Log } from '#kit/log.ts'
import type { Meter } from '#kit/meter.ts'
import { openSeats } from '#limit/seats.ts'
import { openTokenRate } from '#limit/tokenRate.ts'
import { readSdk, sdkFolder } from '#manifest/sdk.ts'
import type { Rates } from '#plugin/plugin.ts'
import { plugins } from '#plugins/index.ts'
import { type GuardPolicy, systemResolve, vetHost, vetUrl } from '#provider/engine/outboundGuard.ts'
import { openSender } from '#provider/engine/send.ts'
import { openSendThread } from '#provider/engine/sendThread.ts'
import { providers } from '#providers/index.ts'
import { fetchLimits, guardedFetch } from '#sandbox/fetch.ts'
import type { ParseCode } from '#sandbox/parse.ts'
import { type SharedSandbox, shareSandbox } from '#sandbox/shared.ts'
import { hookLimits } from '#script/hook.ts'
import type { VetAddress } from '#script/hookAddress.ts'
import { systemDns } from '#tag/dns.ts'
import { openHostProofs } from '#tag/hostProofs.ts'
import type { Ground } from './cli/operator/ground.ts'
import { basePath, tagPrefix } from './cli/operator/home.ts'

/** What the roles share: the process-wide parts, and the ground of each environment. */
export type House = {
  version: string
  settings: Settings
  log: Log
  meter: Meter
  locate: Locate
  rates(): Rates | undefined
  /** Where customers' code runs. */
  sandbox: SharedSandbox
  parseCode: ParseCode
  grounds: readonly Ground[]
}

/** The sandbox of the process, opened when code is first run; its `fetch` goes through the outbound guard. */
export function openCode(settings: Settings): SharedSandbox {
  const send = openSender({ ...outboundOf(settings), limits: fetchLimits })
  const sandbox = shareSandbox({ fetch: guardedFetch(send), acceptWeak: settings.acceptWeakSandbox })
  return { ...sandbox, close: () => sandbox.close().finally(send.close) }
}

/** How requests leave whose address a customer may name. */
const outboundOf = ({ allowPrivateDestinations, outboundPorts, port, dnsServers }: Settings) => ({
  allowPrivate: allowPrivateDestinations,
  outboundPorts,
  dnsServers,
  ownPorts: [port],
})

/** Which addresses customers may have us reach. */
export function guardOf(settings: Settings): GuardPolicy {
  const { allowPrivate, outboundPorts: ports, ownPorts } = outboundOf(settings)
  return { allowPrivate, ports, ownPorts }
}

export const does = (role: 'control' | 'edge' | 'worker', { role: chosen }: Settings) =>
  chosen === 'all' || chosen === role

/** A server on a loopback address reaches itself there; elsewhere only its callers' way is known. */
export const inboxOrigin = ({ host, port, origin }: Settings) => (isLoopback(host) ? ownOrigin(host, port) : origin)

/** Answers what lies below the tag URLs; false for every other address. */
export function openEdge({ settings, log, meter, sandbox, grounds }: House): ReturnType<typeof edgeDoor> {
  if (!does('edge', settings)) return () => false
  const { brand, trustProxy, tagOrigin } = settings
  const { protocol, hostname } = new URL(tagOrigin)
  const sdk = readSdk(sdkFolder)
  if (sdk.length === 0)
    log({ level: 'warn', message: 'The browser SDK is not built, GET /load is 404: npm run bundle' })
  const shared = { brand, trustProxy, log, meter, development: protocol === 'http:' && isLoopback(hostname) }
  return edgeDoor(
    grounds.map((ground) => {
      const plaintexts = openedSecrets(ground)
      meterOverload(ground.intake, meter, { environment: ground.environment })
      return {
        ...ground,
        ...shared,
        sdk,
        providers,
        runCode: sandbox.run,
        plaintexts,
        variables: pageVariables(plaintexts, providers),
        captures: openCaptures(providers, plaintexts),
        settled: settledOf(ground),
        prefix: tagPrefix(ground.environment),
        busy: ground.intake.busy,
        hold: ground.intake.hold,
        isFull: ground.intake.isFull,
      }
    }),
  )
}

const syncMs = 10_000

const settledOf =
  ({ settled, keys }: Ground): EdgeWorld['settled'] =>
  async ({ tagId, teamId }, eventId, trusted) => {
    const key = keys.team(teamId).eventKey(tagId, eventId, trusted)
    const deliveries = await settled.deliveriesOf(tagId, key, syncMs)
    return deliveries.map(({ scriptId, providerId, status, reason }) => ({
      scriptId,
      providerId,
      status,
      ...(reason && { reason }),
    }))
  }

export type Stoppable = { stop(): Promise<void> }

/** Starts the delivery of every environment. */
export function startWorkers({ settings, log, meter, locate, rates, sandbox, grounds }: House): Stoppable[] {
  if (!does('worker', settings)) return []
  const { vendorsUrl, host, brand } = settings
  const outbound = outboundOf(settings)
  return grounds.map((ground) => {
    const inbox = `${inboxOrigin(settings)}/demo/inbox/${ground.inbox}`
    const exactAllowed = isLoopback(host) ? [inbox] : []
    const send = openSendThread({ ...outbound, exactAllowed, ...(vendorsUrl && { vendorsUrl }) })
    const hooks = openSender({ ...outbound, limits: hookLimits })
    const alerts = openAlerts({ ...ground, log, send: hooks })
    const worker = startWorker({
      ...ground,
      brand,
      log,
      meter,
      locate,
      rates,
      plugins,
      providers,
      send,
      runCode: sandbox.run,
      told: alerts.told,
      keep: keepOf(settings),
      random: Math.random,
    })
    const close = async () => {
      await alerts.stop()
      await Promise.all([send.close(), hooks.close()])
    }
    return { stop: () => worker.stop().finally(close) }
  })
}

const referenceOf = ({ environment }: Ground): Reference => ({
  environment,
  path: environment === 'production' ? '/docs' : `/${environment}/docs`,
  document: `${basePath(environment)}/openapi.json`,
})

/** What Aglet says of itself: health, metrics and the status page; and the inbox of the demo scripts. */
function ownRoutes(app: FastifyInstance, house: House, on: Told): void {
  const { version, settings, grounds } = house
  healthRoutes(app, { ...on, version })
  const environments = grounds.map(({ environment, tagUrl }) => ({
    environment,
    baseUrl: settings.origin + basePath(environment),
    tagUrls: tagUrl('{tagId}'),
  }))
  statusPage(app, { version, brand: settings.brand, environments })
  if (does('control', settings)) referencePages(app, grounds.map(referenceOf))
  const own = [settings.origin, settings.tagOrigin].map((origin) => new URL(origin).hostname)
  askRoute(app, (host) => own.includes(host) || grounds.some((ground) => isServed(ground, host)))
  const names = grounds.map(({ inbox }) => inbox)
  if (isLoopback(settings.host)) demoInbox(app, names, grounds[0]!.clock.now)
}

const isServed = ({ snapshots, servedHosts }: Ground, host: string) =>
  servedHosts.isReady(host) && snapshots.ofHost(host) !== undefined

type Told = { ready(): Promise<Readiness>; metrics(): Promise<string> }

/** What the control plane asks outside: deploy hooks, and of DNS whose host names are. */
function openOutside({ settings }: House) {
  const send = openSender({ ...outboundOf(settings), limits: hookLimits })
  const target = new URL(settings.tagOrigin).hostname.replace(/^\[|\]$/g, '')
  const policy = guardOf(settings)
  const vetAddress: VetAddress = async (url) => {
    await vetHost(vetUrl(url, policy), policy, systemResolve(policy, settings.dnsServers))
  }
  const dns = systemDns(settings.dnsServers)
  return { send, vetAddress, proofsFor: (ground: Ground) => openHostProofs({ ...ground, dns, target }) }
}

/** Every HTTP route but the edge's, on a listener that a server of ours calls. */
export async function openApp(house: House, on: Told): Promise<{ app: FastifyInstance; listener: RequestListener }> {
  const { settings, log } = house
  let listener: RequestListener | undefined
  const app = fastifyFor({
    log,
    trustProxy: settings.trustProxy.ranges,
    serverFactory(made) {
      listener = made
      return createServer() // Fastify wants one to hold; it never listens
    },
  })
  app.register(async (routes) => ownRoutes(routes, house, on))
  const { send, vetAddress, proofsFor } = openOutside(house)
  const passwords = openPasswords()
  const closing = new AbortController()
  app.addHook('onClose', async () => {
    closing.abort()
    await send.close()
  })
  for (const ground of does('control', settings) ? house.grounds : []) {
    const prefix = basePath(ground.environment)
    const { brand, rateLimit } = settings
    const busy = ground.intake.busy
    const { locate, rates } = house
    const captures = openCaptures(providers, openedSecrets(ground)).ofTag
    const deciding = { ...ground, log, brand, locate, rates, providers, plugins, captures }
    const world = {
      ...ground,
      send,
      vetAddress,
      hostProofs: proofsFor(ground),
      rates,
      authenticatePerson: authenticatePerson(ground),
      ...openSignIns({ ...ground, passwords }),
      tryReplay: openTrial(deciding),
      parseCode: house.parseCode,
      runCode: house.sandbox.run,
      guard: guardOf(settings),
      brand,
      limits: settings,
      streamSeats: openSeats(() => settings.streamsPerTeam),
      querySeats: openSeats(() => settings.queriesPerTeam),
      tokenRate: openTokenRate(settings, ground.clock),
      rateLimit,
      busy,
      log,
    }
    app.register(async (routes) => controlRoutes(routes, world), { prefix })
    void watchHostClaims(world, closing.signal)
    app.register(async (routes) => accountRoutes(routes, { ...world, origin: settings.origin }))
  }
  await app.ready()
  return { app, listener: listener! }
}
