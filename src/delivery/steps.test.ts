import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silent } from '#kit/log.ts'
import { identityOf } from '#provider/engine/identity.ts'
import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { unknownConsent } from '#provider/form/consentSignals.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { RequestContext } from '#provider/form/request.ts'
import type { RequestSteps } from '#provider/form/steps.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { accept, ends, openHouse } from '../../test/fake/house.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { anEvent, aProvider, aScript, aTag } from '../../test/fake/tag.ts'
import { type CallWorld, callAll } from './call.ts'
import { makeCalls } from './calls.ts'
import { openChannel } from './channel.ts'
import type { Ready } from './ready.ts'

const clock = turnedClock()
const now = clock.now()
const crm = 'https://crm.example'

/** Finds the contact, creates it where there is none, then sends the event of the contact. */
function contactSteps({ event, token }: Pick<RequestContext, 'event' | 'token'>): RequestSteps {
  const headers = token ? { authorization: token } : {}
  return {
    next: (results) => {
      const [found, created] = results
      if (results.length === 0)
        return { url: `${crm}/find`, headers, resultPath: 'id', responseRules: [{ status: 404, verdict: 'delivered' }] }
      if (!found && results.length === 1) return { url: `${crm}/create`, headers, json: {}, resultPath: 'contact.id' }
      const contact = found ?? created
      if (!contact) return { skipped: 'identityMissing' }
      const json = { contact, event: event.eventId }
      return results.length === (found ? 1 : 2) ? { url: `${crm}/event`, headers, json } : undefined
    },
  }
}

const provider = (more: Partial<Provider> = {}) =>
  aProvider('eventSink', { request: contactSteps, batch: { maxEvents: 10, listPath: 'x' }, ...more })

type Reply = [status: number, json?: unknown]
const resultOf = ([status, json = {}]: Reply): SendResult => ({
  status,
  headers: {},
  body: JSON.stringify(json),
  durationMs: 3,
})

const tag = aTag([aScript('scr_1')])
const readyOf = (of: Provider, eventId = 'e1', stepResults?: Ready['delivery']['stepResults']): Ready => ({
  delivery: aDelivery(`dlv_${eventId}`, 'scr_1', { receivedAt: now, ...(stepResults && { stepResults }) }),
  provider: of,
  tag,
  script: tag.scripts[0]!,
  outgoing: {
    event: anEvent(now, { eventId }),
    person: {},
    identity: identityOf({}),
    custom: {},
    captured: {},
    consent: unknownConsent,
  },
  secrets: {},
})

/** Sends these deliveries to a vendor that responds by the path. */
async function send(ready: Ready[], replies: Readonly<Record<string, Reply | (() => Reply)>>, token?: () => string) {
  const sent: string[] = []
  const channel = openChannel('scr_1')
  const on = {
    clock,
    log: silent,
    random: () => 0.5,
    keep: { bodies: 'none' },
    tokens: { get: async () => ({ token: token?.() ?? '', expiresAt: Number.POSITIVE_INFINITY }), drop() {} },
    async send({ url, headers, body }: WireRequest) {
      const { pathname } = new URL(url)
      sent.push([pathname, headers.authorization, body].filter(Boolean).join(' '))
      const reply = replies[pathname]!
      return resultOf(typeof reply === 'function' ? reply() : reply)
    },
  } as unknown as CallWorld
  const ended = await callAll(makeCalls(ready, {}, on), { ready, channel }, on)
  return { sent, ended, channel }
}

const found: Reply = [200, { id: 7 }]
const none: Reply = [404]
const created: Reply = [201, { contact: { id: 'c-8' } }]
const down: Reply = [503]

test('each step is built from the results of the steps before it', async () => {
  const known = await send([readyOf(provider())], { '/find': found, '/event': [200] })
  assert.deepEqual(known.sent, ['/find', '/event {"contact":"7","event":"e1"}'])
  assert.equal(known.ended[0]!.status, 'delivered')
  const unknown = await send([readyOf(provider())], { '/find': none, '/create': created, '/event': [200] })
  assert.deepEqual(unknown.sent, ['/find', '/create {}', '/event {"contact":"c-8","event":"e1"}'])
  assert.deepEqual(unknown.ended, [{ status: 'delivered', sent: { durationMs: 9, httpStatus: 200 } }])
})

test('a step that fails is sent again by the next attempt, and no step before it', async () => {
  const first = await send([readyOf(provider())], { '/find': none, '/create': created, '/event': down })
  const { status, reason, stepResults } = first.ended[0]!
  assert.deepEqual([status, reason, stepResults], ['pending', 'vendorDown', [undefined, 'c-8']])
  const second = await send([readyOf(provider(), 'e1', stepResults)], { '/event': [200] })
  assert.deepEqual(second.sent, ['/event {"contact":"c-8","event":"e1"}'])
  assert.deepEqual([second.ended[0]!.status, second.ended[0]!.stepResults], ['delivered', undefined])
})

test('where the first step fails there are no results, and a refused step ends the delivery', async () => {
  const [first] = (await send([readyOf(provider())], { '/find': down })).ended
  assert.deepEqual([first!.status, 'stepResults' in first!], ['pending', false])
  const [refused] = (await send([readyOf(provider())], { '/find': found, '/event': [422] })).ended
  assert.deepEqual([refused!.status, 'stepResults' in refused!], ['refused', false])
})

test('a step can find that nothing is to be sent: the delivery is skipped', async () => {
  const { sent, ended } = await send([readyOf(provider())], { '/find': none, '/create': [200, {}] })
  assert.deepEqual([sent, ended[0]!.status, ended[0]!.reason], [['/find', '/create {}'], 'skipped', 'identityMissing'])
})

test('events in steps are never joined, and one that fails does not stop another', async () => {
  let events = 0
  const event = (): Reply => (++events === 1 ? [422] : [200])
  const ready = ['e1', 'e2'].map((eventId) => readyOf(provider(), eventId))
  const { sent, ended } = await send(ready, { '/find': found, '/event': event })
  assert.deepEqual(sent, [
    '/find',
    '/event {"contact":"7","event":"e1"}',
    '/find',
    '/event {"contact":"7","event":"e2"}',
  ])
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['refused', 'delivered'],
  )
})

test('a token that is rejected between two steps is renewed, and only the rejected step is sent again', async () => {
  let count = 0
  let isRejected = true
  const event = (): Reply => {
    const status = isRejected ? 401 : 200
    isRejected = false
    return [status]
  }
  const renewing = provider({ tokenRequest: { request: () => ({ url: `${crm}/token` }) } })
  const { sent, ended } = await send([readyOf(renewing)], { '/find': found, '/event': event }, () => `t${++count}`)
  assert.deepEqual(sent, [
    '/find t1',
    '/event t1 {"contact":"7","event":"e1"}',
    '/event t2 {"contact":"7","event":"e1"}',
  ])
  assert.equal(ended[0]!.status, 'delivered')
})

test('a channel that is stopped between two steps keeps the results of those that were delivered', async () => {
  const stopping = readyOf(provider())
  let channel: ReturnType<typeof openChannel> | undefined
  const sent: string[] = []
  const on = {
    clock,
    log: silent,
    random: () => 0.5,
    keep: { bodies: 'none' },
    tokens: { get: () => assert.fail('no token is needed'), drop() {} },
    async send({ url }: WireRequest) {
      sent.push(new URL(url).pathname)
      channel!.pausedUntil = now + 60_000
      return resultOf(found)
    },
  } as unknown as CallWorld
  channel = openChannel('scr_1')
  const [ended] = await callAll(makeCalls([stopping], {}, on), { ready: [stopping], channel }, on)
  assert.deepEqual(sent, ['/find'])
  assert.deepEqual([ended!.status, ended!.reason, ended!.stepResults], ['pending', 'throttled', ['7']])
})

test('a provider whose next step throws is retried with the results, as a fault of our own', async () => {
  const throwing = provider({
    request: () => ({
      next: (results) => {
        if (results.length === 1) throw new TypeError('mapper')
        return { url: `${crm}/find`, resultPath: 'id' }
      },
    }),
  })
  const [ended] = (await send([readyOf(throwing)], { '/find': found })).ended
  assert.deepEqual([ended!.status, ended!.reason, ended!.stepResults], ['pending', 'poison', ['7']])
})

test('the results of steps are stored with the delivery, and outlast a restart', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]), { request: contactSteps })
  const answers: Record<string, Reply> = { '/find': none, '/create': created, '/event': down }
  on.vendor.answer = ({ url }) => resultOf(answers[new URL(url).pathname]!)
  on.start()
  await accept(on, anEvent(on.clock.now()))
  await ends(on, 'pending vendorDown 1')
  await on.crash()
  answers['/event'] = [200]
  on.start()
  await on.clock.turn(5_000)
  await ends(on, 'delivered 2')
  assert.deepEqual(
    on.sent.map(({ url }) => new URL(url).pathname),
    ['/find', '/create', '/event', '/event'],
  )
})
