import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { revokeToken } from '#account/token.ts'
import type { DeliveryRow } from '#contract/delivery.ts'
import { readEventStream } from '#contract/eventStream.ts'
import type { Journey } from '#contract/journey.ts'
import type { Stats } from '#contract/stats.ts'
import { encodeExchange } from '#journal/encodedExchange.ts'
import { sealPack } from '#journal/exchangePack.ts'
import { deliveryIdOf } from '#store/deliveryId.ts'
import type { DeliveryOutcome } from '#store/store.ts'
import { until } from '../../test/fake/clock.ts'
import { callControl, makeCustomer, openTestControl } from '../../test/fake/testControl.ts'
import { makeEvent } from '../../test/fake/testEvents.ts'

const control = await openTestControl()
after(control.close)
const customer = await makeCustomer(control)
const { tagId, teamId } = customer
const { clock } = control
const { store, stream, keys } = control.environments.production
const list = async (values: Record<string, string | number> = {}) => {
  const { body } = await callControl(control, 'listDeliveries', customer, { values: { tagId, ...values } })
  return body as unknown as { deliveries: DeliveryRow[]; next?: string }
}
const exchange = { request: { method: 'POST', url: 'https://v.example', headers: {}, body: 'for usr_1' } }

/** Makes an event with a finished delivery of the validation channel and its recorded exchange. */
async function makeDelivery(eventId: string): Promise<string> {
  await makeEvent(control, customer, eventId, { isPlanned: false })
  const place = await stream.find(keys.team(teamId).eventKey(tagId, eventId, false))
  const event = { ...place!, tagId, eventName: 'Purchase', userId: 'usr_1', receivedAt: clock.now() }
  const deliveryId = deliveryIdOf({ ...event, scriptId: 'scr_v' })
  const delivery = { deliveryId, scriptId: 'scr_v', providerId: 'validation', status: 'pending' } as const
  await store.journal.plan([
    { ...event, consent: { source: 'none' }, place: { source: 'unknown' }, deliveries: [delivery] },
  ])
  const issues = [{ path: 'data.currency', message: 'is required' }]
  const attempt = {
    deliveryId,
    number: 1,
    at: clock.now(),
    durationMs: 0,
    message: 'data.currency is required',
    issues,
    packed: { pack: 0, part: 0 },
  }
  const settled: DeliveryOutcome = { deliveryId, status: 'delivered', attempt }
  const sealed = await sealPack([[encodeExchange(exchange)]], { tagId, teamId }, keys)
  await store.journal.settle([settled], [{ tagId, failed: false, at: clock.now(), sealed }])
  return deliveryId
}

test('deliveries are listed with the ids of their events, and those of the validation channel with their issues', async () => {
  await makeEvent(control, customer, 'first')
  const deliveryId = await makeDelivery('second')
  const { deliveries } = await list({ status: 'delivered' })
  assert.deepEqual(deliveries, [
    {
      deliveryId,
      eventId: 'second',
      eventName: 'Purchase',
      userId: 'usr_1',
      scriptId: 'scr_v',
      providerId: 'validation',
      status: 'delivered',
      receivedAt: clock.now(),
      at: clock.now(),
      attempts: 0,
      message: 'data.currency is required',
      issues: [{ path: 'data.currency', message: 'is required' }],
    },
  ])
  assert.deepEqual(
    (await list({ reason: 'consent' })).deliveries.map(({ eventId }) => eventId),
    ['first'],
  )
  const page = await list({ limit: 1 })
  assert.deepEqual([page.deliveries[0]?.eventId, typeof page.next], ['second', 'string'])
  assert.deepEqual((await list({ limit: 1, cursor: page.next! })).deliveries[0]?.eventId, 'first')
  assert.deepEqual((await list({ from: clock.now() + 120_000 })).deliveries, [])
})

test('the journey of an event shows requests and responses until its user is erased', async () => {
  await makeDelivery('shown')
  const journey = async () => {
    const { body } = await callControl(control, 'readEvent', customer, { values: { tagId, eventId: 'shown' } })
    const { exchanges, noExchanges } = (body as unknown as Journey).deliveries[0]!.attempts[0]!
    return exchanges ?? noExchanges
  }
  assert.deepEqual(await journey(), [exchange])
  await callControl(control, 'eraseUser', customer, { values: { tagId, userId: 'usr_1' } })
  assert.equal(await journey(), 'deleted')
})

test('stats count events, outcomes and issues of the last hour, by kind', async () => {
  const own = await makeCustomer(control)
  await makeEvent(control, own, 'counted')
  await clock.turn(1_000)
  const { body } = await callControl(control, 'readStats', own, { values: { tagId: own.tagId } })
  const stats = body as unknown as Stats
  assert.deepEqual(stats.events.total, 1)
  assert.deepEqual(stats.deliveries.counts, { skipped: 1 })
  assert.deepEqual(stats.byReason, [{ status: 'skipped', reason: 'consent', count: 1 }])
  assert.deepEqual(
    stats.byScript.map(({ scriptId, total }) => [scriptId, total]),
    [['scr_1', 1]],
  )
  assert.deepEqual(
    stats.byEvent.map(({ eventName, events }) => [eventName, events]),
    [['Purchase', 1]],
  )
  assert.deepEqual(
    stats.series.map(({ events, counts }) => [events, counts]),
    [[1, { skipped: 1 }]],
  )
  const customerStats = (await callControl(control, 'readStats', customer, { values: { tagId, step: 'hour' } }))
    .body as unknown as Stats
  assert.deepEqual(customerStats.issues, [
    { eventName: 'Purchase', path: 'data.currency', message: 'is required', count: 2 },
  ])
  assert.equal(customerStats.deliveries.deliveredRate, 1)
  const long = await callControl(control, 'readStats', customer, { values: { tagId, from: 0, step: 'minute' } })
  assert.deepEqual([long.status, long.body.error], [400, 'BAD_REQUEST'])
})

/** Opens the stream of deliveries and collects its messages. */
async function watch(token: string, lastEventId?: string) {
  const headers = {
    authorization: `Bearer ${token}`,
    'team-id': teamId,
    ...(lastEventId && { 'last-event-id': lastEventId }),
  }
  const answer = await control.app.inject({ url: `/v1/tag/${tagId}/live`, headers, payloadAsStream: true })
  const messages: { event: string; id?: string; data: DeliveryRow }[] = []
  const state = { type: answer.headers['content-type'], status: answer.statusCode, hasEnded: false, messages }
  void (async () => {
    const body = Readable.toWeb(answer.stream()) as ReadableStream<Uint8Array>
    for await (const message of readEventStream(body)) messages.push(message as never)
    state.hasEnded = true
  })()
  return state
}
/** Advances the clock while this many streams wait for it, because their queries take real time. */
const advanceUntil = async (what: string, streams: number, isDone: () => boolean) =>
  until(what, async () => {
    if (clock.sleeping() >= streams) await clock.turn(500)
    return isDone()
  })

test('a stream sends deliveries as they happen, resumes from Last-Event-ID, and ends when its token is revoked', async () => {
  const { createToken } = await import('#account/token.ts')
  const { token, tokenId } = await createToken(
    control.environments.production,
    { teamId, scopes: ['event:read'] },
    'operator',
  )
  const first = await watch(token)
  assert.deepEqual([first.status, first.type], [200, 'text/event-stream; charset=utf-8'])
  await makeEvent(control, customer, 'live')
  await advanceUntil('the first message', 1, () => first.messages.length > 0)
  assert.deepEqual(
    first.messages.map(({ event, data }) => [event, data.eventId, data.status]),
    [['delivery', 'live', 'skipped']],
  )
  await makeDelivery('later')
  await advanceUntil('the second message', 1, () => first.messages.length > 1)
  const again = await watch(token, first.messages[0]!.id)
  // A poll between the plan and its outcome also shows the delivery as pending.
  await advanceUntil('the outcome', 1, () => again.messages.some(({ data }) => data.status === 'delivered'))
  assert.deepEqual(new Set(again.messages.map(({ data }) => data.eventId)), new Set(['later']))
  await revokeToken(control.environments.production, tokenId, 'operator')
  const before = clock.now()
  await advanceUntil('the end of both streams', 1, () => first.hasEnded && again.hasEnded)
  assert.ok(clock.now() - before <= 5_000)
  assert.equal(first.messages.at(-1)?.event, 'closed')
})

test('a Last-Event-ID that is not from this stream is 400', async () => {
  const headers = { 'last-event-id': 'nope' }
  const { status, body } = await callControl(control, 'watchDeliveries', customer, { values: { tagId }, headers })
  assert.deepEqual([status, body.error], [400, 'BAD_REQUEST'])
})
