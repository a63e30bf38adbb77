import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { ChannelEvent } from '#delivery/world.ts'
import { openSender } from '#provider/engine/send.ts'
import { makeHook } from '#script/hook.ts'
import { until } from '../../test/fake/clock.ts'
import { ask, type Customer, makeCustomer, makeScript, openControl } from '../../test/fake/control.ts'
import { openVendor } from '../../test/fake/vendor.ts'
import { type Alerts, openAlerts, quietMs } from './alerts.ts'
import { againMs } from './send.ts'

const control = await openControl()
after(control.close)
const { store, snapshots, keys } = control.worlds.production
const { clock } = control
const running: Alerts[] = []
afterEach(async () => void (await Promise.all(running.splice(0).map(({ stop }) => stop()))))

type Answer = Awaited<ReturnType<(typeof control.worlds)['production']['send']>>
const answers = (status: number): Answer => ({ status, headers: {}, body: '', durationMs: 1 })

/** A team with a channel and an alert hook, and what tells it. */
async function opened({ kind = 'alert' as 'alert' | 'deploy', answer = answers(200) } = {}) {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { name: 'Meta' })
  const hook = (await ask(control, 'createHook', as, { body: { url: 'https://ops.example.com/in', kind } })).body
  const asked: { body: string; headers: Record<string, string>; at: number }[] = []
  const vendor = { answer }
  const on = {
    ...control.worlds.production,
    async send({ body = '', headers }: { body?: string; headers: Record<string, string> }) {
      asked.push({ body, headers, at: clock.now() })
      return vendor.answer
    },
  }
  const start = () => {
    const alerts = openAlerts(on)
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
  return { as, scriptId, hook, asked, vendor, start, event }
}
const listed = async (as: Customer) =>
  (await ask(control, 'listAlerts', as)).body.alerts as {
    kind: string
    count: number
    sendings: { status: string; tries: number; message?: string }[]
  }[]
/** Turns the clock until it holds. */
const soon = (what: string, holds: () => unknown | Promise<unknown>) =>
  until(what, async () => {
    await clock.turn(1_000)
    return holds()
  })
const settled = (as: Customer, status: string) =>
  soon(`it is ${status}`, async () => (await listed(as))[0]?.sendings[0]?.status === status)

test('a channel that pauses is told to the alert hook, signed by Standard Webhooks, and to the audit', async () => {
  const { as, scriptId, hook, asked, start, event } = await opened()
  const paused = event()
  start().told(paused)
  await settled(as, 'sent')
  const { body, headers } = asked[0]!
  const { 'webhook-id': id, 'webhook-timestamp': at } = headers
  assert.equal(
    headers['webhook-signature'],
    new Webhook(String(hook.secret)).sign(id!, new Date(Number(at) * 1_000), body),
  )
  const { type, data } = JSON.parse(body)
  assert.equal(type, 'channel.paused')
  const { alertId, at: toldAt, ...rest } = data
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
  assert.ok(toldAt >= paused.at)
  const [row] = (await store.audit(as.teamId, { limit: 1 })).rows
  assert.deepEqual([row?.by, row?.what, row?.object], ['aglet', 'channel.paused', scriptId])
  assert.deepEqual(row?.after, { tagId: as.tagId, reason: 'keyRejected', count: 1, since: paused.at })
})

test('the same of one channel is told once in ten minutes; what came in between is told after them, counted', async () => {
  const { as, asked, start, event } = await opened()
  const alerts = start()
  alerts.told(event({ kind: 'dead', reason: 'vendorDown' }))
  await settled(as, 'sent')
  for (let n = 0; n < 500; n++) alerts.told(event({ kind: 'dead', reason: 'vendorDown' }))
  alerts.told(event({ kind: 'recovered', reason: 'vendorDown' }))
  await soon('another kind is told at once', () => asked.length === 2)
  await clock.turn(quietMs - 60_000)
  assert.equal(asked.length, 2)
  await soon('the rest is told', () => asked.length === 3)
  const [last] = await listed(as)
  assert.deepEqual([last?.kind, last?.count], ['dead', 500])
})

test('a restart tells nobody twice', async () => {
  const { as, asked, start, event } = await opened()
  const first = start()
  first.told(event())
  await settled(as, 'sent')
  const stopped = first.stop()
  await clock.turn(1_000)
  await stopped
  start().told(event())
  await clock.turn(quietMs / 2)
  assert.equal(asked.length, 1)
})

test('a hook that does not take it is told again, under the same id, for an hour and a half; then it is given up', async () => {
  const { as, asked, start, event } = await opened({ answer: answers(503) })
  start().told(event())
  for (const [tries, waitMs] of [...againMs, 0].entries()) {
    await soon('it is tried', () => asked.length === tries + 1)
    clock.set(waitMs)
  }
  await settled(as, 'failed')
  assert.equal(asked.length, againMs.length + 1)
  assert.equal(new Set(asked.map(({ headers }) => headers['webhook-id'])).size, 1)
  const [{ sendings } = { sendings: [] }] = await listed(as)
  assert.deepEqual([sendings[0]?.tries, sendings[0]?.message], [7, 'It answered 503.'])
})

test('one that takes it the second time was told', async () => {
  const { as, asked, vendor, start, event } = await opened({ answer: answers(500) })
  start().told(event())
  await soon('it was tried', () => asked.length === 1)
  vendor.answer = answers(204)
  await settled(as, 'sent')
  assert.equal(asked.length, 2)
})

test('a deploy hook is told nothing, and an alert hook is not asked before a deployment', async () => {
  const { as, asked, start, event } = await opened({ kind: 'deploy' })
  start().told(event())
  await soon('it is written', async () => (await listed(as)).length === 1)
  assert.deepEqual((await listed(as))[0]?.sendings, [])
  assert.equal(asked.length, 0)
  const other = await opened()
  control.hooks.asked.length = 0
  control.hooks.answer = answers(500)
  await makeScript(control, other.as, { name: 'second' })
  control.hooks.answer = answers(200)
  assert.deepEqual(control.hooks.asked, [])
})

test('of a tag that is gone nobody is told, and telling never throws', async () => {
  const { as, asked, start, event } = await opened()
  snapshots.drop(as.tagId)
  start().told(event())
  await clock.turn(5_000)
  assert.deepEqual([asked.length, await listed(as)], [0, []])
})

test('a receiver verifies what it gets over the wire; an address inside the network is not called', async () => {
  const receiver = await openVendor()
  const send = openSender({ allowPrivate: true, outboundPorts: [] })
  const guarded = openSender({ allowPrivate: false, outboundPorts: [] })
  after(() => Promise.all([receiver.close(), send.close(), guarded.close()]))
  const { as, start: _, event } = await opened()
  const { row, secret } = makeHook(as.teamId, receiver.url, { keys, clock: { now: Date.now } }, 'alert')
  const rows = (await store.hooks(as.teamId, { limit: 10 })).rows
  await store.write([...rows.map(({ hookId }) => ({ drop: 'hook' as const, hookId })), { add: 'hook', row }])
  const real = { ...control.worlds.production, clock: { ...clock, now: Date.now } }
  const alerts = openAlerts({ ...real, send })
  alerts.told(event())
  await until('it has come', () => clock.turn(1_000).then(() => receiver.got.length === 1))
  const { body, headers } = receiver.got[0]!
  const told = new Webhook(secret).verify(body, headers as Record<string, string>) as { type: string }
  assert.equal(told.type, 'channel.paused')
  const stopped = alerts.stop()
  await clock.turn(1_000)
  await stopped
  const denied = openAlerts({ ...real, send: guarded })
  running.push(denied)
  denied.told(event({ kind: 'resumed' }))
  await soon('it was tried', async () => (await listed(as))[0]?.sendings[0]?.message === 'This address is not allowed.')
  assert.equal(receiver.got.length, 1)
})
