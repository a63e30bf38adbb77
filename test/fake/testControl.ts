import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { openKeyring } from '#account/keyring.ts'
import { createPasswordHasher, type HashCost, type PasswordHasher } from '#account/password.ts'
import { createPersonAccess } from '#account/personAccess.ts'
import { createPersonAuthenticator } from '#account/personAuthenticator.ts'
import { openSealingKeys } from '#account/sealingKeys.ts'
import { openSignInMethods } from '#account/signInMethods.ts'
import { createTeam } from '#account/team.ts'
import { createToken } from '#account/token.ts'
import { createTokenAuthenticator } from '#account/tokenAuthenticator.ts'
import { createAlertPage } from '#alert/alertPage.ts'
import type { AlertMail } from '#alert/receivers/mailText.ts'
import type { ErrorObject } from '#contract/errorObject.ts'
import { type EnvironmentName, environments as environmentNames } from '#contract/me.ts'
import { type Operation, type OperationId, operations } from '#contract/operations.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { Scope } from '#contract/scopes.ts'
import type { SecretEntry, SecretType } from '#contract/script.ts'
import { sealEntry } from '#contract/seal.ts'
import type { ControlDeps } from '#control/controlDeps.ts'
import { controlRoutes } from '#control/controlRoutes.ts'
import { openDryRun } from '#control/replayRequest.ts'
import { openTestRun } from '#delivery/testRun.ts'
import { createFastify } from '#http/fastifyApp.ts'
import { openIntakeLog } from '#journal/intakeLog.ts'
import { defaultRetention } from '#journal/retentionPolicy.ts'
import { noRunLog } from '#journal/runLog.ts'
import { QueryRefused } from '#kit/queryPool.ts'
import { unlimitedIntake } from '#limit/intakeRate.ts'
import { openSlots } from '#limit/slots.ts'
import { openTokenIssueRate } from '#limit/tokenIssueRate.ts'
import { plugins } from '#plugins/index.ts'
import { type GuardPolicy, vetHost, vetUrl } from '#provider/engine/outboundGuard.ts'
import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { providers } from '#providers/index.ts'
import { createServerReport } from '#runtime/serverReport.ts'
import { openParser } from '#sandbox/parseCode.ts'
import { createSnapshots } from '#script/snapshot.ts'
import { readSettings } from '#settings/settings.ts'
import { defaultTeamLimits, type TeamLimits } from '#settings/teamLimits.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import type { SealingKeyPair } from '#store/store.ts'
import { openLogStream } from '#stream/log/logStream.ts'
import type { Dns } from '#tag/dns.ts'
import { openHostProofs } from '#tag/hostProofs.ts'
import { createServedHosts } from '#tag/servedHosts.ts'
import { createTag } from '#tag/tag.ts'
import { compileCaptureRules } from '#user/captureRules.ts'
import { openEventProfiles } from '#user/eventProfile.ts'
import { openProfiles } from '#user/profiles.ts'
import { type TurnedClock, turnedClock } from './clock.ts'
import { fakeDns } from './fakeDns.ts'
import { offerSandboxLinks } from './sandboxLinks.ts'

export { fakeDns }

const origin = 'https://aglet.example'
const prefixes: Record<EnvironmentName, string> = { production: '', sandbox: '/sandbox' }

export type TestControl = {
  /** The folder of all data. */
  data: string
  app: FastifyInstance
  clock: TurnedClock
  environments: Record<EnvironmentName, ControlDeps>
  lines: Record<string, unknown>[]
  /** The requests of deploy hooks, and the answer to them. */
  hooks: { asked: WireRequest[]; answer: SendResult }
  /** The mails about alerts. */
  mails: AlertMail[]
  /** The DNS records of names, and the texts of `_aglet.…`; other names have no record. */
  names: Map<string, string>
  /** While true, every dependency of an operation throws; an Error is thrown instead of the default one. */
  broken: boolean | Error
  close(): Promise<void>
}

type TestControlParts = { data: string } & Pick<ControlDeps, 'log' | 'send' | 'vetAddress'> & {
    clock: TurnedClock
    passwords: PasswordHasher
    dns: Dns
    mails: AlertMail[]
  }

/** The cost of a password hash in tests, a thousandth of that in production. */
export const cost: HashCost = { N: 2 ** 10, r: 1, p: 1 }

const guard: GuardPolicy = { allowPrivate: false, ports: [], ownPorts: [] }

/** One root key for every control API of the process, because the keys derived from it are slow to create. */
const rootKey = randomBytes(32)
const preparedKeys = new Map<EnvironmentName, { environmentKey: Uint8Array; pairs: SealingKeyPair[] }>()

async function openControlDeps(
  { data, clock, passwords, dns, ...parts }: TestControlParts,
  environment: EnvironmentName,
): Promise<ControlDeps> {
  const store = await openSqliteStore(join(data, `${environment}.db`))
  const stream = await openLogStream(join(data, `${environment}.stream.db`), clock)
  const known = preparedKeys.get(environment)
  const keys = openKeyring(rootKey, environment, known)
  if (known) await store.write(known.pairs.map((row) => ({ put: 'sealingKey', row })))
  const sealingKeys = await openSealingKeys(store, keys, clock)
  const hosts = createServedHosts()
  const snapshots = createSnapshots([], hosts)
  const hostProofs = openHostProofs({
    ...{ store, servedHosts: hosts, dns, target: 'aglet.example', clock },
    teamOf: (tagId) => snapshots.get(tagId)?.teamId,
  })
  const profiles = openProfiles(
    { store, keys, clock, log: parts.log, eventProfile: openEventProfiles({ store, stream, keys }) },
    new AbortController().signal,
  )
  const captures = () => compileCaptureRules([])
  const limits = { ...defaultTeamLimits }
  const dryRunDeps = { brand: 'Service', clock, log: parts.log, store, stream, keys, snapshots, profiles, captures }
  preparedKeys.set(environment, { environmentKey: keys.sealedEnvironmentKey(), pairs: await store.sealingKeys() })
  return {
    environment,
    baseUrl: `${origin}${prefixes[environment]}/v1`,
    tagUrl: (tagId) => `${origin}${prefixes[environment]}/t/${tagId}`,
    alertPage: createAlertPage(`${origin}${prefixes[environment]}/dashboard`),
    sendAlertMail: async (mail) => ({ status: parts.mails.push(mail) > 0 ? 'sent' : 'refused', message: '' }),
    brand: 'Service',
    clock,
    ...parts,
    store,
    stream,
    keys,
    sealingKeys,
    snapshots,
    hostProofs,
    profiles,
    runLog: noRunLog,
    intakeLog: openIntakeLog({ clock, store, log: parts.log }, AbortSignal.abort()),
    dryRunReplay: openDryRun({ ...dryRunDeps, providers, plugins, rates: () => undefined, locate: () => ({}) }),
    runTest: openTestRun({
      ...dryRunDeps,
      environment,
      providers,
      plugins,
      rates: () => undefined,
      locate: () => ({}),
      send: parts.send,
      keep: defaultRetention,
      runCode: async () => ({ value: null, logs: [] }),
      tagUrl: (tagId) => `${origin}/t/${tagId}`,
      intakeRate: unlimitedIntake,
      random: () => 0.5,
    }),
    journalMs: defaultRetention.journalMs,
    parseCode: openParser(),
    runCode: async () => ({ value: null, logs: [] }),
    guard,
    demoInboxes: ['demo'],
    authenticate: createTokenAuthenticator({ environment, clock, store, keys }),
    authenticatePerson: createPersonAuthenticator({ environment, clock, store, keys }),
    findPersonAccess: createPersonAccess({ environment, clock, store, keys }),
    ...openSignInMethods({ environment, clock, store, keys, passwords, log: parts.log, mails: undefined }),
    limits,
    streamSlots: openSlots(() => limits.streamsPerTeam),
    personStreamSlots: openSlots(() => limits.streamsPerPerson),
    querySlots: openSlots(() => limits.queriesPerTeam),
    tokenRate: openTokenIssueRate(limits, clock),
    rateLimit: () => 1_000_000,
    server: createServerReport(readSettings({}, {}), {
      version: '0.0.0',
      ready: async () => ({ ready: true, checks: { store: 'ok' } }),
    }),
    retryAfterSeconds: () => undefined,
  }
}

/** Dependencies that throw while `isBroken` returns true, like a bug or a failed disk. */
function withFailures(deps: ControlDeps, broken: () => boolean | Error): ControlDeps {
  const fail = () => {
    const error = broken()
    if (error) throw error === true ? new Error('the disk says password hunter2') : error
  }
  const checked: Pick<ControlDeps, 'authenticate' | 'authenticatePerson'> = {
    authenticate: async (authorization) => {
      fail()
      return deps.authenticate(authorization)
    },
    authenticatePerson: async (authorization) => {
      fail()
      return deps.authenticatePerson(authorization)
    },
  }
  return new Proxy(deps, {
    get(target, name: keyof ControlDeps) {
      if (name in checked) return checked[name as keyof typeof checked]
      fail()
      return target[name]
    },
  })
}

/** The control API of both environments on real stores in its own directory. */
export async function openTestControl(passwords = createPasswordHasher({ cost })): Promise<TestControl> {
  const data = mkdtempSync(join(tmpdir(), 'aglet-control-'))
  const lines: Record<string, unknown>[] = []
  const log: ControlDeps['log'] = (line) => lines.push(line)
  const clock = turnedClock()
  const hooks: TestControl['hooks'] = { asked: [], answer: { status: 200, headers: {}, body: '', durationMs: 1 } }
  const send: ControlDeps['send'] = async (request) => {
    hooks.asked.push(request)
    return hooks.answer
  }
  const names = new Map([['aglet.example', '192.0.2.1']])
  const vetAddress: ControlDeps['vetAddress'] = async (url) => {
    await vetHost(vetUrl(url, guard), guard, async (host) => [names.get(host) ?? []].flat())
  }
  const mails: AlertMail[] = []
  const shared = { data, clock, log, mails, send, vetAddress, passwords, dns: fakeDns(names) }
  const opened = await Promise.all(environmentNames.map((name) => openControlDeps(shared, name)))
  const environments = Object.fromEntries(opened.map((deps) => [deps.environment, deps])) as TestControl['environments']
  offerSandboxLinks(environments, passwords)
  const app = createFastify({ log })
  const control: TestControl = { data, app, clock, environments, lines, hooks, mails, names, broken: false, close }
  for (const deps of opened) {
    const prefix = `${prefixes[deps.environment]}/v1`
    app.register(
      async (scope) =>
        controlRoutes(
          scope,
          withFailures(deps, () => control.broken),
        ),
      { prefix },
    )
  }
  async function close() {
    await app.close()
    await Promise.all(opened.flatMap(({ store, stream }) => [store.close(), stream.close()]))
    rmSync(data, { recursive: true, force: true })
  }
  return control
}

/** Makes a call while the dependencies of production are changed. */
export async function withChangedDeps<T>(
  { environments }: TestControl,
  other: Partial<ControlDeps>,
  asks: () => Promise<T>,
): Promise<T> {
  const before = Object.fromEntries(
    Object.keys(other).map((name) => [name, environments.production[name as keyof ControlDeps]]),
  )
  Object.assign(environments.production, other)
  return asks().finally(() => Object.assign(environments.production, before))
}

/** Makes a call while the limits of a team are lower. */
export const withLimits = <T>(
  control: TestControl,
  limits: Partial<TeamLimits>,
  asks: () => Promise<T>,
): Promise<T> => {
  const { limits: usual, clock } = control.environments.production
  const all = { ...usual, ...limits }
  const seats = {
    streamSlots: openSlots(() => all.streamsPerTeam),
    personStreamSlots: openSlots(() => all.streamsPerPerson),
    querySlots: openSlots(() => all.queriesPerTeam),
  }
  return withChangedDeps(control, { limits: all, ...seats, tokenRate: openTokenIssueRate(all, clock) }, asks)
}

/** Makes a call while every query is refused. */
export const whileQueriesAre = <T>(
  control: TestControl,
  why: QueryRefused['why'],
  asks: () => Promise<T>,
): Promise<T> => {
  const { store } = control.environments.production
  const refuse = async () => Promise.reject(new QueryRefused(why, 10_000))
  const refused = {
    stats: refuse,
    deliveries: refuse,
    events: refuse,
    eventsOf: refuse,
    channels: refuse,
    funnel: refuse,
    teamCounts: refuse,
    intake: refuse,
    matches: refuse,
    watch: refuse,
    replayed: refuse,
    orderGroups: refuse,
    orders: refuse,
    ordersById: refuse,
    unknownOrders: refuse,
  }
  return withChangedDeps(control, { store: { ...store, queries: () => refused } }, asks)
}

/** Creates a team with a tag and a token that has every scope by default. */
export type Customer = { environment: EnvironmentName; teamId: string; token: string; tokenId: string; tagId: string }

export async function makeCustomer(
  { environments }: TestControl,
  { environment = 'production', scopes }: { environment?: EnvironmentName; scopes?: Scope[] } = {},
): Promise<Customer> {
  const deps = environments[environment]
  const { teamId } = await createTeam(deps, 'a team', 'operator')
  const token = await createToken(deps, { teamId, ...(scopes && { scopes }) }, 'operator')
  const { tagId } = await createTag(deps, teamId, { by: 'operator' }, { name: 'shop', domain: 'example.com' })
  return { environment, teamId, tagId, ...token }
}

export type ControlRequest = {
  /** The values of path and query by name. */
  values?: Record<string, string | number>
  body?: unknown
  /** Sent unchanged instead of `body`. */
  payload?: string | Buffer
  /** Undefined omits a header. */
  headers?: Record<string, string | undefined>
}
export type ControlAnswer = {
  status: number
  headers: Record<string, unknown>
  body: Record<string, unknown> & Partial<ErrorObject>
}

/** Calls an operation as a customer does. */
export async function callControl(
  { app }: TestControl,
  id: OperationId,
  as: Customer,
  asked: ControlRequest = {},
): Promise<ControlAnswer> {
  const { method, path, query, body: takesBody }: Operation = operations[id]
  const { values = {}, body, headers, payload = body === undefined ? undefined : JSON.stringify(body) } = asked
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const search = new URLSearchParams()
  for (const name of Object.keys(query?.properties ?? {})) {
    if (values[name] !== undefined) search.set(name, String(values[name]))
  }
  const merged = {
    authorization: `Bearer ${as.token}`,
    'team-id': as.teamId,
    'content-type': takesBody && 'application/json',
    ...headers,
  }
  const sent = Object.entries(merged).filter((each): each is [string, string] => each[1] !== undefined)
  const options: InjectOptions = { method, url: `${prefixes[as.environment]}/v1${filled}?${search}` }
  const answer = await app.inject({
    ...options,
    headers: Object.fromEntries(sent),
    ...(payload !== undefined && { payload }),
  })
  return { status: answer.statusCode, headers: answer.headers, body: readBody(answer) }
}

/** The JSON of a response, or the text of an export. */
function readBody({ body, headers }: { body: string; headers: Record<string, unknown> }): ControlAnswer['body'] {
  if (body === '') return {}
  return `${headers['content-type']}`.startsWith('application/json') ? JSON.parse(body) : { text: body }
}

export type Plain = [variable: string, type: SecretType, plaintext: string]

/** Seals a value for this customer and provider as a caller does. */
export async function sealPlain(
  { environments }: TestControl,
  { environment, teamId }: Customer,
  providerId: ProviderId,
  ...plain: Plain[]
): Promise<SecretEntry[]> {
  const key = environments[environment].sealingKeys.active()
  const entries = plain.map(([variable, type, plaintext]) =>
    sealEntry({ environment, teamId, providerId, variable, type, plaintext, key }),
  )
  return Promise.all(entries)
}

/** The body of a POST or PUT of an eventSink, with its address. */
export async function sinkBody(control: TestControl, as: Customer, more: Record<string, unknown> = {}) {
  const secrets = await sealPlain(control, as, 'eventSink', ['EVENT_SINK_URL', 'TEXT', 'https://sink.example/in'])
  return { name: 'sink', providerId: 'eventSink', tagId: as.tagId, secrets, ...more }
}

/** Creates a script. */
export async function makeScript(
  control: TestControl,
  as: Customer,
  more: Record<string, unknown> = {},
): Promise<string> {
  const { status, body } = await callControl(control, 'createScript', as, { body: await sinkBody(control, as, more) })
  if (status !== 200) throw new Error(`POST /script answered ${status}: ${JSON.stringify(body)}`)
  return String(body.scriptId)
}
