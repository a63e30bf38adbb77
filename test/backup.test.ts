import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Journey } from '#contract/journey.ts'
import {
  type Aglet,
  aglet,
  type Customer,
  call,
  freePort,
  makeCustomer,
  makeScript,
  startAglet,
  stopAglet,
  until,
} from './fake/aglet.ts'
import { openVendor } from './fake/vendor.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-backup-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const eventOf = (eventId: string) => ({
  eventName: 'Purchase',
  eventId,
  timestamp: Date.now(),
  data: { value: 5, currency: 'EUR', orderId: eventId },
  storage: { service: { consent: { all: true } } },
})
async function send(customer: Customer, eventId: string) {
  const answer = await fetch(`${customer.tagUrl}/tag`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(eventOf(eventId)),
  })
  const { result } = (await answer.json()) as { result?: { status: string } }
  return result?.status
}
const journeyOf = (customer: Customer, eventId: string) =>
  call<Journey>(customer, 'GET', `/tag/${customer.tagId}/event/${eventId}`)
const statusOf = async (customer: Customer, eventId: string) =>
  (await journeyOf(customer, eventId)).body.deliveries?.[0]?.status

/** Sends events in sequence until it is stopped, and records which were accepted. */
function load(customer: Customer, name: string) {
  const accepted: string[] = []
  const state = { isOn: true }
  const sending = (async () => {
    for (let n = 0; state.isOn; n++) {
      const eventId = `${name}-${n}`
      if ((await send(customer, eventId)) === 'accepted') accepted.push(eventId)
    }
  })()
  const stop = async () => {
    state.isOn = false
    await sending
  }
  return { accepted, stop }
}

test('a backup made under load is restored elsewhere: everything readable, what waited is delivered, and new events flow', async (t) => {
  const vendor = await openVendor()
  const servers: Aglet[] = []
  t.after(async () => {
    for (const server of servers) await stopAglet(server, 'SIGKILL')
    await vendor.close()
  })
  const environment = { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_VENDORS_URL: vendor.url }
  const [here, there, file] = [join(folder, 'here'), join(folder, 'there'), join(folder, 'b.tar')]
  const port = await freePort()
  const first = await startAglet({ data: here, port, environment })
  servers.push(first)
  const customer = await makeCustomer(first, 'Shop')
  const sandbox = await makeCustomer(first, 'Shop', 'sandbox')
  const sink = [{ variable: 'EVENT_SINK_URL', type: 'TEXT' as const, value: `${vendor.url}/sink` }]
  const scriptId = await makeScript(customer, 'eventSink', 'sink', sink)
  vendor.answer = ({ path }) => ({ status: path === '/sink' ? 503 : 200 })
  for (let n = 0; n < 20; n++) await send(customer, `before-${n}`)
  await until(async () => (await statusOf(customer, 'before-19')) === 'pending')

  const during = load(customer, 'during')
  await until(() => during.accepted.length > 20)
  const backedUp = await aglet<{ rootKey: string }>(here, 'backup', file)
  await until(() => during.accepted.length > 50)
  await during.stop()
  await stopAglet(first)
  assert.match(backedUp.rootKey, /store root\.key/)

  await assert.rejects(aglet(there, 'restore', file), /root\.key is missing/)
  cpSync(join(here, 'root.key'), join(there, 'root.key'))
  assert.equal((await aglet<{ ok: boolean }>(there, 'doctor')).ok, true, 'the doctor finds nothing right after it')
  vendor.got.length = 0
  vendor.answer = () => ({ status: 200 })
  // As on another machine: no connection to the first server may be mistaken for one to the second.
  const second = await startAglet({ data: there, port: await freePort(), environment })
  servers.push(second)
  for (const each of [customer, sandbox]) {
    each.baseUrl = each.baseUrl.replace(first.origin, second.origin)
    each.tagUrl = each.tagUrl.replace(first.origin, second.origin)
  }
  const script = await call<{ name: string; secrets: Record<string, { value?: string }> }>(
    customer,
    'GET',
    `/script/${scriptId}`,
  )
  assert.equal(script.body.secrets.EVENT_SINK_URL?.value, `${vendor.url}/sink`)
  assert.equal((await call(sandbox, 'GET', `/tag/${sandbox.tagId}`)).status, 200)
  await makeScript(customer, 'eventSink', 'another', sink)

  for (let n = 0; n < 20; n++) assert.equal(await send(customer, `before-${n}`), 'duplicate')
  const after = load(customer, 'after')
  await until(() => after.accepted.length > 50)
  await after.stop()
  for (const eventId of after.accepted) {
    await until(async () => (await statusOf(customer, eventId)) === 'delivered')
  }
  const known = await Promise.all(during.accepted.map(async (eventId) => (await journeyOf(customer, eventId)).status))
  assert.ok(known.filter((status) => status === 200).length >= 20, 'what was accepted before the backup is in it')
  const firstMissing = known.indexOf(404)
  assert.ok(firstMissing < 0 || known.slice(firstMissing).every((status) => status === 404), 'in the order it came')
  await until(async () => (await statusOf(customer, 'before-0')) === 'delivered', 60_000)
})
