import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Keyring } from '#account/keyring.ts'
import { defaultRetention } from '#journal/retentionPolicy.ts'
import { type Log, silentLog } from '#kit/log.ts'
import { unlimitedIntake } from '#limit/intakeRate.ts'
import { identityOf } from '#provider/engine/identity.ts'
import type { SendResult } from '#provider/engine/send.ts'
import { openTokenCache } from '#provider/engine/tokenCache.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { unknownConsent } from '#provider/form/consentSignals.ts'
import type { Provider } from '#provider/form/provider.ts'
import { plain } from '#provider/form/userRule.ts'
import { createSnapshots, type Snapshot } from '#script/snapshot.ts'
import type { DueDelivery } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import { noCaptureRules } from '#user/captureRules.ts'
import type { Profiles } from '#user/profiles.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { anEvent, aProvider, aScript, aTag } from '../../test/fake/tag.ts'
import { type AttemptDeps, attempt } from './attempt.ts'
import { type Channel, openChannel } from './channel.ts'
import type { OutboundEvent } from './outboundEvents.ts'

const clock = turnedClock()
const now = clock.now()
const hourMs = 3_600_000
const person = { email: 'jane@example.com' }
const outgoing: OutboundEvent = {
  event: anEvent(now),
  person,
  identity: identityOf(person),
  custom: {},
  captured: {},
  consent: unknownConsent,
}
const ok: SendResult = { status: 200, headers: {}, body: '', durationMs: 12 }
const answers = (status: number, more: Partial<Extract<SendResult, { status: number }>> = {}): SendResult => ({
  ...ok,
  status,
  ...more,
})

type AttemptOptions = Partial<AttemptDeps> & { provider?: Partial<Provider>; tag?: Snapshot; reply?: SendResult }
function openAttempt({ provider = {}, tag = aTag([aScript('scr_1')]), reply = ok, ...more }: AttemptOptions) {
  const sent: WireRequest[] = []
  const deps: AttemptDeps = {
    environment: 'production',
    keep: { ...defaultRetention, bodies: 'none' },
    clock,
    log: silentLog,
    snapshots: createSnapshots([tag]),
    providers: { eventSink: aProvider('eventSink', provider) },
    random: () => 0.5,
    brand: 'Service',
    tagUrl: (tagId) => `https://aglet.example/t/${tagId}`,
    runCode: () => assert.fail('no code runs here'),
    stream: {} as Stream,
    intakeRate: unlimitedIntake,
    profiles: {} as Profiles,
    keys: {} as Keyring,
    captures: () => noCaptureRules,
    events: {
      open: () => assert.fail('an attempt opens no record'),
      at: () => assert.fail('an attempt opens no record'),
      expect: () => {},
      keepDecision: () => {},
      outgoing: async () => outgoing,
    },
    plaintexts: async () => ({ KEY: 's3cret-key' }),
    tokens: openTokenCache({ clock, send: (request, host) => deps.send(request, host) }),
    async send(request) {
      sent.push(request)
      return reply
    },
    ...more,
  }
  return { deps, sent }
}
const waiting = (more: Partial<DueDelivery> = {}) => aDelivery('dlv_1', 'scr_1', { receivedAt: now, ...more })
const one = async (deps: AttemptDeps, delivery = waiting(), channel = openChannel('scr_1')) =>
  (await attempt([delivery], channel, deps))[0]!
const outcome = (options: AttemptOptions, ...more: [DueDelivery?, Channel?]) => one(openAttempt(options).deps, ...more)

test('an attempt that is answered with 2xx is delivered, and its duration and status are recorded', async () => {
  const { deps, sent } = openAttempt({})
  assert.deepEqual(await one(deps, waiting({ attempts: 4 })), {
    deliveryId: 'dlv_1',
    status: 'delivered',
    attempt: { deliveryId: 'dlv_1', number: 5, at: now, durationMs: 12, httpStatus: 200 },
  })
  assert.deepEqual(sent, [
    {
      method: 'POST',
      url: 'https://eventSink.example/',
      headers: { 'content-type': 'application/json' },
      body: '{"eventId":"event-1"}',
    },
  ])
})

test('a delivery of a deleted script is not sent and is dead: erased', async () => {
  const { deps, sent } = openAttempt({ tag: aTag([]) })
  assert.deepEqual(await one(deps), {
    deliveryId: 'dlv_1',
    status: 'dead',
    reason: 'erased',
  })
  assert.deepEqual(sent, [])
})

test('a delivery is dead: expired if the stream dropped its event, and dead: erased if its user was erased', async () => {
  const events = { ...openAttempt({}).deps.events, outgoing: async () => 'expired' as const }
  assert.deepEqual(await outcome({ events }), { deliveryId: 'dlv_1', status: 'dead', reason: 'expired' })
  const erased = { ...events, outgoing: async () => 'erased' as const }
  assert.deepEqual(await outcome({ events: erased }), { deliveryId: 'dlv_1', status: 'dead', reason: 'erased' })
})

test('a delivery that the provider does not send is skipped with the reason', async () => {
  const skip = async (provider: Partial<Provider>) => {
    const { status, reason } = await outcome({ provider })
    return [status, reason]
  }
  assert.deepEqual(await skip({ request: () => ({ skipped: 'filtered' }) }), ['skipped', 'filtered'])
  assert.deepEqual(await skip({ request: () => [] }), ['skipped', 'filtered'])
  assert.deepEqual(await skip({ user: { phone: plain('phone') }, requires: ['phone'] }), ['skipped', 'identityMissing'])
})

test('a delivery to a vendor that is down, resets the connection or times out is retried on the schedule', async () => {
  for (const reply of [
    answers(503),
    { failed: 'timeout', message: 'No response in time.', durationMs: 1 } as SendResult,
  ]) {
    const { status, reason, nextAt, isUncounted } = await outcome({ reply }, waiting({ attempts: 1 }))
    assert.deepEqual(
      { status, reason, nextAt, isUncounted },
      { status: 'pending', reason: 'vendorDown', nextAt: now + 30_000, isUncounted: undefined },
    )
  }
})

test('uncounted attempts do not use up the schedule', async () => {
  const { nextAt } = await outcome({ reply: answers(503) }, waiting({ attempts: 12, uncountedAttempts: 12 }))
  assert.equal(nextAt, now + 5_000)
  const last = await outcome({ reply: answers(503) }, waiting({ attempts: 12 }))
  assert.deepEqual([last.status, last.reason], ['dead', 'vendorDown'])
})

test('a Retry-After header pauses the whole channel and costs no attempt', async () => {
  const channel = openChannel('scr_1')
  const reply = answers(429, { headers: { 'retry-after': '120' } })
  const { status, reason, nextAt, isUncounted } = await outcome({ reply }, waiting(), channel)
  assert.deepEqual([status, reason, nextAt, isUncounted], ['pending', 'throttled', now + 120_000, true])
  assert.deepEqual([channel.stopReason(now + 119_999), channel.stopReason(now + 120_000)], ['throttled', undefined])
})

test('no retry is later than the age limit of the provider, counted from the timestamp of the event', async () => {
  const { status, reason } = await outcome(
    { reply: answers(503), provider: { maxAgeMs: 3 * hourMs } },
    waiting({ attempts: 8 }),
  )
  assert.deepEqual([status, reason], ['dead', 'tooOld'])
})

test('a 4xx refuses the payload; a 401 rejects the key, and the delivery waits for another key without losing an attempt', async () => {
  const refused = await outcome({ reply: answers(400) })
  assert.deepEqual([refused.status, refused.reason], ['refused', 'payloadRefused'])
  const rejected = await outcome({ reply: answers(401) })
  assert.deepEqual(
    [rejected.status, rejected.reason, rejected.nextAt, rejected.isUncounted],
    ['pending', 'keyRejected', now, true],
  )
})

test('a 403 refuses the payload; five consecutive ones of a channel reject the key', async () => {
  const channel = openChannel('scr_1')
  const statuses: unknown[] = []
  for (const status of [403, 403, 200, 403, 403, 403, 403, 403, 200])
    statuses.push((await outcome({ reply: answers(status) }, waiting(), channel)).reason)
  const refused = 'payloadRefused'
  assert.deepEqual(statuses, [
    refused,
    refused,
    undefined,
    refused,
    refused,
    refused,
    refused,
    'keyRejected',
    'keyRejected',
  ])
})

test('several requests of an event are sent in order, up to the first that fails', async () => {
  const request = () => ['a', 'b', 'c'].map((path) => ({ url: `https://x.example/${path}`, json: {} }))
  const { deps, sent } = openAttempt({ provider: { request } })
  deps.send = async (wire) => {
    sent.push(wire)
    return answers(wire.url.endsWith('b') ? 500 : 200)
  }
  const { status, attempt: row } = await one(deps)
  assert.deepEqual([status, row?.httpStatus, row?.durationMs], ['pending', 500, 24])
  assert.deepEqual(
    sent.map(({ url }) => url),
    ['https://x.example/a', 'https://x.example/b'],
  )
})

test('a catalogue provider is not called in the sandbox environment; the delivery is simulated and records the request', async () => {
  const request = () => ({ url: 'https://vendor.example/s3cret-key/events', json: { a: 1 } })
  const options = { environment: 'sandbox' as const, provider: { host: 'fixed' as const, request } }
  const { deps, sent } = openAttempt(options)
  const { status, attempt: row } = await one(deps)
  assert.equal(status, 'simulated')
  assert.equal(row?.message, 'not sent: POST https://vendor.example/•••/events (7 bytes)')
  assert.deepEqual(sent, [])
})

test("a request in the sandbox environment goes to the vendor's own test mode if it has one", async () => {
  const request = () => ({ url: 'https://vendor.example/events', json: { a: 1 } })
  const toTestMode: Provider['toTestMode'] = (send, { CODE }) =>
    CODE ? { ...send, json: { a: 1, test: CODE } } : undefined
  const provider = {
    host: 'fixed',
    request,
    toTestMode,
    secrets: { CODE: { label: 'Code', type: 'TEXT', optional: true } },
  } as const
  const inSandbox = async (secrets: Record<string, string>) => {
    const { deps, sent } = openAttempt({ environment: 'sandbox', provider, plaintexts: async () => secrets })
    return [(await one(deps)).status, sent.map(({ body }) => body)]
  }
  assert.deepEqual(await inSandbox({ CODE: 't1' }), ['delivered', ['{"a":1,"test":"t1"}']])
  assert.deepEqual(await inSandbox({}), ['simulated', []])
})

/** A provider whose requests have an access token, and a vendor that accepts one token only. */
function withToken(goodToken: string, tokens: readonly string[], environment: 'production' | 'sandbox' = 'production') {
  const provider: Partial<Provider> = {
    host: 'fixed',
    tokenRequest: { request: () => ({ url: 'https://x.example/token', form: { a: 1 } }) },
    request: ({ token }) =>
      ['a', 'b'].map((path) => ({ url: `https://x.example/${path}`, headers: { authorization: token }, json: {} })),
  }
  const { deps, sent } = openAttempt({ provider, environment })
  const remainingTokens = [...tokens]
  deps.send = async (wire) => {
    sent.push(wire)
    if (!wire.url.endsWith('token')) return answers(wire.headers.authorization === goodToken ? 200 : 401)
    const token = remainingTokens.shift()
    return token ? answers(200, { body: JSON.stringify({ access_token: token }) }) : answers(503)
  }
  const paths = () =>
    sent.map(({ url, headers }) => [new URL(url).pathname.slice(1), headers.authorization].filter(Boolean).join(' '))
  return { deps, paths, once: () => one(deps) }
}

test('a token is fetched once and sent with every request', async () => {
  const { once, paths } = withToken('t1', ['t1'])
  assert.equal((await once()).status, 'delivered')
  assert.equal((await once()).status, 'delivered')
  assert.deepEqual(paths(), ['token', 'a t1', 'b t1', 'a t1', 'b t1'])
})

test('a rejected token is fetched again once, and accepted requests are not sent again', async () => {
  const renewed = withToken('t2', ['t1', 't2'])
  assert.equal((await renewed.once()).status, 'delivered')
  assert.deepEqual(renewed.paths(), ['token', 'a t1', 'token', 'a t2', 'b t2'])
  const hopeless = withToken('t9', ['t1', 't2'])
  assert.equal((await hopeless.once()).reason, 'keyRejected')
  assert.deepEqual(hopeless.paths(), ['token', 'a t1', 'token', 'a t2'])
})

test('without a token no request is sent and the delivery waits; the sandbox environment fetches no token', async () => {
  const { once, paths } = withToken('t1', [])
  const { status, reason, attempt: row } = await once()
  assert.deepEqual([status, reason, row?.message], ['pending', 'vendorDown', 'HTTP 503'])
  assert.deepEqual(paths(), ['token'])
  const sandbox = withToken('t1', ['t1'], 'sandbox')
  assert.equal((await sandbox.once()).status, 'simulated')
  assert.deepEqual(sandbox.paths(), [])
})

test('an address that the customer configures is called in the sandbox environment', async () => {
  assert.equal((await outcome({ environment: 'sandbox' })).status, 'delivered')
})

test("a vendor's message is recorded without secrets and personal data", async () => {
  const reply = answers(400, { body: '{"error":{"message":"key s3cret-key is not for jane@example.com"}}' })
  assert.equal((await outcome({ reply })).attempt?.message, 'HTTP 400: key ••• is not for •••')
})

test('a delivery whose requests cannot be built is tried three times and then dead: poison', async () => {
  const lines: unknown[] = []
  const log: Log = (line) => lines.push(line.message)
  const provider = {
    request: () => {
      throw new TypeError('mapper')
    },
  }
  const first = await outcome({ provider, log })
  assert.deepEqual([first.status, first.reason, first.nextAt, first.isCrash], ['pending', 'poison', now + 5_000, true])
  const third = await outcome({ provider, log }, waiting({ attempts: 2, crashCount: 2 }))
  assert.deepEqual([third.status, third.reason], ['dead', 'poison'])
  assert.deepEqual(lines, ['an attempt failed with an internal error', 'an attempt failed with an internal error'])
})

test('an internal failure of a store or a thread is retried on the whole schedule and does not count against the vendor', async () => {
  const fails = async () => {
    throw new Error('disk')
  }
  for (const fault of [{ plaintexts: fails }, { send: fails }]) {
    const channel = openChannel('scr_1')
    const { status, reason, nextAt } = await outcome(fault, waiting({ attempts: 5 }), channel)
    assert.deepEqual([status, reason, nextAt], ['pending', 'poison', now + hourMs])
    assert.deepEqual(channel.health.breaker, openChannel('scr_1').health.breaker)
  }
})

test('an attempt uses the script as it is deployed now', async () => {
  const { deps, sent } = openAttempt({
    provider: { request: ({ value }) => ({ url: 'https://x.example/', json: { value } }) },
    tag: aTag([aScript('scr_1')]),
  })
  const event = anEvent(now, { eventName: 'Purchase', data: { value: 30, tax: 5 } })
  deps.events.outgoing = async () => ({ ...outgoing, event })
  await one(deps)
  deps.snapshots.put(aTag([aScript('scr_1', { purchaseValueMode: 'net' })], { number: 2 }))
  await one(deps)
  assert.deepEqual(
    sent.map(({ body }) => body),
    ['{"value":30}', '{"value":25}'],
  )
})

test('a provider with journal lines records the problems of an event in the journal and sends nothing', async () => {
  for (const environment of ['production', 'sandbox'] as const)
    for (const [issues, message] of [
      [['data.value is required', 'x is not for jane@example.com'], 'data.value is required; x is not for •••'],
      [[], 'no issues'],
    ] as const) {
      const { deps, sent } = openAttempt({ environment, provider: { journalLines: () => issues, request: () => [] } })
      const result = await one(deps)
      assert.equal(result.status, 'delivered')
      assert.equal(result.attempt?.message, message)
      assert.deepEqual(sent, [])
    }
})
