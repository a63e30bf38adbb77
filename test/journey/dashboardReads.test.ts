import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ChannelStatus } from '#contract/channel.ts'
import type { IntakeReport } from '#contract/intake.ts'
import type { Journey } from '#contract/journey.ts'
import type { Funnel, Stats } from '#contract/stats.ts'
import {
  type Customer,
  call,
  makeCustomer,
  makeScript,
  openAglet,
  settledJourney,
  sinkAt,
  until,
} from '../fake/aglet.ts'
import { openVendor } from '../fake/vendor.ts'

const vendor = await openVendor(({ path }) => ({ status: path.startsWith('/refuses') ? 400 : 200 }))
after(vendor.close)
const environment = { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_VENDORS_URL: vendor.url }
const aglet = await openAglet('dashboard-reads', environment)

const anEvent = (eventId: string) => ({
  eventName: 'Lead',
  eventId,
  timestamp: Date.now(),
  storage: { service: { consent: { all: true } } },
})

async function send(customer: Customer, body: unknown, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(`${customer.tagUrl}/tag`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  await answer.body?.cancel()
  return answer.status
}

async function read<Body>(customer: Customer, path: string): Promise<Body> {
  const { status, body } = await call<Body>(customer, 'GET', `/tag/${customer.tagId}${path}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const customer = await makeCustomer(aglet, 'reads')
const goodId = await makeScript(customer, 'eventSink', 'good', sinkAt(`${vendor.url}/good`))
const badId = await makeScript(customer, 'eventSink', 'bad', sinkAt(`${vendor.url}/refuses`))

test('channels, funnel and latencies are those of the events that were sent', async () => {
  const ids = ['reads-1', 'reads-2', 'reads-3']
  for (const eventId of ids) assert.equal(await send(customer, anEvent(eventId)), 200)
  for (const eventId of ids) await settledJourney(customer, eventId)

  const { channels } = await read<{ channels: ChannelStatus[] }>(customer, '/channel')
  const byId = new Map(channels.map((channel) => [channel.scriptId, channel]))
  const good = byId.get(goodId)!
  assert.deepEqual([good.state, good.waiting, good.lastError], ['ok', 0, undefined])
  assert.ok(Math.abs(Date.now() - good.lastDeliveredAt!) < 60_000)
  const bad = byId.get(badId)!
  assert.deepEqual([bad.lastError?.status, bad.lastError?.httpStatus, bad.lastDeliveredAt], ['refused', 400, undefined])
  assert.ok(ids.includes(bad.lastError!.eventId!))

  const funnel = await read<Funnel>(customer, '/funnel')
  assert.deepEqual([funnel.events, funnel.planned], [3, 6])
  assert.deepEqual(Object.fromEntries(funnel.parts.map(({ status, count }) => [status, count])), {
    delivered: 3,
    refused: 3,
  })

  // Latencies are written every five seconds.
  let stats: Stats | undefined
  await until(async () => {
    stats = await read<Stats>(customer, '/stats?series=script')
    return stats.latency.response?.count === 6
  })
  assert.equal(stats?.latency.delivery?.count, 3)
  assert.ok(stats!.latency.response!.p50Ms > 0)
  const ofGood = stats?.byScript.find(({ scriptId }) => scriptId === goodId)
  assert.deepEqual([ofGood?.latency.response?.count, ofGood?.series?.length], [3, 1])
})

test('the intake shows events by result, refused calls and who called', async () => {
  const tag = await call<{ domain: string }>(customer, 'GET', `/tag/${customer.tagId}`)
  const page = `https://www.${tag.body.domain}`
  assert.equal(await send(customer, anEvent('reads-4'), { origin: page }), 200)
  assert.equal(await send(customer, anEvent('reads-4'), { origin: page }), 200)
  assert.equal(await send(customer, anEvent('reads-5'), { origin: 'https://evil.example.org' }), 403)
  assert.equal((await fetch(`${customer.tagUrl}/load`, { headers: { referer: `${page}/x` } })).status, 200)
  const intake = await read<IntakeReport>(customer, '/intake')
  assert.deepEqual([intake.duplicate, intake.refused], [1, { ORIGIN_REFUSED: 1 }])
  assert.ok(intake.accepted >= 1)
  const journey = await read<Journey>(customer, '/event/reads-4')
  assert.equal(journey.repeats, 1)
  const { at, ...refusal } = intake.refusals[0]!
  assert.deepEqual(refusal, {
    code: 'ORIGIN_REFUSED',
    method: 'POST',
    path: '/tag',
    origin: 'https://evil.example.org',
  })
  assert.ok(Math.abs(Date.now() - at) < 60_000)
  const host = new URL(page).host
  const seen = intake.seen.filter((caller) => caller.host === host).map(({ call: kind }) => kind)
  assert.deepEqual(seen.toSorted(), ['load', 'tag'])
})
