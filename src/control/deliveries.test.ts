import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { revokeToken } from '#account/token.ts'
import type { DeliveryRow, Stats } from '#contract/delivery.ts'
import type { Journey } from '#contract/journey.ts'
import { readMessages } from '#contract/stream.ts'
import { sealPack } from '#journal/pack.ts'
import type { Settled } from '#store/store.ts'
import { until } from '../../test/fake/clock.ts'
import { ask, makeCustomer, makeEvent, openControl } from '../../test/fake/control.ts'

const control = await openControl()
after(control.close)
const customer = await makeCustomer(control)
const { tagId, teamId } = customer
const { clock } = control
const { store, stream, keys } = control.worlds.production
const list = async (values: Record<string, string | number> = {}) => {
  const { body } = await ask(control, 'listDeliveries', customer, { values: { tagId, ...values } })
  return body as unknown as { deliveries: DeliveryRow[]; next?: string }
}
const exchange = { request: { method: 'POST', url: 'https://v.example', headers: {}, body: 'for usr_1' } }

/** An event with a delivery of the validation channel that has ended, with its bodies. */
async function tried(eventId: string): Promise<string> {
  await makeEvent(control, customer, eventId, { isPlanned: false })
  const place = await stream.find(keys.team(teamId).eventKey(tagId, eventId, false))
  const deliveryId = `dlv_${eventId}`
  const delivery = { deliveryId, scriptId: 'scr_v', providerId: 'validation', status: 'pending' } as const
  const event = { ...place!, tagId, eventName: 'Purchase', userId: 'usr_1', receivedAt: clock.now() }
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
  const settled: Settled = { deliveryId, status: 'delivered', attempt }
  const sealed = await sealPack([[exchange]], { tagId, teamId }, keys)
  await store.journal.settle([settled], [{ tagId, failed: false, at: clock.now(), sealed }])
  return deliveryId
}

test('deliveries are listed with the id of their event; those of the validation channel with their issues', async () => {
  await makeEvent(control, customer, 'first')
  const deliveryId = await tried('second')
  const { deliveries } = await list({ status: 'delivered' })
  assert.deepEqual(deliveries, [
    {
      deliveryId,
      eventId: 'second',
      eventName: 'Purchase',
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

test('the journey of an event shows what went out and came back, until its user is erased', async () => {
  await tried('shown')
  const journey = async () => {
    const { body } = await ask(control, 'readEvent', customer, { values: { tagId, eventId: 'shown' } })
    return (body as unknown as Journey).deliveries[0]?.attempts[0]?.exchanges
  }
  assert.deepEqual(await journey(), [exchange])
  await ask(control, 'eraseUser', customer, { values: { tagId, userId: 'usr_1' } })
  assert.equal(await journey(), undefined)
})

test('stats count events, outcomes and issues of the last hour, by what they are', async () => {
  const own = await makeCustomer(control)
  await makeEvent(control, own, 'counted')
  await clock.turn(1_000)
  const { body } = await ask(control, 'readStats', own, { values: { tagId: own.tagId } })
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
  const mine = (await ask(control, 'readStats', customer, { values: { tagId, step: 'hour' } })).body as unknown as Stats
  assert.deepEqual(mine.issues, [{ eventName: 'Purchase', path: 'data.currency', message: 'is required', count: 2 }])
  assert.equal(mine.deliveries.deliveredRate, 1)
  const long = await ask(control, 'readStats', customer, { values: { tagId, from: 0, step: 'minute' } })
  assert.deepEqual([long.status, long.body.error], [400, 'BAD_REQUEST'])
})

/** Watches, and notes what comes. */
async function watch(token: string, lastEventId?: string) {
  const headers = {
    authorization: `Bearer ${token}`,
    'team-id': teamId,
    ...(lastEventId && { 'last-event-id': lastEventId }),
  }
  const answer = await control.app.inject({ url: `/v1/tag/${tagId}/live`, headers, payloadAsStream: true })
  const came: { event: string; id?: string; data: DeliveryRow }[] = []
  const state = { type: answer.headers['content-type'], status: answer.statusCode, hasEnded: false, came }
  void (async () => {
    const body = Readable.toWeb(answer.stream()) as ReadableStream<Uint8Array>
    for await (const message of readMessages(body)) came.push(message as never)
    state.hasEnded = true
  })()
  return state
}
/** Turns the clock whenever so many streams wait for it: what they ask the store takes real time. */
const told = async (what: string, streams: number, holds: () => boolean) =>
  until(what, async () => {
    if (clock.sleeping() >= streams) await clock.turn(500)
    return holds()
  })

test('who watches is told of deliveries as they happen, goes on where it was cut off, and is let go with its token', async () => {
  const { createToken } = await import('#account/token.ts')
  const { token, tokenId } = await createToken(
    control.worlds.production,
    { teamId, scopes: ['event:read'] },
    'operator',
  )
  const first = await watch(token)
  assert.deepEqual([first.status, first.type], [200, 'text/event-stream; charset=utf-8'])
  await makeEvent(control, customer, 'live')
  await told('the first message', 1, () => first.came.length > 0)
  assert.deepEqual(
    first.came.map(({ event, data }) => [event, data.eventId, data.status]),
    [['delivery', 'live', 'skipped']],
  )
  await tried('later')
  await told('the second', 1, () => first.came.length > 1)
  const again = await watch(token, first.came[0]!.id)
  await told('what came after the first', 2, () => again.came.length > 0)
  assert.deepEqual(
    again.came.map(({ data }) => data.eventId),
    ['later'],
  )
  await revokeToken(control.worlds.production, tokenId, 'operator')
  const before = clock.now()
  await told('the end', 1, () => first.hasEnded && again.hasEnded)
  assert.ok(clock.now() - before <= 5_000)
  assert.equal(first.came.at(-1)?.event, 'closed')
})

test('a Last-Event-ID that this stream did not give is 400', async () => {
  const headers = { 'last-event-id': 'nope' }
  const { status, body } = await ask(control, 'watchDeliveries', customer, { values: { tagId }, headers })
  assert.deepEqual([status, body.error], [400, 'BAD_REQUEST'])
})
