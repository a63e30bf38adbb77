import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openSender } from '#provider/engine/send.ts'
import { turnedClock, until } from '../fake/clock.ts'
import { acceptEvents, journeyOf, openDeliveryHarness } from '../fake/deliveryHarness.ts'
import { anEvent, aProvider, aScript, aTag } from '../fake/tag.ts'
import { type Behaviour, drips, isSilent, openChaos, resets, says, sends } from './chaos.ts'

const second = 1_000
const hour = 3_600 * second
const sixHours = 6 * hour
const soon = 130 * second
/** A whole second, so that a date header, which has no milliseconds, is exact. */
const now = Date.UTC(2026, 10, 20)
const inTwoMinutes = new Date(now + 120 * second).toUTCString()
const anHourAgo = new Date(now - hour).toUTCString()

/** The state of a delivery after its first attempt, with the delay of the next one if it is `pending`. */
type Stands = { status: string; reason?: string; http?: number; nextAfterMs?: number }
const delivered = (http = 200): Stands => ({ status: 'delivered', http })
const again = (http?: number): Stands => ({
  status: 'pending',
  reason: 'vendorDown',
  nextAfterMs: 5 * second,
  ...(http !== undefined && { http }),
})
const refused = (http: number): Stands => ({ status: 'refused', reason: 'payloadRefused', http })
const paused = (http: number, nextAfterMs: number): Stands => ({
  ...again(http),
  reason: http === 429 ? 'throttled' : 'vendorDown',
  nextAfterMs,
})

type Case = readonly [Behaviour, Stands]
const status = (code: number, stands: Stands): Case => [says(`${code} Said`), stands]
const head = 'HTTP/1.1 200 OK\r\n'
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`

const statuses: Record<string, Case> = {
  ...Object.fromEntries([200, 201, 202, 206, 299].map((code) => [`says${code}`, status(code, delivered(code))])),
  says204: [sends('HTTP/1.1 204 No Content\r\n\r\n'), delivered(204)],
  ...Object.fromEntries(
    [400, 402, 403, 404, 405, 410, 413, 422, 451].map((code) => [`says${code}`, status(code, refused(code))]),
  ),
  ...Object.fromEntries(
    [408, 425, 500, 502, 503, 504, 520, 599].map((code) => [`says${code}`, status(code, again(code))]),
  ),
  // the channel waits, not the delivery: for a new key, a manual resume, or an hourly probe
  says401: status(401, { status: 'pending', reason: 'keyRejected', http: 401 }),
  says429: status(429, { ...again(429), reason: 'throttled' }),
}

/** A redirect counts as a refusal: its target is never requested. */
const redirects: Record<string, Case> = Object.fromEntries(
  [301, 302, 303, 307, 308].map((code) => [
    `redirects${code}`,
    [says(`${code} Elsewhere`, ['location: /trap']), refused(code)],
  ]),
)

const retryAfter: readonly [name: string, header: string, afterMs: number][] = [
  ['Seconds', '120', 120 * second],
  ['Padded', '  120  ', 120 * second],
  ['Zero', '0', second],
  ['Century', '3155760000', sixHours],
  ['Endless', '9'.repeat(400), sixHours],
  ['Date', inTwoMinutes, 120 * second],
  ['DatePast', anHourAgo, second],
  ['DateFar', new Date(now + 48 * hour).toUTCString(), sixHours],
  ['Negative', '-5', 5 * second],
  ['Fraction', '1.5', 5 * second],
  ['Words', 'soon', 5 * second],
  ['Empty', '', 5 * second],
  ['Unit', '120s', 5 * second],
  ['Hex', '0x10', 5 * second],
  ['IsoDate', new Date(now + 120 * second).toISOString(), 5 * second],
  ['Thursday', 'Thu', 5 * second],
]
const waits: Record<string, Case> = Object.fromEntries(
  [429, 503].flatMap((code) =>
    retryAfter.map(([name, header, afterMs]) => [
      `wait${name}${code}`,
      [says(`${code} Later`, [`retry-after: ${header}`]), paused(code, afterMs)],
    ]),
  ),
)

const broken: Record<string, Case> = {
  silent: [isSilent, again()],
  resetsAfter: [resets, again()],
  closesAfter: [sends(''), again()],
  halfStatusLine: [sends('HTTP/1.1 20'), again()],
  halfHead: [sends(`${head}content-type: app`), again()],
  halfBody: [sends(`${head}content-length: 100\r\n\r\n{"half":`), again()],
  halfChunk: [sends(`${chunked}64\r\nhalf`), again()],
  badChunk: [sends(`${chunked}nonsense\r\n{}\r\n0\r\n\r\n`), again()],
  resetsInBody: [
    (socket) => socket.write(`${head}content-length: 100\r\n\r\n{"half":`, () => socket.resetAndDestroy()),
    again(),
  ],
  slowHead: [drips('HTTP/1.1 200 OK\r\nx-slow: ', '.', second), again()],
  slowBody: [drips(`${head}content-length: 100000\r\n\r\n`, '.', second), again()],
  notHttp: [sends('220 mail.example ESMTP\r\n'), again()],
  noise: [sends('\u0000\u0001\u0002\u0003'.repeat(100)), again()],
  badVersion: [sends('HTTP/7.7 200 OK\r\n\r\n'), again()],
  badStatus: [sends('HTTP/1.1 20x OK\r\n\r\n'), again()],
  badLength: [sends(`${head}content-length: -1\r\n\r\n{}`), again()],
  twoLengths: [sends(`${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`), again()],
  badHeader: [sends(`${head}x-\u0000bad: 1\r\n\r\n`), again()],
  hugeHead: [sends(`${head}x-huge: ${'x'.repeat(200_000)}\r\n\r\n`), again()],
  endlessHead: [drips(head, `x-more: ${'x'.repeat(1_000)}\r\n`, 1), again()],
  upgrades: [sends('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'), again()],
  continuesForEver: [drips('HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 102 Processing\r\n\r\n', 100), again()],
}

const odd: Record<string, Case> = {
  endlessBody: [drips(chunked, `10000\r\n${'x'.repeat(0x10_000)}\r\n`, 1), delivered()],
  noLength: [sends(`${head}\r\n{"until":"the end"}`), delivered()],
  http10: [sends('HTTP/1.0 200 OK\r\n\r\n{}'), delivered()],
  notJson: [says('200 OK', ['content-type: application/json'], '<html>not what it says'), delivered()],
  notUtf8: [sends(`${head}content-length: 4\r\n\r\n\u00ff\u00fe\u00fd\u00fc`), delivered()],
  hints: [sends(`${'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(500)}${reply200()}`), delivered()],
  twoAnswers: [sends(reply200() + reply200()), delivered()],
  closesAfterAnswer: [sends(`${head}connection: close\r\ncontent-length: 2\r\n\r\n{}`), delivered()],
}

function reply200(): string {
  return `${head}content-length: 2\r\n\r\n{}`
}

const tls: Record<string, Case> = { tlsSelfSigned: [says('200 OK'), again()] }
const connections: Record<string, Case> = {
  resetsBefore: [resets, again()],
  closesBefore: [(socket) => socket.end(), again()],
  resetsWhile: [(socket) => socket.once('data', () => socket.resetAndDestroy()), again()],
  answersEarly: [(socket) => socket.once('data', () => socket.end(reply200())), delivered()],
  tlsPlain: [(socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), again()],
  tlsReset: [(socket) => socket.once('data', () => socket.resetAndDestroy()), again()],
  tlsSilent: [isSilent, again()],
}

const cases: Record<string, Case> = { ...statuses, ...redirects, ...waits, ...broken, ...odd, ...tls, ...connections }
const names = Object.keys(cases)
const actsOf = (some: Record<string, Case>) =>
  Object.fromEntries(Object.entries(some).map(([name, [act]]) => [name, act]))

const send = openSender({
  allowPrivate: true,
  outboundPorts: [],
  limits: { connectMs: 5_000, headersMs: 4_000, totalMs: 6_000 },
})
const { [Object.keys(tls)[0]!]: _, ...plain } = cases
const requests = Object.fromEntries(Object.entries(plain).filter(([name]) => !(name in connections)))
const chaos = await openChaos({ ...actsOf(requests), ...actsOf(tls) }, actsOf(connections), Object.keys(tls))
const scripts = [...names, 'down'].map((name) => aScript(`scr_${name}`, { name }))
const harness = await openDeliveryHarness(aTag(scripts), {}, turnedClock(now))
const url = (name: string) => (name === 'down' ? 'http://127.0.0.1:1/' : chaos.urlOf(name))
const eventSink = aProvider('eventSink', { request: ({ event }) => ({ url: url(event.eventId), json: { event } }) })
harness.start({ send, providers: { eventSink } })
const all = [...names, 'down']
for (const name of all)
  await acceptEvents(harness, anEvent(now, { eventId: name, providers: { eventSink: { [name]: true } } }))
const isTried = async (name: string) => ((await deliveryOf(name))?.attempts.length ?? 0) > 0
for (const name of all) await until(`${name} is tried`, () => isTried(name), 60_000)

after(async () => {
  await chaos.close()
  await send.close()
})

async function deliveryOf(name: string) {
  const journey = await journeyOf(harness, name)
  return journey?.deliveries.find(({ scriptId }) => scriptId === `scr_${name}`)
}

async function standsAfterOne(name: string): Promise<Stands> {
  const { status, reason, nextAt, attempts } = (await deliveryOf(name))!
  const http = attempts[0]?.httpStatus
  return {
    status,
    ...(reason && { reason }),
    ...(http !== undefined && { http }),
    ...(status === 'pending' && { nextAfterMs: nextAt! - now }),
  }
}

for (const [name, [, expected]] of Object.entries({ ...cases, down: [isSilent, again()] as Case }))
  test(`a destination that ${name}: ${expected.status}${expected.reason ? ` (${expected.reason})` : ''}`, async () => {
    const { nextAfterMs, ...stands } = await standsAfterOne(name)
    assert.deepEqual('nextAfterMs' in expected ? { ...stands, nextAfterMs } : stands, expected)
  })

test('where a redirect leads nobody is asked', () => {
  assert.equal(chaos.asked('trap'), 0)
})

test('each was asked once, and what waits is delivered when its destination is well again', async () => {
  const asked = names.filter((name) => !(name in connections) && !(name in tls))
  assert.deepEqual(
    asked.filter((name) => chaos.asked(name) !== 1),
    [],
  )
  chaos.recover()
  await harness.clock.turn(soon)
  const isSoon = ({ status, nextAfterMs = sixHours }: Stands) => status === 'pending' && nextAfterMs <= soon
  const waiting = names.filter((name) => isSoon(cases[name]![1]) && !name.startsWith('tls'))
  const left = async () => {
    const stands = await Promise.all(waiting.map(async (name) => (await deliveryOf(name))!.status))
    return waiting.filter((_, at) => stands[at] !== 'delivered')
  }
  await until('all are delivered', async () => (await left()).length === 0, 60_000).catch(() => {})
  assert.deepEqual(await left(), [])
})
