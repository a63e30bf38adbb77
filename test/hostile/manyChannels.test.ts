import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { call, makeCustomer, sealFor, sinkAt, until } from '../fake/aglet.ts'
import { openWatchedServer, send } from './watchedServer.ts'

/** As in mainThread.test.ts. */
const maxHeldMs = 50 * Number(process.env.HOSTILE_SLOWER ?? 1)
const channels = 200
const tries = 5

let received = 0
const vendor = createServer((request, response) => {
  request.resume().on('end', () => {
    received++
    response.end('{}')
  })
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

for (const noteBytes of [10, 60_000])
  test(`an event with a note of ${noteBytes} bytes to 200 channels holds the event loop for at most 50 ms`, async (t) => {
    const held: number[] = []
    for (let n = 0; n < tries; n++) {
      const data = { value: 1, note: 'x'.repeat(noteBytes) }
      const consent = { storage: { service: { consent: { all: true } } } }
      const event = { eventName: 'Purchase', eventId: `${noteBytes}-${n}`, timestamp: Date.now(), ...consent, data }
      const before = received
      await probe.take()
      const headers = { 'content-type': 'application/json' }
      await send(`${customer.tagUrl}/tag`, { method: 'POST', headers, body: JSON.stringify(event) })
      await until(() => received === before + channels)
      const { wallMs, cpuMs } = await probe.take()
      held.push(Math.max(0, Math.min(wallMs, cpuMs)))
    }
    const median = held.toSorted((a, b) => a - b)[Math.floor(tries / 2)]!
    t.diagnostic(`${median.toFixed(1)} ms of ${held.map((each) => each.toFixed(1)).join(', ')}`)
    if (median > maxHeldMs) throw new Error(`it held the event loop for ${median.toFixed(0)} ms`)
  })
