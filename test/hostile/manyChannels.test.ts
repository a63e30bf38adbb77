import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import { type Customer, call, makeCustomer, makeScript, sealFor, sinkAt, until } from '../fake/aglet.ts'
import { heldMs } from './measure.ts'
import { openWatchedServer, send } from './watchedServer.ts'

/** As in mainThread.test.ts. */
const maxHeldMs = 50 * Number(process.env.HOSTILE_SLOWER ?? 1)
const channels = 200

let received = 0
/** Accepts everything at `/in`; at `/echo` it refuses, and repeats the request. */
const vendor = createServer(async (request, response) => {
  const body = (await request.toArray()).join('')
  received++
  if (request.url === '/in') return response.end('{}')
  response.statusCode = 400
  response.end(body)
}).listen(0, '127.0.0.1')
await once(vendor, 'listening')
after(() => {
  vendor.closeAllConnections()
  vendor.close()
})

const { aglet, probe } = await openWatchedServer('hostile-channels', { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' })
const { port } = vendor.address() as AddressInfo

/** A customer whose tag has 200 channels, with these fields of each. */
async function openCustomer(name: string, fields: Record<string, unknown> = {}): Promise<Customer> {
  const customer = await makeCustomer(aglet, name)
  const secrets = await sealFor(customer, 'eventSink', sinkAt(`http://127.0.0.1:${port}/in`))
  for (let from = 0; from < channels; from += 100) {
    const names = Array.from({ length: 100 }, (_, n) => `channel ${from + n}`)
    const scripts = names.map((name) => ({ name, providerId: 'eventSink', secrets, ...fields }))
    const { status, body } = await call(customer, 'POST', '/config', { tagId: customer.tagId, scripts })
    if (status !== 200) throw new Error(JSON.stringify(body))
  }
  return customer
}
const customer = await openCustomer('channels')
const ruled = await openCustomer('rules', {
  map: [
    { set: 'data.contents[].price', from: 'data.contents[].id' },
    { set: 'data.added', value: 1 },
  ],
})
const echoing = await makeCustomer(aglet, 'echo')
await makeScript(echoing, 'eventSink', 'echo', sinkAt(`http://127.0.0.1:${port}/echo`))

type SentEvent = { eventId: string; note: string; contents?: object[]; user?: Record<string, string> }
const sendEvent = async ({ tagUrl }: Customer, { eventId, note, contents, user }: SentEvent) => {
  const consent = { storage: { service: { consent: { all: true } } } }
  const event = {
    eventName: 'Purchase',
    eventId,
    timestamp: Date.now(),
    ...consent,
    data: { value: 1, note, contents },
    ...user,
  }
  const headers = { 'content-type': 'application/json' }
  const { status, text } = await send(`${tagUrl}/tag`, { method: 'POST', headers, body: JSON.stringify(event) })
  if (status !== 200) throw new Error(text)
}

async function readJourney({ baseUrl, tagId, token, teamId }: Customer, eventId: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'team-id': teamId }
  const { status } = await send(`${baseUrl}/tag/${tagId}/event/${eventId}`, { headers })
  if (status !== 200) throw new Error(`${status}`)
}

/** Asserts the time that a try blocks the event loop. */
async function requireTurns(t: TestContext, attempt: (n: number) => Promise<unknown>): Promise<void> {
  const { medianMs, held } = await heldMs(probe, maxHeldMs, attempt)
  t.diagnostic(`${medianMs.toFixed(1)} ms of ${held.map((each) => each.toFixed(1)).join(', ')}`)
  if (medianMs > maxHeldMs) throw new Error(`it held the event loop for ${medianMs.toFixed(0)} ms`)
}

for (const noteBytes of [10, 60_000]) {
  test(`an event with a note of ${noteBytes} bytes to 200 channels holds the event loop for at most 50 ms`, (t) =>
    requireTurns(t, async (n) => {
      const before = received
      await sendEvent(customer, { eventId: `${noteBytes}-${n}`, note: 'x'.repeat(noteBytes) })
      await until(() => received === before + channels)
    }))

  test(`reading the journey of an event with a note of ${noteBytes} bytes to 200 channels holds it as briefly`, (t) =>
    requireTurns(t, () => readJourney(customer, `${noteBytes}-0`)))
}

/** About the maximum number of items of an event. */
const contents = Array.from({ length: 1_000 }, (_, n) => ({ id: `${n}`, price: 2, title: 'a name of a product' }))

test('an event of many items to 200 channels with rules holds the event loop for at most 50 ms', (t) =>
  requireTurns(t, async (n) => {
    const before = received
    await sendEvent(ruled, { eventId: `ruled-${n}`, note: '', contents })
    await until(() => received === before + channels)
  }))

test('reading the journey of an event of many items to 200 channels with rules holds it as briefly', (t) =>
  requireTurns(t, () => readJourney(ruled, 'ruled-0')))

/** The server's peak memory since `clear`, in MiB. */
const memory = {
  clear: () => writeFileSync(`/proc/${aglet.process.pid}/clear_refs`, '5'),
  mostMiB: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${aglet.process.pid}/status`, 'utf8'))![1]) / 1024,
}

for (const [of, read] of [
  ['long bodies', () => readJourney(customer, '60000-0')],
  ['many items', () => readJourney(ruled, 'ruled-0')],
] as const)
  test(`ten readings at once of an event of ${of} to 200 channels take at most 100 MiB`, async (t) => {
    await read()
    memory.clear()
    const before = memory.mostMiB()
    await Promise.all(Array.from({ length: 10 }, read))
    const added = memory.mostMiB() - before
    t.diagnostic(`${added.toFixed(0)} MiB on top of ${before.toFixed(0)}`)
    if (added > 100) throw new Error(`${added.toFixed(0)} MiB`)
  })

const base64Of = (text: string) => Buffer.from(text).toString('base64')
/** Texts with many places at which contact data may start. */
const echoes: Record<string, string> = {
  'digits in groups': '1 2 3 4 5 6 7 8 9 0 ',
  'escaped digits': '1%202%203%20',
  'the phone number': '+4915123456789 ',
  addresses: 'ada@example.com ',
}
const echoed = Object.entries(echoes).flatMap(([name, text]) => [
  { name, text: text.repeat(Math.ceil(60_000 / text.length)).slice(0, 60_000) },
  { name: `${name}, as base64`, text: base64Of(text.repeat(Math.ceil(44_000 / text.length))) },
])
const events = 30
for (const { name, text } of echoed)
  test(`${events} events whose texts (${name}) a vendor repeats hold the event loop for at most 50 ms`, (t) =>
    requireTurns(t, async (n) => {
      const before = received
      const user = { userEmail: 'ada@example.com', userPhone: '+49 151 23456789' }
      for (let each = 0; each < events; each++) {
        const eventId = `${name}-${n}-${each}`
        await sendEvent(echoing, { eventId, note: text, user })
      }
      await until(() => received === before + events)
    }))
