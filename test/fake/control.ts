import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { authenticate } from '#account/authenticate.ts'
import { authenticatePerson } from '#account/authenticatePerson.ts'
import { openKeyring } from '#account/keyring.ts'
import { type HashCost, openPasswords, type Passwords } from '#account/password.ts'
import { openSealingKeys } from '#account/sealingKeys.ts'
import { openSignIns } from '#account/signIns.ts'
import { createTeam } from '#account/team.ts'
import { createToken } from '#account/token.ts'
import type { ErrorObject } from '#contract/fault.ts'
import { type EnvironmentName, environments } from '#contract/me.ts'
import { type Operation, type OperationId, operations } from '#contract/operations.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { Scope } from '#contract/scopes.ts'
import type { SecretEntry, SecretType } from '#contract/script.ts'
import { sealEntry } from '#contract/seal.ts'
import { type TeamLimits, usualTeamLimits } from '#contract/teamLimits.ts'
import { controlRoutes } from '#control/app.ts'
import type { ControlWorld } from '#control/world.ts'
import { openTrial } from '#delivery/replayAsk.ts'
import { dedupKeys } from '#event/dedupKeys.ts'
import { sealRecord } from '#event/record.ts'
import { fastifyFor } from '#http/app.ts'
import { newId, newUserId } from '#kit/id.ts'
import { QueryRefused } from '#kit/queryPool.ts'
import { openSeats } from '#limit/seats.ts'
import { openTokenRate } from '#limit/tokenRate.ts'
import { plugins } from '#plugins/index.ts'
import { type GuardPolicy, vetHost, vetUrl } from '#provider/engine/outboundGuard.ts'
import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { providers } from '#providers/index.ts'
import { openParser } from '#sandbox/parse.ts'
import { liveSnapshots } from '#script/snapshot.ts'
import { openSqliteStore } from '#store/sqlite/store.ts'
import type { SealingKeyPair } from '#store/store.ts'
import { openSqliteStream } from '#stream/sqlite.ts'
import type { Dns } from '#tag/dns.ts'
import { openHostProofs } from '#tag/hostProofs.ts'
import { servedHosts } from '#tag/servedHosts.ts'
import { createTag } from '#tag/tag.ts'
import { compileCaptures } from '#user/capture.ts'
import { openPeople } from '#user/people.ts'
import { type TurnedClock, turnedClock } from './clock.ts'

const origin = 'https://aglet.example'
const prefixes: Record<EnvironmentName, string> = { production: '', sandbox: '/sandbox' }

export type Control = {
  /** Where everything is kept. */
  data: string
  app: FastifyInstance
  clock: TurnedClock
  worlds: Record<EnvironmentName, ControlWorld>
  lines: Record<string, unknown>[]
  /** What deploy hooks were asked, and how they answer. */
  hooks: { asked: WireRequest[]; answer: SendResult }
  /** Where names lead, and the texts of `_aglet.…`; others have no record. */
  names: Map<string, string>
  /** While it is true, whatever an operation reaches for fails. */
  broken: boolean
  close(): Promise<void>
}

type House = { data: string } & Pick<ControlWorld, 'log' | 'send' | 'vetAddress'> & {
    clock: TurnedClock
    passwords: Passwords
    dns: Dns
  }

/** Of a password: a thousandth of what one costs that is kept. */
export const cost: HashCost = { N: 2 ** 10, r: 1, p: 1 }

const guard: GuardPolicy = { allowPrivate: false, ports: [], ownPorts: [] }

/** One root key for every control API of the process: what hangs on it takes long to make. */
const rootKey = randomBytes(32)
const made = new Map<EnvironmentName, { environmentKey: Uint8Array; pairs: SealingKeyPair[] }>()

async function openWorld(
  { data, clock, passwords, dns, ...told }: House,
  environment: EnvironmentName,
): Promise<ControlWorld> {
  const store = await openSqliteStore(join(data, `${environment}.db`))
  const stream = await openSqliteStream(join(data, `${environment}.stream.db`), clock)
  const known = made.get(environment)
  const keys = openKeyring(rootKey, environment, known)
  if (known) await store.write(known.pairs.map((row) => ({ put: 'sealingKey', row })))
  const sealingKeys = await openSealingKeys(store, keys, clock)
  const hosts = servedHosts()
  const snapshots = liveSnapshots([], hosts)
  const hostProofs = openHostProofs({ store, servedHosts: hosts, dns, target: 'aglet.example', clock })
  const people = openPeople({ store, keys, clock, log: told.log }, new AbortController().signal)
  const captures = () => compileCaptures([])
  const limits = { ...usualTeamLimits }
  const deciding = { brand: 'Service', clock, log: told.log, store, stream, keys, snapshots, people, captures }
  made.set(environment, { environmentKey: keys.sealedEnvironment(), pairs: await store.sealingKeys() })
  return {
    environment,
    baseUrl: `${origin}${prefixes[environment]}/v1`,
    tagUrl: (tagId) => `${origin}${prefixes[environment]}/t/${tagId}`,
    brand: 'Service',
    clock,
    ...told,
    store,
    stream,
    keys,
    sealingKeys,
    snapshots,
    hostProofs,
    people,
    tryReplay: openTrial({ ...deciding, providers, plugins, rates: () => undefined, locate: () => ({}) }),
    parseCode: openParser(),
    runCode: async () => ({ value: null, logs: [] }),
    guard,
    authenticate: authenticate({ environment, clock, store, keys }),
    authenticatePerson: authenticatePerson({ environment, clock, store, keys }),
    ...openSignIns({ environment, clock, store, keys, passwords }),
    limits,
    streamSeats: openSeats(() => limits.streamsPerTeam),
    querySeats: openSeats(() => limits.queriesPerTeam),
    tokenRate: openTokenRate(limits, clock),
    rateLimit: 1_000_000,
    busy: () => undefined,
  }
}

/** Name servers that know where these names lead: to an address, to another name, or of `_aglet.…` to a text. */
export function fakeDns(names: ReadonlyMap<string, string>): Dns {
  const none = async () => Promise.reject(Object.assign(new Error('no record'), { code: 'ENODATA' }))
  const led = (host: string) => names.get(host) ?? ''
  return {
    texts: async (host) => (led(host) ? [led(host)] : none()),
    cname: async (host) => (isIP(led(host)) || !led(host) ? none() : [led(host)]),
    addresses: async (host) => (isIP(led(host)) ? [led(host)] : led(led(host)) ? [led(led(host))] : none()),
  }
}

/** A world that can be broken: a bug, or a disk that is gone. */
function breakable(world: ControlWorld, isBroken: () => boolean): ControlWorld {
  const fail = () => {
    if (isBroken()) throw new Error('the disk says password hunter2')
  }
  const checked: Pick<ControlWorld, 'authenticate' | 'authenticatePerson'> = {
    authenticate: async (authorization) => {
      fail()
      return world.authenticate(authorization)
    },
    authenticatePerson: async (authorization) => {
      fail()
      return world.authenticatePerson(authorization)
    },
  }
  return new Proxy(world, {
    get(target, name: keyof ControlWorld) {
      if (name in checked) return checked[name as keyof typeof checked]
      fail()
      return target[name]
    },
  })
}

/** The control API of both environments on real stores in a directory of its own. */
export async function openControl(passwords = openPasswords({ cost })): Promise<Control> {
  const data = mkdtempSync(join(tmpdir(), 'aglet-control-'))
  const lines: Record<string, unknown>[] = []
  const log: ControlWorld['log'] = (line) => lines.push(line)
  const clock = turnedClock()
  const hooks: Control['hooks'] = { asked: [], answer: { status: 200, headers: {}, body: '', durationMs: 1 } }
  const send: ControlWorld['send'] = async (request) => {
    hooks.asked.push(request)
    return hooks.answer
  }
  const names = new Map([['aglet.example', '192.0.2.1']])
  const vetAddress: ControlWorld['vetAddress'] = async (url) => {
    await vetHost(vetUrl(url, guard), guard, async (host) => [names.get(host) ?? []].flat())
  }
  const house = { data, clock, log, send, vetAddress, passwords, dns: fakeDns(names) }
  const opened = await Promise.all(environments.map((name) => openWorld(house, name)))
  const worlds = Object.fromEntries(opened.map((world) => [world.environment, world])) as Control['worlds']
  const app = fastifyFor({ log })
  const control: Control = { data, app, clock, worlds, lines, hooks, names, broken: false, close }
  for (const world of opened) {
    const prefix = `${prefixes[world.environment]}/v1`
    app.register(
      async (scope) =>
        controlRoutes(
          scope,
          breakable(world, () => control.broken),
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

/** Asks while the production world is another. */
export async function inWorld<T>(
  { worlds }: Control,
  other: Partial<ControlWorld>,
  asks: () => Promise<T>,
): Promise<T> {
  const before = Object.fromEntries(
    Object.keys(other).map((name) => [name, worlds.production[name as keyof ControlWorld]]),
  )
  Object.assign(worlds.production, other)
  return asks().finally(() => Object.assign(worlds.production, before))
}

/** The same where a team may use less. */
export const withLimits = <T>(control: Control, limits: Partial<TeamLimits>, asks: () => Promise<T>): Promise<T> => {
  const { limits: usual, clock } = control.worlds.production
  const all = { ...usual, ...limits }
  const seats = { streamSeats: openSeats(() => all.streamsPerTeam), querySeats: openSeats(() => all.queriesPerTeam) }
  return inWorld(control, { limits: all, ...seats, tokenRate: openTokenRate(all, clock) }, asks)
}

/** The same where every query is refused. */
export const whileQueriesAre = <T>(control: Control, why: QueryRefused['why'], asks: () => Promise<T>): Promise<T> => {
  const { store } = control.worlds.production
  const refuse = async () => Promise.reject(new QueryRefused(why, 10_000))
  const refused = {
    stats: refuse,
    deliveries: refuse,
    events: refuse,
    eventsOf: refuse,
    watch: refuse,
    replayed: refuse,
  }
  return inWorld(control, { store: { ...store, queries: () => refused } }, asks)
}

/** A team with a tag and a token that may do everything. */
export type Customer = { environment: EnvironmentName; teamId: string; token: string; tokenId: string; tagId: string }

export async function makeCustomer(
  { worlds }: Control,
  { environment = 'production', scopes }: { environment?: EnvironmentName; scopes?: Scope[] } = {},
): Promise<Customer> {
  const on = worlds[environment]
  const { teamId } = await createTeam(on, 'a team', 'operator')
  const token = await createToken(on, { teamId, ...(scopes && { scopes }) }, 'operator')
  const { tagId } = await createTag(on, teamId, { by: 'operator' }, { name: 'shop', domain: 'example.com' })
  return { environment, teamId, tagId, ...token }
}

export type Asked = {
  /** The values of path and query by name. */
  values?: Record<string, string | number>
  body?: unknown
  /** Sent as it is, in place of `body`. */
  payload?: string | Buffer
  /** Undefined leaves a header out. */
  headers?: Record<string, string | undefined>
}
export type Told = {
  status: number
  headers: Record<string, unknown>
  body: Record<string, unknown> & Partial<ErrorObject>
}

/** Calls an operation as a customer does. */
export async function ask({ app }: Control, id: OperationId, as: Customer, asked: Asked = {}): Promise<Told> {
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
  return { status: answer.statusCode, headers: answer.headers, body: answer.body ? answer.json() : {} }
}

export type Plain = [variable: string, type: SecretType, plaintext: string]

/** Seals as a caller does, for this customer and provider. */
export async function sealed(
  { worlds }: Control,
  { environment, teamId }: Customer,
  providerId: ProviderId,
  ...plain: Plain[]
): Promise<SecretEntry[]> {
  const key = worlds[environment].sealingKeys.active()
  const entries = plain.map(([variable, type, plaintext]) =>
    sealEntry({ environment, teamId, providerId, variable, type, plaintext, key }),
  )
  return Promise.all(entries)
}

/** The body of a POST or PUT of an eventSink, with its address. */
export async function sinkBody(control: Control, as: Customer, more: Record<string, unknown> = {}) {
  const secrets = await sealed(control, as, 'eventSink', ['EVENT_SINK_URL', 'TEXT', 'https://sink.example/in'])
  return { name: 'sink', providerId: 'eventSink', tagId: as.tagId, secrets, ...more }
}

/** A script that is there. */
export async function makeScript(control: Control, as: Customer, more: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await ask(control, 'createScript', as, { body: await sinkBody(control, as, more) })
  if (status !== 200) throw new Error(`POST /script answered ${status}: ${JSON.stringify(body)}`)
  return String(body.scriptId)
}

/** An event of the customer that was accepted; planned with one delivery unless it is still waiting. */
export async function makeEvent(
  { worlds }: Control,
  { environment, teamId, tagId }: Customer,
  eventId: string,
  { isPlanned = true, trusted = false } = {},
): Promise<string> {
  const { stream, store, keys, clock } = worlds[environment]
  const receivedAt = clock.now()
  const context = { tagId, teamId, userId: 'usr_1', presented: true, trusted, receivedAt }
  const body = Buffer.from(JSON.stringify({ eventName: 'Purchase', eventId, timestamp: receivedAt }))
  const taken = dedupKeys([eventId], context, keys)
  await stream.append({ tagId, payload: sealRecord([{ context, body }], context, keys), ...taken })
  const place = await stream.find(taken.keys[0]!)
  if (!place) throw new Error('the event was not kept')
  const planned = { ...place, tagId, eventName: 'Purchase', userId: 'usr_1', receivedAt }
  const delivery = { deliveryId: newId('dlv', receivedAt), scriptId: 'scr_1', providerId: 'eventSink' } as const
  const consent = { source: 'event', decided: { all: true } } as const
  if (isPlanned) {
    const deliveries = [{ ...delivery, status: 'skipped', reason: 'consent' } as const]
    await store.journal.plan([{ ...planned, consent, place: { source: 'unknown' }, deliveries }])
  }
  return eventId
}

/** A user that the tag knows. */
export async function makeUser({ worlds }: Control, { environment, teamId, tagId }: Customer): Promise<string> {
  const { people, clock } = worlds[environment]
  const userId = newUserId()
  const profile = { keys: { city: 'Bonn' }, custom: {}, captured: {}, seenAt: clock.now() }
  await (await people.change({ tag: { teamId, tagId }, userId }, () => profile)).written
  return userId
}
