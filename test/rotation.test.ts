import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type EnvironmentName, environments } from '#contract/me.ts'
import { sealEntry } from '#contract/seal.ts'
import { resolveDataDir } from '../src/runtime/dataDir.ts'
import { callRunningServer } from '../src/runtime/operatorSocket.ts'
import {
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

const folder = mkdtempSync(join(tmpdir(), 'aglet-rotation-'))
const data = join(folder, 'data')
const vendor = await openVendor()
const environment = { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_VENDORS_URL: vendor.url }
after(async () => {
  await vendor.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Like the command, but without a process for each call. */
async function rotate(what: string, environment: EnvironmentName) {
  const outcome = await callRunningServer(resolveDataDir(data).socket, {
    command: 'key rotate',
    environment,
    input: { what },
  })
  assert.ok(outcome && 'result' in outcome, JSON.stringify(outcome))
}

type Me = { encryptionKey: Parameters<typeof sealEntry>[0]['key'] }
type Journey = { eventId: string; userId: string; deliveries: { status: string }[] }

/** Sends events of one person in sequence, with a control API call after each. */
function load(customer: Customer) {
  const seen = { sent: [] as string[], refused: [] as unknown[], isOn: true }
  const running = (async () => {
    for (let n = 0; seen.isOn; n++) {
      const eventId = `${customer.environment}-${n}`
      const event = { eventName: 'Lead', eventId, timestamp: Date.now(), userEmail: 'jane@example.com' }
      const answer = await fetch(`${customer.tagUrl}/tag`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...event, storage: { service: { consent: { all: true } } } }),
      })
      const asked = await call(customer, 'GET', `/tag/${customer.tagId}`)
      if (answer.status === 200 && asked.status === 200) seen.sent.push(eventId)
      else seen.refused.push([answer.status, asked.status, asked.body])
    }
  })()
  const stop = async () => {
    seen.isOn = false
    await running
  }
  return { ...seen, seen, stop }
}

test('all keys are rotated under load, twice: no call is refused, nothing is unreadable, before and after a restart', async (t) => {
  const port = await freePort()
  const flags = ['--rate-limit', '1000000']
  let server = await startAglet({ data, port, environment, flags })
  t.after(() => stopAglet(server, 'SIGKILL'))
  const customers = [await makeCustomer(server, 'Shop'), await makeCustomer(server, 'Shop', 'sandbox')]
  const sink = [{ variable: 'EVENT_SINK_URL', type: 'TEXT' as const, value: `${vendor.url}/sink` }]
  const scripts = [] as string[]
  for (const each of customers) scripts.push(await makeScript(each, 'eventSink', 'sink', sink))
  const before = (await call<Me>(customers[0]!, 'GET', '/me')).body.encryptionKey
  const rootKey = readFileSync(join(data, 'root.key'), 'utf8')

  const loads = customers.map(load)
  for (let round = 0; round < 2; round++) {
    await until(() => loads.every(({ sent }) => sent.length > round * 20 + 10))
    for (const name of environments) for (const what of ['sealing', 'team']) await rotate(what, name)
    await aglet(data, 'key', 'rotate', '--what', 'root')
  }
  await until(() => loads.every(({ sent }) => sent.length > 60))
  for (const { stop, refused } of loads) {
    await stop()
    assert.deepEqual(refused, [])
  }
  assert.notEqual(readFileSync(join(data, 'root.key'), 'utf8'), rootKey)

  const readable = async () => {
    for (const [at, customer] of customers.entries()) {
      for (const eventId of loads[at]!.sent) {
        await until(async () => {
          const { body } = await call<Journey>(customer, 'GET', `/tag/${customer.tagId}/event/${eventId}`)
          return body.deliveries?.[0]?.status === 'delivered'
        })
      }
      const { body } = await call<{ secrets: Record<string, { value: string }> }>(
        customer,
        'GET',
        `/script/${scripts[at]}`,
      )
      assert.equal(body.secrets.EVENT_SINK_URL?.value, sink[0]!.value)
    }
  }
  await readable()
  await stopAglet(server)
  server = await startAglet({ data, port: await freePort(), environment, flags })
  for (const each of customers) each.baseUrl = each.baseUrl.replace(`:${port}`, `:${server.port}`)
  await readable()

  const customer = customers[0]!
  const sealedBefore = await sealEntry({
    ...{ environment: 'production', teamId: customer.teamId, providerId: 'eventSink', variable: 'EVENT_SINK_URL' },
    ...{ type: 'TEXT', plaintext: `${vendor.url}/later`, key: before },
  })
  const body = { name: 'sink', providerId: 'eventSink', tagId: customer.tagId, secrets: [sealedBefore] }
  assert.equal((await call(customer, 'PUT', `/script/${scripts[0]}`, body)).status, 200)
  assert.notEqual((await call<Me>(customer, 'GET', '/me')).body.encryptionKey.kid, before.kid)
  const { body: audit } = await call<{ entries: { what: string }[] }>(customer, 'GET', '/audit')
  assert.equal(audit.entries.filter(({ what }) => what === 'rotateTeamKey').length, 2)
})
