import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { ChannelEvent } from '#delivery/deliveryDeps.ts'
import { openSender } from '#provider/engine/send.ts'
import { newHook } from '#script/hook.ts'
import { deliveryIdOf } from '#store/deliveryId.ts'
import { until } from '../../test/fake/clock.ts'
import { type Customer, callControl, makeCustomer, makeScript, openTestControl } from '../../test/fake/testControl.ts'
import { makeEvent } from '../../test/fake/testEvents.ts'
import { openVendor } from '../../test/fake/vendor.ts'
import { type AlertNotifier, alertIntervalMs, openAlertNotifier } from './alertNotifier.ts'
import { retryDelaysMs } from './sendNotifications.ts'

const control = await openTestControl()
after(control.close)
const { store, snapshots, keys } = control.environments.production
const { clock } = control
const running: AlertNotifier[] = []
afterEach(async () => void (await Promise.all(running.splice(0).map(({ stop }) => stop()))))

type Answer = Awaited<ReturnType<(typeof control.environments)['production']['send']>>
const answerWith = (status: number): Answer => ({ status, headers: {}, body: '', durationMs: 1 })

/** A team with a channel and a hook, and an alert notifier for them. */
async function openAlerts({ kind = 'alert' as 'alert' | 'deploy', answer = answerWith(200) } = {}) {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { name: 'Meta' })
  const hook = (await callControl(control, 'createHook', as, { body: { url: 'https://ops.example.com/in', kind } }))
    .body
  const sent: { body: string; headers: Record<string, string>; at: number }[] = []
  const vendor = { answer }
  const alertDeps = {
    ...control.environments.production,
    leases: { holds: async () => true },
    async send({ body = '', headers }: { body?: string; headers: Record<string, string> }) {
      sent.push({ body, headers, at: clock.now() })
      return vendor.answer
    },
  }
  const start = () => {
    const alerts = openAlertNotifier(alertDeps)
    running.push(alerts)
    return alerts
  }
  const event = (more: Partial<ChannelEvent> = {}): ChannelEvent => ({
    kind: 'paused',
    tagId: as.tagId,
    scriptId,
    reason: 'keyRejected',
    at: clock.now(),
    ...more,
  })
  return { as, scriptId, hook, sent, vendor, start, event }
}
const listed = async (as: Customer) =>
  (await callControl(control, 'listAlerts', as)).body.alerts as {
    kind: string
    count: number
    sendings: { status: string; tries: number; message?: string }[]
  }[]
/** Turns the clock until the condition is true. */
const untilTurning = (what: string, condition: () => unknown | Promise<unknown>) =>
  until(what, async () => {
    await clock.turn(1_000)
    return condition()
  })
const waitForStatus = (as: Customer, status: string) =>
  untilTurning(`it is ${status}`, async () => (await listed(as))[0]?.sendings[0]?.status === status)

test('a paused channel is reported to the alert hook, signed by Standard Webhooks, and in the audit log', async () => {
  const { as, scriptId, hook, sent, start, event } = await openAlerts()
  const paused = event()
  start().report(paused)
  await waitForStatus(as, 'sent')
  const { body, headers } = sent[0]!
  const { 'webhook-id': id, 'webhook-timestamp': at } = headers
  assert.equal(
    headers['webhook-signature'],
    new Webhook(String(hook.secret)).sign(id!, new Date(Number(at) * 1_000), body),
  )
  const { type, data } = JSON.parse(body)
  assert.equal(type, 'channel.paused')
  const { alertId, at: alertAt, ...rest } = data
  assert.deepEqual(rest, {
    environment: 'production',
    teamId: as.teamId,
    tagId: as.tagId,
    scriptId,
    reason: 'keyRejected',
    count: 1,
    since: paused.at,
    name: 'Meta',
    providerId: 'eventSink',
  })
  assert.equal(alertId, id)
  assert.ok(alertAt >= paused.at)
  const [row] = (await store.audit(as.teamId, { limit: 1 })).rows
  assert.deepEqual([row?.by, row?.what, row?.object], ['aglet', 'channel.paused', scriptId])
  assert.deepEqual(row?.after, { tagId: as.tagId, reason: 'keyRejected', count: 1, since: paused.at })
})

test('alerts of the same kind for a channel are sent once in ten minutes, and events in between are counted in the next one', async () => {
  const { as, sent, start, event } = await openAlerts()
  const alerts = start()
  alerts.report(event({ kind: 'dead', reason: 'vendorDown' }))
  await waitForStatus(as, 'sent')
  for (let n = 0; n < 500; n++) alerts.report(event({ kind: 'dead', reason: 'vendorDown' }))
  alerts.report(event({ kind: 'recovered', reason: 'vendorDown' }))
  await untilTurning('an alert of another kind is sent at once', () => sent.length === 2)
  await clock.turn(alertIntervalMs - 60_000)
  assert.equal(sent.length, 2)
  await untilTurning('the counted alert is sent', () => sent.length === 3)
  const [last] = await listed(as)
  assert.deepEqual([last?.kind, last?.count], ['dead', 500])
})

test('a restart repeats no alert', async () => {
  const { as, sent, start, event } = await openAlerts()
  const first = start()
  first.report(event())
  await waitForStatus(as, 'sent')
  const stopped = first.stop()
  await clock.turn(1_000)
  await stopped
  start().report(event())
  await clock.turn(alertIntervalMs / 2)
  assert.equal(sent.length, 1)
})

test('a team with ten dead hooks and twelve refused channels delays no alert of another team', async () => {
  const [dead, other] = [await openAlerts(), await openAlerts()]
  for (let n = 0; n < 9; n++)
    await callControl(control, 'createHook', dead.as, { body: { url: `https://dead${n}.example.com/`, kind: 'alert' } })
  const never = new AbortController()
  const called: string[] = []
  const send = async ({ body = '' }: { body?: string }) => {
    const { teamId } = JSON.parse(body).data as { teamId: string }
    called.push(teamId)
    if (teamId === dead.as.teamId && !never.signal.aborted)
      await new Promise((resolve) => never.signal.addEventListener('abort', resolve))
    return answerWith(200)
  }
  const notifier = openAlertNotifier({ ...control.environments.production, leases: { holds: async () => true }, send })
  running.push(notifier)
  for (let n = 0; n < 12; n++) notifier.report(dead.event({ kind: n % 2 ? 'dead' : 'paused', at: clock.now() - 1 }))
  await untilTurning('the dead hooks are called', () => called.length > 0)
  for (let n = 0; n < 3; n++) await clock.turn(1_000)
  notifier.report(other.event())
  try {
    await untilTurning('the alert of the other team is sent', () => called.includes(other.as.teamId))
    assert.ok(called.filter((teamId) => teamId === dead.as.teamId).length <= 4, 'a team has four of the places')
  } finally {
    never.abort()
  }
  const isSent = ({ sendings }: Awaited<ReturnType<typeof listed>>[number]) =>
    sendings.every(({ status }) => status === 'sent')
  await untilTurning('the others are sent', async () => (await listed(dead.as)).every(isSent))
})

test('a failed notification is retried with the same id for an hour and three quarters, and then given up', async () => {
  const { as, sent, start, event } = await openAlerts({ answer: answerWith(503) })
  start().report(event())
  for (const [tries, waitMs] of [...retryDelaysMs, 0].entries()) {
    await untilTurning('it is tried', () => sent.length === tries + 1)
    clock.set(waitMs)
  }
  await waitForStatus(as, 'failed')
  assert.equal(sent.length, retryDelaysMs.length + 1)
  assert.equal(new Set(sent.map(({ headers }) => headers['webhook-id'])).size, 1)
  const [{ sendings } = { sendings: [] }] = await listed(as)
  assert.deepEqual([sendings[0]?.tries, sendings[0]?.message], [7, 'The hook responded with 503.'])
})

test('a notification that succeeds at the second try is sent', async () => {
  const { as, sent, vendor, start, event } = await openAlerts({ answer: answerWith(500) })
  start().report(event())
  await untilTurning('it was tried', () => sent.length === 1)
  vendor.answer = answerWith(204)
  await waitForStatus(as, 'sent')
  assert.equal(sent.length, 2)
})

test('a deploy hook gets no alert, and an alert hook is not asked before a deployment', async () => {
  const { as, sent, start, event } = await openAlerts({ kind: 'deploy' })
  start().report(event())
  await untilTurning('it is written', async () => (await listed(as)).length === 1)
  assert.deepEqual((await listed(as))[0]?.sendings, [])
  assert.equal(sent.length, 0)
  const other = await openAlerts()
  control.hooks.asked.length = 0
  control.hooks.answer = answerWith(500)
  await makeScript(control, other.as, { name: 'second' })
  control.hooks.answer = answerWith(200)
  assert.deepEqual(control.hooks.asked, [])
})

test('a deleted tag causes no alert, and reporting never throws', async () => {
  const { as, sent, start, event } = await openAlerts()
  snapshots.drop(as.tagId)
  start().report(event())
  await clock.turn(5_000)
  assert.deepEqual([sent.length, await listed(as)], [0, []])
})

test('a receiver verifies a real message; a private address is not called', async () => {
  const receiver = await openVendor()
  const send = openSender({ allowPrivate: true, outboundPorts: [] })
  const guarded = openSender({ allowPrivate: false, outboundPorts: [] })
  after(() => Promise.all([receiver.close(), send.close(), guarded.close()]))
  const { as, start: _, event } = await openAlerts()
  const { row, secret } = newHook(as.teamId, receiver.url, { keys, clock: { now: Date.now } }, 'alert')
  const rows = (await store.hooks(as.teamId, { limit: 10 })).rows
  await store.write([...rows.map(({ hookId }) => ({ drop: 'hook' as const, hookId })), { add: 'hook', row }])
  const leases = { holds: async () => true }
  const real = { ...control.environments.production, leases, clock: { ...clock, now: Date.now } }
  const alerts = openAlertNotifier({ ...real, send })
  alerts.report(event())
  await until('it has come', () => clock.turn(1_000).then(() => receiver.got.length === 1))
  const { body, headers } = receiver.got[0]!
  const verified = new Webhook(secret).verify(body, headers as Record<string, string>) as { type: string }
  assert.equal(verified.type, 'channel.paused')
  const stopped = alerts.stop()
  await clock.turn(1_000)
  await stopped
  const denied = openAlertNotifier({ ...real, send: guarded })
  running.push(denied)
  denied.report(event({ kind: 'resumed' }))
  await untilTurning(
    'it was tried',
    async () => (await listed(as))[0]?.sendings[0]?.message === 'This address is not allowed.',
  )
  assert.equal(receiver.got.length, 1)
})

test('refused deliveries are an alert only if more than a tenth of the last hour failed', async () => {
  const { as, scriptId, start, event } = await openAlerts()
  const alerts = start()
  let count = 0
  const settle = async (status: 'delivered' | 'refused') => {
    const eventId = `failing ${++count}`
    await makeEvent(control, as, eventId, { isPlanned: false })
    const { stream } = control.environments.production
    const place = (await stream.find(keys.team(as.teamId).eventKey(as.tagId, eventId, false)))!
    const deliveryId = deliveryIdOf({ ...place, receivedAt: clock.now(), scriptId })
    const delivery = { deliveryId, scriptId, providerId: 'eventSink', status: 'pending' } as const
    const facts = { consent: { source: 'none' }, place: { source: 'unknown' } } as const
    const planned = {
      ...place,
      tagId: as.tagId,
      eventName: 'Purchase',
      userId: 'usr_1',
      receivedAt: clock.now(),
      ...facts,
    }
    await store.journal.plan([{ ...planned, deliveries: [delivery] }])
    const attempt = { deliveryId, number: 1, at: clock.now(), durationMs: 3, httpStatus: 400 }
    await store.journal.settle([
      { deliveryId, attempt, status, ...(status === 'refused' && { reason: 'payloadRefused' }) },
    ])
  }
  for (let n = 0; n < 9; n++) await settle('delivered')
  await settle('refused')
  alerts.report(event({ kind: 'failing', reason: 'payloadRefused' }))
  for (let n = 0; n < 5; n++) await clock.turn(1_000)
  assert.deepEqual(await listed(as), [], 'one of ten is a tenth')
  await settle('refused')
  alerts.report(event({ kind: 'failing', reason: 'payloadRefused' }))
  await untilTurning('the alert is written', async () => (await listed(as)).length === 1)
  assert.equal((await listed(as))[0]!.kind, 'failing')
})
