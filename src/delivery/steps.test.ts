import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '#kit/log.ts'
import { identityOf } from '#provider/engine/identity.ts'
import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { unknownConsent } from '#provider/form/consentSignals.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { RequestContext } from '#provider/form/request.ts'
import type { RequestSteps } from '#provider/form/steps.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { acceptEvents, openDeliveryHarness, waitForStatus } from '../../test/fake/deliveryHarness.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { anEvent, aProvider, aScript, aTag } from '../../test/fake/tag.ts'
import type { AttemptContext } from './attemptContext.ts'
import { buildBatchRequests } from './buildBatchRequests.ts'
import { openChannel } from './channel.ts'
import { type CallDeps, executeBatch } from './executeBatch.ts'

const clock = turnedClock()
const now = clock.now()
const crm = 'https://crm.example'

/** Finds the contact, creates one if needed, then sends the event of the contact. */
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
const contextOf = (
  deliveries: Provider,
  eventId = 'e1',
  stepResults?: AttemptContext['delivery']['stepResults'],
): AttemptContext => ({
  delivery: aDelivery(`dlv_${eventId}`, 'scr_1', { receivedAt: now, ...(stepResults && { stepResults }) }),
  provider: deliveries,
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

/** Sends these deliveries to a vendor whose response depends on the path. */
async function send(
  contexts: AttemptContext[],
  replies: Readonly<Record<string, Reply | (() => Reply)>>,
  token?: () => string,
) {
  const sent: string[] = []
  const channel = openChannel('scr_1')
  const deps = {
    clock,
    log: silentLog,
    random: () => 0.5,
    keep: { bodies: 'none' },
    tokens: { get: async () => ({ token: token?.() ?? '', expiresAt: Number.POSITIVE_INFINITY }), drop() {} },
    async send({ url, headers, body }: WireRequest) {
      const { pathname } = new URL(url)
      sent.push([pathname, headers.authorization, body].filter(Boolean).join(' '))
      const reply = replies[pathname]!
      return resultOf(typeof reply === 'function' ? reply() : reply)
    },
  } as unknown as CallDeps
  const results = await executeBatch(buildBatchRequests(contexts, {}, deps), { contexts, channel }, deps)
  return { sent, results, channel }
}

const found: Reply = [200, { id: 7 }]
const none: Reply = [404]
const created: Reply = [201, { contact: { id: 'c-8' } }]
const down: Reply = [503]

test('each step is built from the results of the steps before it', async () => {
  const known = await send([contextOf(provider())], { '/find': found, '/event': [200] })
  assert.deepEqual(known.sent, ['/find', '/event {"contact":"7","event":"e1"}'])
  assert.equal(known.results[0]!.status, 'delivered')
  const unknown = await send([contextOf(provider())], { '/find': none, '/create': created, '/event': [200] })
  assert.deepEqual(unknown.sent, ['/find', '/create {}', '/event {"contact":"c-8","event":"e1"}'])
  assert.deepEqual(unknown.results, [{ status: 'delivered', sent: { durationMs: 9, httpStatus: 200 } }])
})

test('a failed step is sent again by the next attempt, and earlier steps are not', async () => {
  const first = await send([contextOf(provider())], { '/find': none, '/create': created, '/event': down })
  const { status, reason, stepResults } = first.results[0]!
  assert.deepEqual([status, reason, stepResults], ['pending', 'vendorDown', [undefined, 'c-8']])
  const second = await send([contextOf(provider(), 'e1', stepResults)], { '/event': [200] })
  assert.deepEqual(second.sent, ['/event {"contact":"c-8","event":"e1"}'])
  assert.deepEqual([second.results[0]!.status, second.results[0]!.stepResults], ['delivered', undefined])
})

test('a failed first step leaves no results, and a refused step ends the delivery', async () => {
  const [first] = (await send([contextOf(provider())], { '/find': down })).results
  assert.deepEqual([first!.status, 'stepResults' in first!], ['pending', false])
  const [refused] = (await send([contextOf(provider())], { '/find': found, '/event': [422] })).results
  assert.deepEqual([refused!.status, 'stepResults' in refused!], ['refused', false])
})

test('a step that finds nothing to send skips the delivery', async () => {
  const { sent, results } = await send([contextOf(provider())], { '/find': none, '/create': [200, {}] })
  assert.deepEqual(
    [sent, results[0]!.status, results[0]!.reason],
    [['/find', '/create {}'], 'skipped', 'identityMissing'],
  )
})

test('events with steps are never batched, and one that fails does not stop another', async () => {
  let events = 0
  const event = (): Reply => (++events === 1 ? [422] : [200])
  const contexts = ['e1', 'e2'].map((eventId) => contextOf(provider(), eventId))
  const { sent, results } = await send(contexts, { '/find': found, '/event': event })
  assert.deepEqual(sent, [
    '/find',
    '/event {"contact":"7","event":"e1"}',
    '/find',
    '/event {"contact":"7","event":"e2"}',
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
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
  const { sent, results } = await send([contextOf(renewing)], { '/find': found, '/event': event }, () => `t${++count}`)
  assert.deepEqual(sent, [
    '/find t1',
    '/event t1 {"contact":"7","event":"e1"}',
    '/event t2 {"contact":"7","event":"e1"}',
  ])
  assert.equal(results[0]!.status, 'delivered')
})

test('a delivery whose channel stops between two steps keeps the results of the delivered steps', async () => {
  const stopping = contextOf(provider())
  let channel: ReturnType<typeof openChannel> | undefined
  const sent: string[] = []
  const deps = {
    clock,
    log: silentLog,
    random: () => 0.5,
    keep: { bodies: 'none' },
    tokens: { get: () => assert.fail('no token is needed'), drop() {} },
    async send({ url }: WireRequest) {
      sent.push(new URL(url).pathname)
      channel!.recordAnswer({ verdict: 'retry', retryAfterMs: 60_000 }, { startedAt: now, now })
      return resultOf(found)
    },
  } as unknown as CallDeps
  channel = openChannel('scr_1')
  const [result] = await executeBatch(buildBatchRequests([stopping], {}, deps), { contexts: [stopping], channel }, deps)
  assert.deepEqual(sent, ['/find'])
  assert.deepEqual([result!.status, result!.reason, result!.stepResults], ['pending', 'throttled', ['7']])
})

test('a delivery whose next step throws is retried with its results, as an internal failure', async () => {
  const throwing = provider({
    request: () => ({
      next: (results) => {
        if (results.length === 1) throw new TypeError('mapper')
        return { url: `${crm}/find`, resultPath: 'id' }
      },
    }),
  })
  const [result] = (await send([contextOf(throwing)], { '/find': found })).results
  assert.deepEqual([result!.status, result!.reason, result!.stepResults], ['pending', 'poison', ['7']])
})

test('the results of steps are stored with the delivery and outlast a restart', async () => {
  const deps = await openDeliveryHarness(aTag([aScript('scr_1')]), { request: contactSteps })
  const answers: Record<string, Reply> = { '/find': none, '/create': created, '/event': down }
  deps.vendor.answer = ({ url }) => resultOf(answers[new URL(url).pathname]!)
  deps.start()
  await acceptEvents(deps, anEvent(deps.clock.now()))
  await waitForStatus(deps, 'pending vendorDown 1')
  await deps.crash()
  answers['/event'] = [200]
  deps.start()
  await deps.clock.turn(5_000)
  await waitForStatus(deps, 'delivered 2')
  assert.deepEqual(
    deps.sent.map(({ url }) => new URL(url).pathname),
    ['/find', '/create', '/event', '/event'],
  )
})
