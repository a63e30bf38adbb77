import { once } from 'node:events'
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { openRecord, type RecordPart } from '#event/record.ts'
import { noIntakeLog } from '#journal/intakeLog.ts'
import { noRunLog } from '#journal/runLog.ts'
import { type Log, silentLog } from '#kit/log.ts'
import type { Meter } from '#kit/meter.ts'
import { unlimitedIntake } from '#limit/intakeRate.ts'
import { createSnapshots, type Snapshot } from '#script/snapshot.ts'
import type { EventPlace, Stream, StreamEntry } from '#stream/stream.ts'
import { createServedHosts } from '#tag/servedHosts.ts'
import { compileCaptureRules } from '#user/captureRules.ts'
import { openProfiles } from '#user/profiles.ts'
import { fakeUsers } from '../../test/fake/users.ts'
import type { EdgeDeps } from './edgeDeps.ts'
import { edgeRouter } from './router.ts'

export const now = Date.UTC(2026, 10, 20, 12)
export const teamId = 'team_01jd0000000000000000000000'
export const tagId = 'tag_01jd0000000000000000000000'
export const event = (more: object = {}) => ({ eventName: 'AddToCart', eventId: 'e-1', timestamp: now, ...more })

export const snapshot = (more: Partial<Snapshot> = {}): Snapshot => ({
  tagId,
  teamId,
  number: 1,
  name: 'shop',
  domain: 'example.com',
  hosts: [],
  allowedOrigins: [],
  consent: 'enabled',
  gpc: false,
  sameSite: 'Lax',
  serverToken: 'optional',
  plugins: [],
  scripts: [],
  ...more,
})

/** A claim of a host that DNS has proved. */
const provedClaim = (host: string) => ({ tagId, host, claimedAt: 1, provedSince: 1, provedAt: 1, checkedAt: 1 })

const fbCaptures = [{ query: 'fbclid', cookie: '_fbc' }, { cookie: '_fbp' }]

/** An in-memory stream with the methods that the edge calls. A position is the number of the body. */
function memoryStream() {
  const appended: StreamEntry[] = []
  const knownKeys = new Set<bigint>()
  const places = new Map<bigint, EventPlace>()
  const append = async (entry: StreamEntry) => {
    appended.push(entry)
    for (const [index, key] of entry.keys.entries())
      if (!places.has(key)) places.set(key, { position: appended.length, index })
    const isKnown = (index: number) => knownKeys.has(entry.keys[index]!) || knownKeys.has(entry.others?.[index] ?? 0n)
    return entry.keys.map((key, index) => !isKnown(index) && knownKeys.add(key) !== undefined)
  }
  const find = async (key: bigint) => places.get(key)
  const read = async (position: number) => {
    const entry = appended[position - 1]
    return entry && { position, tagId: entry.tagId, payload: entry.payload, newIndexes: [] }
  }
  const stream = { append, find, read, rewritten: () => 0 }
  return { appended, stream: stream as Pick<Stream, 'append' | 'find' | 'read' | 'rewritten'> as Stream }
}

/** A meter with readable counters and durations: `name{label values}`. */
function countingMeter() {
  const counts = new Map<string, number>()
  const durations = new Map<string, number[]>()
  const meter: Meter = {
    counter(name, _help, labels = {}) {
      const series = `${name}{${Object.values(labels).join(',')}}`
      return { add: (by = 1) => void counts.set(series, (counts.get(series) ?? 0) + by) }
    },
    gauge() {},
    histogram(name, _help, _bounds, labels = {}) {
      const series = `${name}{${Object.values(labels).join(',')}}`
      return { record: (seconds) => void durations.set(series, [...(durations.get(series) ?? []), seconds]) }
    },
  }
  return { meter, counts, durations }
}

export type TestRequest = {
  method?: string
  path?: string
  headers?: OutgoingHttpHeaders
  body?: unknown
  host?: string
}

/** The edge on a real HTTP server. `tag` and `deps` override the defaults. */
export async function openTestEdge(
  t: TestContext,
  { tag, deps }: { tag?: Partial<Snapshot>; deps?: Partial<EdgeDeps> } = {},
) {
  const keys = openKeyring(Buffer.alloc(32, 7), 'production')
  keys.createTeamKey(teamId)
  const { appended, stream } = memoryStream()
  const { meter, counts, durations } = countingMeter()
  const lines: Parameters<Log>[0][] = []
  const clock = { now: () => now, wait: async () => {} }
  const edgeDeps: EdgeDeps = {
    environment: 'production',
    prefix: '/t/',
    brand: 'Service',
    development: false,
    trustProxy: { ranges: [] },
    clock,
    log: (line) => void lines.push(line),
    meter,
    keys,
    snapshots: createSnapshots([snapshot(tag)], createServedHosts(tag?.hosts?.map(provedClaim))),
    stream,
    intakeRate: unlimitedIntake,
    intakeLog: noIntakeLog,
    runLog: noRunLog,
    authenticate: async () => Promise.reject(new Error('this test expects no token to be checked')),
    profiles: openProfiles(
      { store: { users: fakeUsers().users }, keys, clock, log: silentLog, eventProfile: async () => undefined },
      new AbortController().signal,
    ),
    providers: {
      facebook: { consent: ['advertising'], hasBrowserModule: true },
      eventSink: { consent: ['analytics'] },
    },
    captures: {
      ofScript: async (_, { providerId }) => (providerId === 'facebook' ? fbCaptures : []),
      ofTag: () => compileCaptureRules(fbCaptures),
    },
    variables: async () => ({}),
    deliveriesOf: async () => [],
    plaintexts: async () => ({}),
    tagUrl: (of) => `https://aglet.example/t/${of}`,
    runCode: async () => ({ notRun: 'off', message: 'no code is run here', logs: [] }),
    retryAfterSeconds: () => undefined,
    countMemory: () => ({ add() {}, release() {} }),
    isFull: () => false,
    sdk: [],
    ...deps,
  }
  const router = edgeRouter([edgeDeps])
  const server = createServer((incoming, response) => {
    if (router.answer(incoming, response)) return
    if (deps?.late) void router.answerUnknownHost(incoming, response)
    else response.writeHead(418).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const openRecords = (payload: Uint8Array, by = keys) => openRecord(payload, tagId, teamId, by)
  const records = (): RecordPart[] => appended.flatMap(({ payload }) => openRecords(payload))
  const lastRecord = () => records().at(-1)!
  const askEdge = (call: TestRequest = {}) => ask(port, call)
  return {
    port,
    deps: edgeDeps,
    keys,
    appended,
    counts,
    durations,
    lines,
    openRecords,
    records,
    lastRecord,
    ask: askEdge,
  }
}

/** Sends one request. A body that is neither a string nor a Buffer is sent as JSON. */
export async function ask(
  port: number,
  { method = 'POST', path = `/t/${tagId}/tag`, headers = {}, body }: TestRequest,
) {
  const bytes = body === undefined || Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body)
  const length =
    bytes === undefined || headers['transfer-encoding'] ? {} : { 'content-length': Buffer.byteLength(bytes) }
  const type = bytes === undefined ? {} : { 'content-type': 'application/json', ...length }
  const sent = request({ port, host: '127.0.0.1', method, path, headers: { ...type, ...headers }, agent: false })
  sent.end(bytes)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const text = (await answer.setEncoding('utf8').toArray()).join('')
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape that it expects
  const json = /^[[{]/.test(text) ? (JSON.parse(text) as any) : undefined
  return { status: answer.statusCode!, headers: answer.headers, text, json }
}
