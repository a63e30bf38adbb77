import { once } from 'node:events'
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { openRecord, type Part } from '#event/record.ts'
import { type Log, silent } from '#kit/log.ts'
import type { Meter } from '#kit/meter.ts'
import { unlimitedIntake } from '#limit/intakeRate.ts'
import { liveSnapshots, type Snapshot } from '#script/snapshot.ts'
import type { Entry, Stream } from '#stream/stream.ts'
import { compileCaptures } from '#user/capture.ts'
import { openPeople } from '#user/people.ts'
import { fakeUsers } from '../../test/fake/users.ts'
import { edgeDoor } from './door.ts'
import type { EdgeWorld } from './world.ts'

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

const fbCaptures = [{ query: 'fbclid', cookie: '_fbc' }, { cookie: '_fbp' }]

/** A stream that keeps in memory: the door sees of a stream only this. */
export function keepingStream() {
  const kept: Entry[] = []
  const taken = new Set<bigint>()
  const append = async (entry: Entry) => {
    kept.push(entry)
    const isKnown = (place: number) => taken.has(entry.keys[place]!) || taken.has(entry.others?.[place] ?? 0n)
    return entry.keys.map((key, place) => !isKnown(place) && taken.add(key) !== undefined)
  }
  return { kept, stream: { append } as Pick<Stream, 'append'> as Stream }
}

/** A meter whose numbers can be looked at: `name{label values}`. */
export function countingMeter() {
  const counts = new Map<string, number>()
  const meter: Meter = {
    counter(name, _help, labels = {}) {
      const series = `${name}{${Object.values(labels).join(',')}}`
      return { add: (by = 1) => void counts.set(series, (counts.get(series) ?? 0) + by) }
    },
    gauge() {},
  }
  return { meter, counts }
}

export type Asked = { method?: string; path?: string; headers?: OutgoingHttpHeaders; body?: unknown; host?: string }

/** A door on a real server. `tag` and `on` replace what a test is about. */
export async function openDoor(t: TestContext, { tag, on }: { tag?: Partial<Snapshot>; on?: Partial<EdgeWorld> } = {}) {
  const keys = openKeyring(Buffer.alloc(32, 7), 'production')
  keys.makeTeam(teamId)
  const { kept, stream } = keepingStream()
  const { meter, counts } = countingMeter()
  const lines: Parameters<Log>[0][] = []
  const clock = { now: () => now, wait: async () => {} }
  const world: EdgeWorld = {
    environment: 'production',
    prefix: '/t/',
    brand: 'Service',
    development: false,
    trustProxy: { ranges: [] },
    clock,
    log: (line) => void lines.push(line),
    meter,
    keys,
    snapshots: liveSnapshots([snapshot(tag)]),
    stream,
    intakeRate: unlimitedIntake,
    authenticate: async () => Promise.reject(new Error('no token was to be read')),
    people: openPeople({ store: { users: fakeUsers().users }, keys, clock, log: silent }, new AbortController().signal),
    providers: {
      facebook: { consent: ['advertising'], hasBrowserModule: true },
      eventSink: { consent: ['analytics'] },
    },
    captures: {
      ofScript: async (_, { providerId }) => (providerId === 'facebook' ? fbCaptures : []),
      ofTag: () => compileCaptures(fbCaptures),
    },
    variables: async () => ({}),
    settled: async () => [],
    plaintexts: async () => ({}),
    tagUrl: (of) => `https://aglet.example/t/${of}`,
    runCode: async () => ({ notRun: 'off', message: 'no code is run here', logs: [] }),
    busy: () => undefined,
    hold: () => ({ add() {}, letGo() {} }),
    isFull: () => false,
    sdk: [],
    ...on,
  }
  const door = edgeDoor([world])
  const server = createServer((asked, answer) => {
    if (!door(asked, answer)) answer.writeHead(418).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const records = (): Part[] => kept.flatMap(({ payload }) => openRecord(payload, tagId, teamId, keys))
  const last = () => records().at(-1)!
  return { port, world, keys, kept, counts, lines, records, last, ask: (asked: Asked = {}) => ask(port, asked) }
}

/** One request; a body that is no text and no bytes is sent as JSON. */
export async function ask(port: number, { method = 'POST', path = `/t/${tagId}/tag`, headers = {}, body }: Asked) {
  const bytes = body === undefined || Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body)
  const length =
    bytes === undefined || headers['transfer-encoding'] ? {} : { 'content-length': Buffer.byteLength(bytes) }
  const type = bytes === undefined ? {} : { 'content-type': 'application/json', ...length }
  const sent = request({ port, host: '127.0.0.1', method, path, headers: { ...type, ...headers }, agent: false })
  sent.end(bytes)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const text = (await answer.setEncoding('utf8').toArray()).join('')
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  const json = text ? (JSON.parse(text) as any) : undefined
  return { status: answer.statusCode!, headers: answer.headers, text, json }
}
