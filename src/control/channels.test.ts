import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ChannelStatus } from '#contract/channel.ts'
import type { IntakeReport } from '#contract/intake.ts'
import type { Funnel, TeamStats } from '#contract/stats.ts'
import { deliveryIdOf } from '#store/deliveryId.ts'
import type { DeliveryOutcome } from '#store/store.ts'
import { callControl, makeCustomer, makeScript, openTestControl } from '../../test/fake/testControl.ts'
import { makeEvent } from '../../test/fake/testEvents.ts'

const control = await openTestControl()
after(control.close)
const { clock } = control
const { store, stream, keys, intakeLog } = control.environments.production

async function newCustomer() {
  const customer = await makeCustomer(control)
  const read = async <Body>(id: Parameters<typeof callControl>[1], values: Record<string, string | number> = {}) => {
    const { status, body } = await callControl(control, id, customer, { values: { tagId: customer.tagId, ...values } })
    assert.equal(status, 200, JSON.stringify(body))
    return body as unknown as Body
  }
  const channels = async () => (await read<{ channels: ChannelStatus[] }>('listChannels')).channels
  /** An event with one delivery of a script. */
  async function plan(eventId: string, scriptId: string, outcome: Omit<DeliveryOutcome, 'deliveryId'>) {
    const { tagId, teamId } = customer
    await makeEvent(control, customer, eventId, { isPlanned: false })
    const place = await stream.find(keys.team(teamId).eventKey(tagId, eventId, false))
    const event = { ...place!, tagId, eventName: 'Purchase', userId: 'usr_1', receivedAt: clock.now() }
    const deliveryId = deliveryIdOf({ ...event, scriptId })
    const delivery = { deliveryId, scriptId, providerId: 'eventSink', status: 'pending' } as const
    const facts = { consent: { source: 'none' }, place: { source: 'unknown' } } as const
    await store.journal.plan([{ ...event, ...facts, deliveries: [delivery] }])
    const attempt = { deliveryId, number: 1, at: clock.now(), durationMs: 3, httpStatus: 503, message: 'busy' }
    await store.journal.settle([{ deliveryId, attempt, ...outcome }])
    return deliveryId
  }
  return { customer, read, channels, plan }
}

test('a channel tells its state, what waits, and its last delivery and error', async () => {
  const { customer, channels, plan } = await newCustomer()
  const scriptId = await makeScript(control, customer, { name: 'shop sink' })
  const draftId = await makeScript(control, customer, { name: 'draft', shouldDeploy: false })
  const [draft, fresh] = (await channels()).toSorted((one, other) => one.name.localeCompare(other.name))
  assert.deepEqual(draft, {
    scriptId: draftId,
    name: 'draft',
    providerId: 'eventSink',
    state: 'draft',
    health: 'quiet',
    lastHour: { delivered: 0, failed: 0, runs: 0, failedRuns: 0 },
    waiting: 0,
    held: 0,
  })
  assert.deepEqual([fresh?.state, fresh?.health, fresh?.waiting], ['ok', 'quiet', 0])

  await plan('good', scriptId, { status: 'delivered' })
  const deliveryId = await plan('bad', scriptId, {
    status: 'pending',
    reason: 'vendorDown',
    nextAt: clock.now() + 9_000,
  })
  const stateOf = async () => (await channels()).find((channel) => channel.scriptId === scriptId)!
  const waiting = await stateOf()
  assert.deepEqual([waiting.state, waiting.waiting, waiting.nextAt], ['ok', 1, clock.now() + 9_000])
  assert.equal(typeof waiting.lastDeliveredAt, 'number')
  assert.deepEqual(waiting.lastError, {
    at: waiting.lastError?.at,
    deliveryId,
    eventId: 'bad',
    status: 'pending',
    reason: 'vendorDown',
    httpStatus: 503,
    message: 'busy',
  })

  const { tagId } = customer
  const pause = { scriptId, tagId, since: clock.now(), until: clock.now() + 10_000, times: 1, secrets: '' }
  for (const [reason, state] of [
    ['vendorDown', 'vendorDown'],
    ['keyRejected', 'keyRejected'],
  ] as const) {
    await store.journal.pause({ ...pause, reason })
    const paused = await stateOf()
    assert.deepEqual(
      [paused.state, paused.reason, paused.since, paused.nextAt],
      [state, reason, pause.since, pause.until],
    )
  }
  await callControl(control, 'pauseScript', customer, { values: { scriptId } })
  assert.equal((await stateOf()).state, 'paused')
  await callControl(control, 'resumeScript', customer, { values: { scriptId } })
  assert.equal((await stateOf()).state, 'ok')

  await plan('slow', scriptId, {
    status: 'pending',
    reason: 'throttled',
    nextAt: clock.now() + 60_000,
    at: clock.now() + 5,
  })
  await store.journal.settle([{ deliveryId, status: 'delivered' }])
  const throttled = await stateOf()
  assert.deepEqual([throttled.state, throttled.nextAt], ['throttled', clock.now() + 60_000])
})

test('the funnel of a tag and the counts of all tags of a team are those of their events', async () => {
  const { customer, read, plan } = await newCustomer()
  await plan('one', 'scr_1', { status: 'delivered' })
  await plan('two', 'scr_1', { status: 'dead', reason: 'expired' })
  const funnel = await read<Funnel>('readFunnel')
  assert.deepEqual([funnel.events, funnel.planned], [2, 2])
  assert.deepEqual(
    funnel.parts.toSorted((one, other) => one.status.localeCompare(other.status)),
    [
      { status: 'dead', reason: 'expired', count: 1 },
      { status: 'delivered', count: 1 },
    ],
  )
  assert.deepEqual((await read<Funnel>('readFunnel', { scriptId: 'scr_9' })).planned, 0)
  const refused = await callControl(control, 'readFunnel', customer, {
    values: { tagId: customer.tagId, from: 9, to: 8 },
  })
  assert.equal(refused.status, 400)

  await clock.turn(1_000)
  const { tags } = await read<TeamStats>('readTeamStats')
  assert.deepEqual(
    tags.map(({ tagId, name, events }) => [tagId, name, events.total]),
    [[customer.tagId, 'shop', 2]],
  )
  assert.deepEqual(tags[0]?.deliveries.counts, { delivered: 1, dead: 1 })
})

test('the intake of a tag has its counts, the last refusals and who called', async () => {
  const { customer, read } = await newCustomer()
  const { tagId } = customer
  intakeLog.countEvents(tagId, 'accepted', 3)
  intakeLog.countEvents(tagId, 'duplicate', 1)
  intakeLog.addRefusal(tagId, { code: 'ORIGIN_REFUSED', method: 'POST', path: '/tag', origin: 'https://other.example' })
  intakeLog.addCaller(tagId, { call: 'load', host: 'shop.example.com', sdkVersion: '1.0.0' })
  await clock.turn(1)
  const intake = await read<IntakeReport>('readIntake')
  assert.deepEqual(
    [intake.accepted, intake.duplicate, intake.rejected, intake.refused],
    [3, 1, 0, { ORIGIN_REFUSED: 1 }],
  )
  assert.deepEqual(
    intake.series.map(({ at: _, ...counts }) => counts),
    [{ accepted: 3, duplicate: 1, rejected: 0, refused: { ORIGIN_REFUSED: 1 } }],
  )
  assert.deepEqual(
    intake.refusals.map(({ at: _, ...refusal }) => refusal),
    [{ code: 'ORIGIN_REFUSED', method: 'POST', path: '/tag', origin: 'https://other.example' }],
  )
  assert.deepEqual(
    intake.seen.map(({ at: _, ...caller }) => caller),
    [{ call: 'load', host: 'shop.example.com', sdkVersion: '1.0.0' }],
  )
})

test('a channel that refuses more than a tenth is failing, not OK', async () => {
  const { customer, channels, plan } = await newCustomer()
  const scriptId = await makeScript(control, customer)
  for (let n = 0; n < 9; n += 1) await plan(`good ${n}`, scriptId, { status: 'delivered' })
  const health = async () => (await channels())[0]!.health
  assert.equal(await health(), 'ok')
  await plan('refused 1', scriptId, { status: 'refused', reason: 'payloadRefused' })
  assert.equal(await health(), 'ok', 'one of ten is a tenth, not more')
  await plan('refused 2', scriptId, { status: 'refused', reason: 'payloadRefused' })
  assert.equal(await health(), 'failing')
  assert.deepEqual((await channels())[0]!.lastHour, { delivered: 9, failed: 2, runs: 0, failedRuns: 0 })
  await clock.turn(2 * 3_600_000)
  assert.equal(await health(), 'quiet')
})
