import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Journey } from '#contract/journey.ts'
import { encodeExchange } from '#journal/encodedExchange.ts'
import { sealPack } from '#journal/exchangePack.ts'
import { deliveryIdOf } from '#store/deliveryId.ts'
import { cases } from '../../test/fake/cases.ts'
import { callControl, makeCustomer, makeScript, openTestControl, withChangedDeps } from '../../test/fake/testControl.ts'
import { makeEvent } from '../../test/fake/testEvents.ts'

const control = await openTestControl()
after(control.close)
const { store, stream, keys } = control.environments.production
const { clock } = control
const as = await makeCustomer(control)
const { tagId, teamId } = as

/** An event with one refused delivery for each of `channels`, with bodies of the maximum length. */
async function makeWideEvent(eventId: string, channels: number): Promise<void> {
  const scriptId = await makeScript(control, as, { name: eventId })
  await makeEvent(control, as, eventId, { isPlanned: false })
  const place = (await stream.find(keys.team(teamId).eventKey(tagId, eventId, false)))!
  const planned = { ...place, tagId, eventName: 'Purchase', userId: 'usr_1', receivedAt: clock.now() }
  const facts = { consent: { source: 'none' }, place: { source: 'unknown' } } as const
  const ids = Array.from({ length: channels }, (_, n) => deliveryIdOf({ ...planned, scriptId: `${scriptId}${n}` }))
  const deliveries = ids.map((deliveryId, n) => ({
    ...{ deliveryId, scriptId: `${scriptId}${n}`, providerId: 'eventSink' as const, status: 'pending' as const },
  }))
  await store.journal.plan([{ ...planned, ...facts, deliveries }])
  for (const [n, deliveryId] of ids.entries()) {
    const body = `${n} `.padEnd(64 * 1024, 'x')
    const exchange = {
      request: { method: 'POST', url: 'https://vendor.example/', headers: {}, body },
      response: { status: 400, headers: {}, body },
    }
    const sealed = await sealPack([[encodeExchange(exchange)]], { tagId, teamId }, keys)
    const attempt = { deliveryId, number: 1, at: clock.now(), durationMs: 1, httpStatus: 400 }
    const outcome = { deliveryId, status: 'refused', reason: 'payloadRefused' } as const
    const packed = { ...attempt, packed: { pack: 0, part: 0 } }
    await store.journal.settle([{ ...outcome, attempt: packed }], [{ tagId, failed: true, at: clock.now(), sealed }])
  }
}
const read = async (eventId: string, more: Record<string, string> = {}) =>
  (await callControl(control, 'readEvent', as, { values: { tagId, eventId, ...more } })).body as unknown as Journey

test('a journey of few attempts shows their bodies whole', async () => {
  await makeWideEvent('narrow', 2)
  const { deliveries } = await read('narrow')
  for (const { attempts } of deliveries) assert.equal(attempts[0]!.exchanges![0]!.response!.body!.length, 64 * 1024)
})

/** Their bodies are many times the limit. */
const channels = cases(200, 60)

test('a journey of many channels shows the beginnings of the bodies, at most 2 MiB, and ten readings open one pack at a time', async () => {
  await makeWideEvent('wide', channels)
  let [open, most] = [0, 0]
  const exchangePack: typeof store.journal.exchangePack = async (no) => {
    most = Math.max(most, ++open)
    return store.journal.exchangePack(no).finally(() => open--)
  }
  const journal = { ...store.journal, exchangePack }
  const journeys = await withChangedDeps(control, { store: { ...store, journal } }, () => {
    const reading = Promise.all(Array.from({ length: 10 }, () => read('wide')))
    const turning = setInterval(() => void clock.turn(2_000), 5)
    return reading.finally(() => clearInterval(turning))
  })
  assert.equal(most, 1)
  for (const journey of journeys) {
    assert.equal(journey.deliveries.length, channels)
    const text = JSON.stringify(journey)
    assert.ok(text.length < 2.5 * 1024 * 1024, `${text.length} characters`)
    const bodies = journey.deliveries.map(({ attempts }) => attempts[0]!.exchanges![0]!.request.body!)
    assert.equal(new Set(bodies.map((body) => body.split(' ')[0])).size, channels)
  }
})
