import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Keyring } from '#account/keyring.ts'
import { usualKeep } from '#journal/keep.ts'
import { type Log, silent } from '#kit/log.ts'
import { unlimitedIntake } from '#limit/intakeRate.ts'
import { identityOf } from '#provider/engine/identity.ts'
import type { SendResult } from '#provider/engine/send.ts'
import { openTokenCache } from '#provider/engine/tokenCache.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { unknownConsent } from '#provider/form/consentSignals.ts'
import type { Provider } from '#provider/form/provider.ts'
import { plain } from '#provider/form/userRule.ts'
import { liveSnapshots, type Snapshot } from '#script/snapshot.ts'
import type { DueDelivery } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import type { People } from '#user/people.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { anEvent, aProvider, aScript, aTag } from '../../test/fake/tag.ts'
import { type AttemptWorld, attempt } from './attempt.ts'
import { type Channel, openChannel } from './channel.ts'
import type { Outgoing } from './events.ts'

const clock = turnedClock()
const now = clock.now()
const hourMs = 3_600_000
const person = { email: 'jane@example.com' }
const outgoing: Outgoing = {
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

type World = Partial<AttemptWorld> & { provider?: Partial<Provider>; tag?: Snapshot; reply?: SendResult }
function world({ provider = {}, tag = aTag([aScript('scr_1')]), reply = ok, ...more }: World) {
  const sent: WireRequest[] = []
  const on: AttemptWorld = {
    environment: 'production',
    keep: { ...usualKeep, bodies: 'none' },
    clock,
    log: silent,
    snapshots: liveSnapshots([tag]),
    providers: { eventSink: aProvider('eventSink', provider) },
    random: () => 0.5,
    brand: 'Service',
    tagUrl: (tagId) => `https://aglet.example/t/${tagId}`,
    runCode: () => assert.fail('no code is run here'),
    stream: {} as Stream,
    intakeRate: unlimitedIntake,
    people: {} as People,
    keys: {} as Keyring,
    events: {
      open: () => assert.fail('an attempt opens no body'),
      at: () => assert.fail('an attempt opens no body'),
      expect: () => {},
      outgoing: async () => outgoing,
    },
    plaintexts: async () => ({ KEY: 's3cret-key' }),
    tokens: openTokenCache({ clock, send: (request, host) => on.send(request, host) }),
    async send(request) {
      sent.push(request)
      return reply
    },
    ...more,
  }
  return { on, sent }
}
const waiting = (more: Partial<DueDelivery> = {}) => aDelivery('dlv_1', 'scr_1', { receivedAt: now, ...more })
const one = async (on: AttemptWorld, delivery = waiting(), channel = openChannel('scr_1')) =>
  (await attempt([delivery], channel, on))[0]!
const outcome = (made: World, ...more: [DueDelivery?, Channel?]) => one(world(made).on, ...more)

test('an attempt that is answered by 2xx delivers, with what it took on record', async () => {
  const { on, sent } = world({})
  assert.deepEqual(await one(on, waiting({ attempts: 4 })), {
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

test('a script that was deleted since is not called: dead, erased', async () => {
  const { on, sent } = world({ tag: aTag([]) })
  assert.deepEqual(await one(on), {
    deliveryId: 'dlv_1',
    status: 'dead',
    reason: 'erased',
  })
  assert.deepEqual(sent, [])
})

test('an event that the stream has dropped is dead: expired; one whose user was erased is dead: erased', async () => {
  const events = { ...world({}).on.events, outgoing: async () => 'expired' as const }
  assert.deepEqual(await outcome({ events }), { deliveryId: 'dlv_1', status: 'dead', reason: 'expired' })
  const erased = { ...events, outgoing: async () => 'erased' as const }
  assert.deepEqual(await outcome({ events: erased }), { deliveryId: 'dlv_1', status: 'dead', reason: 'erased' })
})

test('what the provider does not send is skipped with its reason', async () => {
  const skip = async (provider: Partial<Provider>) => {
    const { status, reason } = await outcome({ provider })
    return [status, reason]
  }
  assert.deepEqual(await skip({ request: () => ({ skipped: 'filtered' }) }), ['skipped', 'filtered'])
  assert.deepEqual(await skip({ request: () => [] }), ['skipped', 'filtered'])
  assert.deepEqual(await skip({ user: { phone: plain('phone') }, requires: ['phone'] }), ['skipped', 'identityMissing'])
})

test('down, reset or slow: it is tried again by the schedule', async () => {
  for (const reply of [
    answers(503),
    { failed: 'timeout', message: 'No answer came in time.', durationMs: 1 } as SendResult,
  ]) {
    const { status, reason, nextAt, free } = await outcome({ reply }, waiting({ attempts: 1 }))
    assert.deepEqual(
      { status, reason, nextAt, free },
      { status: 'pending', reason: 'vendorDown', nextAt: now + 30_000, free: undefined },
    )
  }
})

test('attempts that did not count do not bring the end of the schedule nearer', async () => {
  const { nextAt } = await outcome({ reply: answers(503) }, waiting({ attempts: 12, free: 12 }))
  assert.equal(nextAt, now + 5_000)
  const last = await outcome({ reply: answers(503) }, waiting({ attempts: 12 }))
  assert.deepEqual([last.status, last.reason], ['dead', 'vendorDown'])
})

test('Retry-After pauses the whole channel and costs no attempt', async () => {
  const channel = openChannel('scr_1')
  const reply = answers(429, { headers: { 'retry-after': '120' } })
  const { status, reason, nextAt, free } = await outcome({ reply }, waiting(), channel)
  assert.deepEqual([status, reason, nextAt, free], ['pending', 'throttled', now + 120_000, true])
  assert.equal(channel.pausedUntil, now + 120_000)
})

test('never past the age limit of the provider, reckoned from when the event happened', async () => {
  const { status, reason } = await outcome(
    { reply: answers(503), provider: { maxAgeMs: 3 * hourMs } },
    waiting({ attempts: 8 }),
  )
  assert.deepEqual([status, reason], ['dead', 'tooOld'])
})

test('a 4xx refuses the payload; a 401 is a rejected key: it waits for another, without losing an attempt', async () => {
  const refused = await outcome({ reply: answers(400) })
  assert.deepEqual([refused.status, refused.reason], ['refused', 'payloadRefused'])
  const rejected = await outcome({ reply: answers(401) })
  assert.deepEqual(
    [rejected.status, rejected.reason, rejected.nextAt, rejected.free],
    ['pending', 'keyRejected', now, true],
  )
})

test('a 403 refuses the payload; five in a row on a channel mean that the key is rejected', async () => {
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

test('several requests are sent in their order, up to the first that is not delivered', async () => {
  const request = () => ['a', 'b', 'c'].map((path) => ({ url: `https://x.example/${path}`, json: {} }))
  const { on, sent } = world({ provider: { request } })
  on.send = async (wire) => {
    sent.push(wire)
    return answers(wire.url.endsWith('b') ? 500 : 200)
  }
  const { status, attempt: row } = await one(on)
  assert.deepEqual([status, row?.httpStatus, row?.durationMs], ['pending', 500, 24])
  assert.deepEqual(
    sent.map(({ url }) => url),
    ['https://x.example/a', 'https://x.example/b'],
  )
})

test('in the sandbox a catalogue provider is not called: simulated, with what would have been sent', async () => {
  const request = () => ({ url: 'https://vendor.example/s3cret-key/events', json: { a: 1 } })
  const made = { environment: 'sandbox' as const, provider: { host: 'fixed' as const, request } }
  const { on, sent } = world(made)
  const { status, attempt: row } = await one(on)
  assert.equal(status, 'simulated')
  assert.equal(row?.message, 'not sent: POST https://vendor.example/•••/events (7 bytes)')
  assert.deepEqual(sent, [])
})

test("in the sandbox a request goes to the vendor's own test mode where it has one", async () => {
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
    const { on, sent } = world({ environment: 'sandbox', provider, plaintexts: async () => secrets })
    return [(await one(on)).status, sent.map(({ body }) => body)]
  }
  assert.deepEqual(await inSandbox({ CODE: 't1' }), ['delivered', ['{"a":1,"test":"t1"}']])
  assert.deepEqual(await inSandbox({}), ['simulated', []])
})

/** A provider whose requests carry a token, and a vendor that takes one token alone. */
function withToken(goodToken: string, tokens: readonly string[], environment: 'production' | 'sandbox' = 'production') {
  const provider: Partial<Provider> = {
    host: 'fixed',
    tokenRequest: { request: () => ({ url: 'https://x.example/token', form: { a: 1 } }) },
    request: ({ token }) =>
      ['a', 'b'].map((path) => ({ url: `https://x.example/${path}`, headers: { authorization: token }, json: {} })),
  }
  const { on, sent } = world({ provider, environment })
  const left = [...tokens]
  on.send = async (wire) => {
    sent.push(wire)
    if (!wire.url.endsWith('token')) return answers(wire.headers.authorization === goodToken ? 200 : 401)
    const token = left.shift()
    return token ? answers(200, { body: JSON.stringify({ access_token: token }) }) : answers(503)
  }
  const paths = () =>
    sent.map(({ url, headers }) => [new URL(url).pathname.slice(1), headers.authorization].filter(Boolean).join(' '))
  return { on, paths, once: () => one(on) }
}

test('a token is fetched once and carried by every request', async () => {
  const { once, paths } = withToken('t1', ['t1'])
  assert.equal((await once()).status, 'delivered')
  assert.equal((await once()).status, 'delivered')
  assert.deepEqual(paths(), ['token', 'a t1', 'b t1', 'a t1', 'b t1'])
})

test('a token that is refused is fetched anew, once, and what was taken is not sent again', async () => {
  const renewed = withToken('t2', ['t1', 't2'])
  assert.equal((await renewed.once()).status, 'delivered')
  assert.deepEqual(renewed.paths(), ['token', 'a t1', 'token', 'a t2', 'b t2'])
  const hopeless = withToken('t9', ['t1', 't2'])
  assert.equal((await hopeless.once()).reason, 'keyRejected')
  assert.deepEqual(hopeless.paths(), ['token', 'a t1', 'token', 'a t2'])
})

test('without a token nothing is sent and the event waits; in the sandbox none is fetched', async () => {
  const { once, paths } = withToken('t1', [])
  const { status, reason, attempt: row } = await once()
  assert.deepEqual([status, reason, row?.message], ['pending', 'vendorDown', 'HTTP 503'])
  assert.deepEqual(paths(), ['token'])
  const sandbox = withToken('t1', ['t1'], 'sandbox')
  assert.equal((await sandbox.once()).status, 'simulated')
  assert.deepEqual(sandbox.paths(), [])
})

test('in the sandbox an address that the customer sets is really called', async () => {
  assert.equal((await outcome({ environment: 'sandbox' })).status, 'delivered')
})

test("a vendor's words are on record without secrets and without the person", async () => {
  const reply = answers(400, { body: '{"error":{"message":"key s3cret-key is not for jane@example.com"}}' })
  assert.equal((await outcome({ reply })).attempt?.message, 'HTTP 400: key ••• is not for •••')
})

test('requests that cannot be made are tried three times, then dead: poison', async () => {
  const lines: unknown[] = []
  const log: Log = (line) => lines.push(line.message)
  const provider = {
    request: () => {
      throw new TypeError('mapper')
    },
  }
  const first = await outcome({ provider, log })
  assert.deepEqual([first.status, first.reason, first.nextAt, first.spoilt], ['pending', 'poison', now + 5_000, true])
  const third = await outcome({ provider, log }, waiting({ attempts: 2, spoilt: 2 }))
  assert.deepEqual([third.status, third.reason], ['dead', 'poison'])
  assert.deepEqual(lines, ['an attempt could not be made', 'an attempt could not be made'])
})

test('a fault of our own, a store or a thread that does not answer, is tried again by the whole schedule, and no vendor is blamed', async () => {
  const fails = async () => {
    throw new Error('disk')
  }
  for (const fault of [{ plaintexts: fails }, { send: fails }]) {
    const channel = openChannel('scr_1')
    const { status, reason, nextAt } = await outcome(fault, waiting({ attempts: 5 }), channel)
    assert.deepEqual([status, reason, nextAt], ['pending', 'poison', now + hourMs])
    assert.deepEqual(channel.breaker, openChannel('scr_1').breaker)
  }
})

test('the attempt is made by the script as it is deployed now', async () => {
  const { on, sent } = world({
    provider: { request: ({ value }) => ({ url: 'https://x.example/', json: { value } }) },
    tag: aTag([aScript('scr_1')]),
  })
  const event = anEvent(now, { eventName: 'Purchase', data: { value: 30, tax: 5 } })
  on.events.outgoing = async () => ({ ...outgoing, event })
  await one(on)
  on.snapshots.put(aTag([aScript('scr_1', { purchaseValueMode: 'net' })], { number: 2 }))
  await one(on)
  assert.deepEqual(
    sent.map(({ body }) => body),
    ['{"value":30}', '{"value":25}'],
  )
})

test('a channel that records says in the journal what is wrong with an event, and sends nothing', async () => {
  for (const environment of ['production', 'sandbox'] as const)
    for (const [issues, message] of [
      [['data.value is required', 'x is not for jane@example.com'], 'data.value is required; x is not for •••'],
      [[], 'no issues'],
    ] as const) {
      const { on, sent } = world({ environment, provider: { journalLines: () => issues, request: () => [] } })
      const ended = await one(on)
      assert.equal(ended.status, 'delivered')
      assert.equal(ended.attempt?.message, message)
      assert.deepEqual(sent, [])
    }
})
