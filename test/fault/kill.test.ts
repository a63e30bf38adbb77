import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Agent, request } from 'undici'
import { type Aglet, freePort, makeCustomer, makeScript, startAglet, stopAglet, until } from '../fake/aglet.ts'
import { openVendor } from '../fake/vendor.ts'

const kills = Number(process.env.KILLS ?? 10)
const eventsPerSecond = 500
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

/** mulberry32: the same seed gives the same moments. */
function random(state: number): () => number {
  let held = state
  return () => {
    held = (held + 0x6d2b79f5) | 0
    let mixed = Math.imul(held ^ (held >>> 15), 1 | held)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Sends events at a steady rate until it is stopped; keeps the ids of those that were answered `accepted`. */
function startSender(tagUrl: string) {
  const dispatcher = new Agent({ connections: 64, headersTimeout: 5_000 })
  const sent = new Set<string>()
  const accepted = new Set<string>()
  const open = new Set<Promise<void>>()
  const sendOne = async () => {
    const eventId = `kill-${sent.size}`
    sent.add(eventId)
    const body = JSON.stringify({
      eventName: 'PageView',
      eventId,
      timestamp: Date.now(),
      storage: { service: { consent: { all: true } } },
    })
    const answer = await request(`${tagUrl}/tag`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      dispatcher,
    })
    const { result } = (await answer.body.json()) as { result?: { status: string } }
    if (answer.statusCode === 200 && result?.status === 'accepted') accepted.add(eventId)
  }
  const timer = setInterval(() => {
    for (let n = 0; n < eventsPerSecond / 50; n++) {
      const one = sendOne()
        .catch(() => {})
        .finally(() => open.delete(one))
      open.add(one)
    }
  }, 20)
  const stop = async () => {
    clearInterval(timer)
    await Promise.all(open)
    await dispatcher.close()
  }
  return { sent, accepted, stop }
}

test(`after ${kills} × kill -9 at random moments under ${eventsPerSecond} events/s no accepted event is lost (SEED=${seed})`, async (t) => {
  const next = random(seed)
  const data = mkdtempSync(join(tmpdir(), 'aglet-kill-'))
  const port = await freePort()
  const got = new Map<string, number>()
  const vendor = await openVendor(
    ({ json }) => {
      const { eventId } = (json as { payload: { eventId: string } }).payload
      got.set(eventId, (got.get(eventId) ?? 0) + 1)
      return { status: 200 }
    },
    { remember: false },
  )
  const start = () => startAglet({ data, port, environment: { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' } })
  let running: Aglet = await start()
  after(async () => {
    await stopAglet(running, 'SIGKILL')
    await vendor.close()
    rmSync(data, { recursive: true, force: true })
  })
  const customer = await makeCustomer(running, 'kill')
  await makeScript(customer, 'eventSink', 'sink', [
    { variable: 'EVENT_SINK_URL', type: 'TEXT', value: `${vendor.url}/events` },
  ])

  const sender = startSender(customer.tagUrl)
  for (let n = 0; n < kills; n++) {
    const enough = sender.accepted.size + 100 + next() * eventsPerSecond
    await until(() => sender.accepted.size > enough)
    await stopAglet(running, 'SIGKILL')
    running = await start()
  }
  await sender.stop()
  await until(() => [...sender.accepted].every((id) => got.has(id)), 120_000).catch(() => {})

  const lost = [...sender.accepted].filter((id) => !got.has(id))
  const repeated = [...got.values()].filter((times) => times > 1).length
  t.diagnostic(
    `sent ${sender.sent.size}, accepted ${sender.accepted.size}, at the destination ${got.size}, more than once ${repeated}`,
  )
  assert.deepEqual(lost, [])
  assert.deepEqual(
    [...got.keys()].filter((id) => !sender.sent.has(id)),
    [],
  )
  assert.ok(repeated <= kills * 1_024, `${repeated} repeated: more than could be in flight`)
})
