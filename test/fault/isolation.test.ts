import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeScript, until } from '../fake/aglet.ts'
import { type Behaviour, drips, openChaos, resets, says } from './chaos.ts'
import { kinds } from './events.ts'
import { type FaultRig, openFaultRig, report } from './faultRig.ts'
import { seed } from './random.ts'

const events = Number(process.env.ISOLATION_EVENTS ?? 400)
const manyMs = 240_000

/** The behaviours of the tenth channel, one after the other. */
const ways: Record<string, Behaviour> = {
  down: (socket) => socket.destroy(),
  slow: drips('HTTP/1.1 200 OK\r\nx-slow: ', '.', 1_000),
  resetting: resets,
  throttling: says('429 Later', ['retry-after: 1']),
}

/**
 * The 99th percentile of the time from accepted to delivered for these events, over all channels (ms).
 */
function p99({ sender, channels }: FaultRig, ids: readonly string[]): number {
  const times = channels.flatMap(({ destination }) =>
    ids.map((id) => destination.firstAt.get(id)! - sender.accepted.get(id)!),
  )
  return times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)]!
}

/** Sends more, and waits until the healthy channels have received all of it. */
async function measure(place: FaultRig): Promise<number> {
  const { sender, channels } = place
  const before = sender.accepted.size
  await until(() => sender.accepted.size >= before + events, manyMs)
  const ids = [...sender.accepted.keys()].slice(before)
  await until(() => channels.every(({ destination }) => ids.every((id) => destination.times.has(id))), manyMs)
  return Math.round(p99(place, ids))
}

test(`while one channel is down, slow, resetting or throttling, the others get all there is (SEED=${seed})`, async (t) => {
  const chaos = await openChaos(ways)
  after(chaos.close)
  const place = await openFaultRig({ name: 'isolation', perSecond: 100, channels: Array(4).fill(kinds.sink) })
  const figures: Record<string, number> = { 'p99Ms alone': await measure(place) }
  for (const way of Object.keys(ways)) {
    const secrets = [{ variable: 'EVENT_SINK_URL', type: 'TEXT' as const, value: chaos.urlOf(way) }]
    await makeScript(place.customer, 'eventSink', way, secrets)
    figures[`p99Ms beside one ${way}`] = await measure(place)
    assert.ok(chaos.asked(way) > 0, `nothing was sent to the channel that is ${way}`)
  }
  const verdict = await place.verdict()
  report(t, 'isolation', {
    times: Object.keys(ways).length,
    accepted: verdict.accepted,
    lost: verdict.lost.length,
    ...figures,
  })
  assert.deepEqual(verdict.lost, [])
  assert.deepEqual(verdict.phantom, [])
  assert.equal(verdict.repeated, 0)
})
