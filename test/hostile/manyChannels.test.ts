import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import { type Customer, call, makeCustomer, makeScript, sealFor, sinkAt, until } from '../fake/aglet.ts'
import { openWatchedServer, send } from './watchedServer.ts'

/** As in mainThread.test.ts. */
const maxHeldMs = 50 * Number(process.env.HOSTILE_SLOWER ?? 1)
const channels = 200
const tries = 5

let received = 0
/** Takes everything at `/in`; at `/echo` it refuses, and repeats what it got. */
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
const customer = await makeCustomer(aglet, 'channels')
const { port } = vendor.address() as AddressInfo
const secrets = await sealFor(customer, 'eventSink', sinkAt(`http://127.0.0.1:${port}/in`))
for (let from = 0; from < channels; from += 100) {
  const names = Array.from({ length: 100 }, (_, n) => `channel ${from + n}`)
  const scripts = names.map((name) => ({ name, providerId: 'eventSink', secrets }))
  const { status, body } = await call(customer, 'POST', '/config', { tagId: customer.tagId, scripts })
  if (status !== 200) throw new Error(JSON.stringify(body))
}

const echoing = await makeCustomer(aglet, 'echo')
await makeScript(echoing, 'eventSink', 'echo', sinkAt(`http://127.0.0.1:${port}/echo`))

type SentEvent = { eventId: string; note: string; user?: Record<string, string> }
const sendEvent = ({ tagUrl }: Customer, { eventId, note, user }: SentEvent) => {
  const consent = { storage: { service: { consent: { all: true } } } }
  const event = { eventName: 'Purchase', eventId, timestamp: Date.now(), ...consent, data: { value: 1, note }, ...user }
  const headers = { 'content-type': 'application/json' }
  return send(`${tagUrl}/tag`, { method: 'POST', headers, body: JSON.stringify(event) })
}

/** The median of how long a try holds the event loop. Fails above the limit. */
async function requireTurns(t: TestContext, attempt: (n: number) => Promise<unknown>): Promise<void> {
  const held: number[] = []
  for (let n = 0; n < tries; n++) {
    await probe.take()
    await attempt(n)
    const { wallMs, cpuMs } = await probe.take()
    held.push(Math.max(0, Math.min(wallMs, cpuMs)))
  }
  const median = held.toSorted((a, b) => a - b)[Math.floor(tries / 2)]!
  t.diagnostic(`${median.toFixed(1)} ms of ${held.map((each) => each.toFixed(1)).join(', ')}`)
  if (median > maxHeldMs) throw new Error(`it held the event loop for ${median.toFixed(0)} ms`)
}

for (const noteBytes of [10, 60_000]) {
  test(`an event with a note of ${noteBytes} bytes to 200 channels holds the event loop for at most 50 ms`, (t) =>
    requireTurns(t, async (n) => {
      const before = received
      await sendEvent(customer, { eventId: `${noteBytes}-${n}`, note: 'x'.repeat(noteBytes) })
      await until(() => received === before + channels)
    }))

  test(`reading the journey of an event with a note of ${noteBytes} bytes to 200 channels holds it as briefly`, (t) =>
    requireTurns(t, async () => {
      const { status } = await send(`${customer.baseUrl}/tag/${customer.tagId}/event/${noteBytes}-0`, {
        headers: { authorization: `Bearer ${customer.token}`, 'team-id': customer.teamId },
      })
      if (status !== 200) throw new Error(`${status}`)
    }))
}

const base64Of = (text: string) => Buffer.from(text).toString('base64')
/** Texts in which contacts are looked for at many places. */
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
        const { status } = await sendEvent(echoing, { eventId, note: text, user })
        if (status !== 200) throw new Error(`${status}`)
      }
      await until(() => received === before + events)
    }))
