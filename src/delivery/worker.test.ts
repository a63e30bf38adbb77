import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noIntakeLog } from '#journal/intakeLog.ts'
import { Secret } from '#kit/secret.ts'
import type { Provider } from '#provider/form/provider.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { sealVersion } from '#script/secret.ts'
import type { SecretVersion, Store } from '#store/store.ts'
import { until } from '../../test/fake/clock.ts'
import {
  acceptEvents,
  down,
  journeyOf,
  keys,
  manyEvents,
  ok,
  openDeliveryHarness,
  waitForStatus,
} from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'
import { windowSizes } from './concurrencyWindow.ts'

test('an event reaches every script of its tag, and the journal has each attempt', async () => {
  const harness = await openDeliveryHarness(
    aTag([aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' }), aScript('scr_3', { geoRegions: 'US' })]),
  )
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()), { origin: 'https://shop.example', ip: '203.0.113.1' })
  await waitForStatus(harness, 'delivered 1')
  await waitForStatus(harness, 'delivered 1', 'event-1', 1)
  const journey = (await journeyOf(harness, 'event-1'))!
  assert.deepEqual(journey.place, { country: 'DE', source: 'request' })
  assert.deepEqual(journey.consent, { source: 'disabled' })
  assert.deepEqual([journey.deliveries[2]!.status, journey.deliveries[2]!.reason], ['skipped', 'region'])
  const { at, httpStatus, durationMs, number } = journey.deliveries[0]!.attempts[0]!
  assert.deepEqual(
    { at, httpStatus, durationMs, number },
    { at: harness.clock.now(), httpStatus: 200, durationMs: 1, number: 1 },
  )
  assert.deepEqual(harness.sent.map(({ to }) => to).sort(), ['eventsink.example', 'facebook.example'])
})

test('an outcome has the time at which its attempt ended', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.vendor.answer = () => ({ ...ok, durationMs: 700 })
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'delivered 1')
  assert.equal((await journeyOf(harness, 'event-1'))!.deliveries[0]!.at, harness.clock.now() + 700)
})

test('a delivery whose match keys cannot be counted is delivered once, and the failure is logged', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  const addMatch = () => {
    throw new Error('no space')
  }
  harness.start({ intakeLog: { ...noIntakeLog, addMatch } })
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'delivered 1')
  const logged = harness.lines.filter(({ level }) => level === 'error')
  assert.deepEqual(
    logged.map(({ message, scriptId }) => [message, scriptId]),
    [['could not count the match keys of a delivery', 'scr_1']],
  )
  assert.equal(harness.sent.length, 1)
})

test('an event to a vendor that is down is retried on the schedule until it is delivered', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  const startedAt = harness.clock.now()
  harness.vendor.answer = ({ at }) => (at < startedAt + 150_000 ? down : ok)
  harness.start()
  await acceptEvents(harness, anEvent(startedAt))
  for (const [attempts, nextAfterMs] of [
    [1, 5_000],
    [2, 30_000],
    [3, 120_000],
  ] as const) {
    await waitForStatus(harness, `pending vendorDown ${attempts}`)
    await harness.clock.turn(nextAfterMs)
  }
  await waitForStatus(harness, 'delivered 4')
  assert.deepEqual(
    harness.sent.map(({ at }) => at - startedAt),
    [0, 5_000, 35_000, 155_000],
  )
})

test('a full backlog is delivered after a restart, each event once', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  for (let from = 0; from < 1_500; from += 50) await acceptEvents(harness, manyEvents(harness, 50, from))
  harness.start()
  await until('all have arrived', () => harness.sent.length === 1_500, 60_000)
  await until('nothing is pending', async () => (await harness.disk.store.journal.pendingCount()) === 0)
  assert.equal(new Set(harness.sent.map(({ json }) => json.eventId)).size, 1_500)
  await until('all records are settled', async () => (await harness.disk.stream.waiting()) === 0)
})

test('an event that was delivered before a crash is planned again but not sent again', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  const { stream } = harness.disk
  harness.start({ stream: { ...stream, settle: () => new Promise(() => {}) } })
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'delivered 1')
  await harness.crash()
  assert.equal(await harness.disk.stream.waiting(), 1)
  harness.start()
  await until('it is planned again', async () => (await harness.disk.stream.waiting()) === 0)
  await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'event-2' }))
  await waitForStatus(harness, 'delivered 1', 'event-2')
  await harness.clock.turn(120_000)
  assert.deepEqual(
    harness.sent.map(({ json }) => json.eventId),
    ['event-1', 'event-2'],
  )
})

test('a dead channel does not delay another', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })]))
  harness.vendor.answer = ({ to }) => (to === 'facebook.example' ? new Promise(() => {}) : ok)
  const { workers } = harness
  harness.start()
  for (let from = 0; from < 2_500; from += 50) await acceptEvents(harness, manyEvents(harness, 50, from))
  const arrived = () => harness.sent.filter(({ to }) => to === 'eventsink.example').length
  await until('the other channel has all', () => arrived() === 2_500, 30_000)
  assert.equal(harness.sent.length - arrived(), windowSizes.initial)
  workers.length = 0
})

test('stopping waits for calls in flight, and the next start delivers the rest', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  const answers: (() => void)[] = []
  harness.vendor.answer = () => new Promise((resolve) => answers.push(() => resolve(ok)))
  const worker = harness.start()
  await acceptEvents(harness, manyEvents(harness, 100))
  await until(
    'a window is full',
    () => harness.sent.length === windowSizes.initial && worker.busy() === windowSizes.initial,
  )
  const stopped = worker.stop()
  for (const answer of answers) answer()
  await stopped
  assert.equal(await harness.disk.store.journal.pendingCount(), 100 - windowSizes.initial)
  harness.vendor.answer = () => ok
  harness.start()
  await until('nothing is pending', async () => (await harness.disk.store.journal.pendingCount()) === 0)
  assert.equal(harness.sent.length, 100)
})

test('stopping waits at most 30 s for a vendor that does not answer', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.vendor.answer = () => new Promise(() => {})
  const worker = harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await until('it is sent', () => harness.sent.length === 1)
  let isStopped = false
  const stopped = worker.stop().then(() => {
    isStopped = true
  })
  await harness.clock.turn(29_999)
  assert.equal(isStopped, false)
  await harness.clock.turn(1)
  await stopped
  harness.workers.length = 0
})

test('a changed key applies to waiting deliveries, and a deleted script ends them: erased', async () => {
  const secretOf = (version: number) => ({ KEY: { secretId: 'sec_1', version } })
  const sealed = (text: string, version: number) => {
    const owner = { environment: 'production', teamId: 'team_1', scriptId: 'scr_1', secretId: 'sec_1' } as const
    return sealVersion(new Secret(text), { ...owner, variable: 'KEY', type: 'PASSWORD', version }, keys, 0)
  }
  const key: Partial<Provider> = {
    secrets: { KEY: { label: 'Key', type: 'PASSWORD' } },
    request: ({ event }, { KEY }) => ({
      url: 'https://x.example/',
      headers: { key: KEY },
      json: { eventId: event.eventId },
    }),
  }
  const harness = await openDeliveryHarness(aTag([aScript('scr_1', { secrets: secretOf(1) })]), key)
  await writeSecrets(harness.disk.store, [sealed('old', 1), sealed('new', 2)])
  harness.vendor.answer = ({ headers }) => (headers.key === 'new' ? ok : { ...down, status: 401 })
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'pending keyRejected 1')
  harness.snapshots.put(aTag([aScript('scr_1', { secrets: secretOf(2) })], { number: 2 }))
  await harness.clock.turn(3_600_000)
  await waitForStatus(harness, 'delivered 2')
  harness.vendor.answer = () => down
  await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'event-2' }))
  await waitForStatus(harness, 'pending vendorDown 1', 'event-2')
  harness.snapshots.put(aTag([], { number: 3 }))
  await harness.clock.turn(5_000)
  await waitForStatus(harness, 'dead erased 1', 'event-2')
})

/** Writes the rows of a script with secrets. */
async function writeSecrets(store: Store, rows: SecretVersion[]) {
  const { tagId: _, teamId: __, number: ___, name, scripts: ____, ...settings } = aTag([])
  await store.write([
    { add: 'team', row: { teamId: 'team_1', name: 'team', sealedKey: Buffer.alloc(60), createdAt: 0 } },
    { add: 'tag', row: { tagId: 'tag_1', teamId: 'team_1', name, settings, createdAt: 0, version: 1 } },
    {
      put: 'script',
      row: {
        scriptId: 'scr_1',
        tagId: 'tag_1',
        teamId: 'team_1',
        name: 'scr_1',
        providerId: 'eventSink',
        secrets: {},
        createdAt: 0,
        version: 1,
      },
    },
    ...rows.map((row) => ({ add: 'secret', row }) as const),
  ])
}

test('a record that cannot be opened blocks nothing and is settled after three tries', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.start()
  await harness.disk.stream.append({ tagId: 'tag_1', payload: Buffer.alloc(300, 1), keys: [5n] })
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'delivered 1')
  await until('only the invalid record waits', async () => (await harness.disk.stream.waiting()) > 0)
  await harness.clock.turn(1_000)
  const tries = () => harness.lines.filter(({ message }) => message === 'could not decrypt a record').length
  await until('it was tried twice', () => tries() === 2)
  assert.equal(await harness.disk.stream.waiting(), 1)
  await harness.clock.turn(1_000)
  await until('it is settled', async () => (await harness.disk.stream.waiting()) === 0)
  assert.equal(tries(), 3)
})

test('an event that cannot be planned is dead for every script, and the next is delivered', async () => {
  const customEventName = (eventName: string) => {
    if (eventName === 'Bad') throw new TypeError('mapper')
    return eventName
  }
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]), { customEventName })
  harness.start()
  await acceptEvents(harness, [
    anEvent(harness.clock.now(), { eventName: 'Bad' }),
    anEvent(harness.clock.now(), { eventId: 'event-2' }),
  ])
  await waitForStatus(harness, 'delivered 1', 'event-2')
  await waitForStatus(harness, 'dead poison 0')
})

test('an offline purchase carries the click id of the browser user with its e-mail', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]), {
    captures: [{ query: 'fbclid' }],
    user: { email: hashed('email') },
    request: ({ event, user, captured }) => ({
      url: 'https://eventsink.example/',
      json: { eventId: event.eventId, email: user.email, clicked: captured.fbclid },
    }),
  })
  harness.start()
  const clickedAt = harness.clock.now()
  const click = { search: '?fbclid=click-1', userEmail: 'jane@example.com' }
  await acceptEvents(harness, anEvent(clickedAt, click), {
    origin: 'https://shop.example',
    userId: 'usr_browser',
    hasExplicitUserId: false,
  })
  await waitForStatus(harness, 'delivered 1')
  await harness.clock.turn(60_000)
  const purchase = anEvent(harness.clock.now(), {
    eventId: 'event-2',
    eventName: 'Purchase',
    userEmail: ' Jane@Example.com',
  })
  await acceptEvents(harness, purchase, { userId: 'usr_server', hasExplicitUserId: false })
  await waitForStatus(harness, 'delivered 1', 'event-2')
  const [browser, offline] = harness.sent.map(({ json }) => json)
  assert.deepEqual(offline?.clicked, { value: 'click-1', at: clickedAt })
  assert.equal(offline?.email, browser?.email)
  assert.equal((await journeyOf(harness, 'event-2'))?.userId, 'usr_server')
})

test('no log line and no recorded message contains personal data', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]), {
    user: { email: plain('email'), ip: plain('ip') },
    request: ({ user }) => ({ url: 'https://eventsink.example/', json: user }),
  })
  harness.vendor.answer = ({ body }) => ({
    ...down,
    status: 400,
    body: JSON.stringify({ message: `not good: ${body}` }),
  })
  harness.start()
  const texts = { userEmail: 'jane@example.com', ip: '203.0.113.9' }
  await acceptEvents(harness, anEvent(harness.clock.now(), texts), { trusted: true })
  await waitForStatus(harness, 'refused payloadRefused 1')
  assert.equal(harness.sent[0]?.body, '{"email":"jane@example.com","ip":"203.0.113.9"}')
  const { message } = (await journeyOf(harness, 'event-1'))!.deliveries[0]!.attempts[0]!
  assert.equal(message, 'HTTP 400: not good: {"email":"•••","ip":"•••"}')
  assert.equal(harness.lines.filter((line) => line.message === 'attempt').length, 1)
  assert.doesNotMatch(JSON.stringify(harness.lines), /jane|203\.0\.113/)
})

test('a delivery to a catalogue provider in the sandbox environment is simulated and records the request', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]), { host: 'fixed' })
  harness.start({ environment: 'sandbox' })
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'simulated 1')
  assert.deepEqual(harness.sent, [])
})

test('offline purchases before the first visit do not prevent matching the browser user by e-mail', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]), {
    captures: [{ query: 'fbclid' }],
    request: ({ captured }) => ({ url: 'https://eventsink.example/', json: { click: captured.fbclid?.value } }),
  })
  harness.start()
  const texts = (eventId: string, more = {}) =>
    anEvent(harness.clock.now(), { eventId, userEmail: 'jane@example.com', ...more })
  await acceptEvents(harness, texts('event-1'), { userId: 'usr_offline', hasExplicitUserId: false })
  await waitForStatus(harness, 'delivered 1')
  await acceptEvents(harness, texts('event-2', { search: '?fbclid=click' }), {
    userId: 'usr_browser',
    origin: 'https://shop.example',
  })
  await waitForStatus(harness, 'delivered 1', 'event-2')
  await acceptEvents(harness, texts('event-3'), { userId: 'usr_again', hasExplicitUserId: false })
  await waitForStatus(harness, 'delivered 1', 'event-3')
  assert.deepEqual(
    harness.sent.map(({ json }) => json.click),
    [undefined, 'click', 'click'],
  )
})

test("a server's event has the last location of the user's browser", async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1', { geoRegions: 'DE' })]))
  harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()), { origin: 'https://shop.example', ip: '203.0.113.1' })
  await waitForStatus(harness, 'delivered 1')
  await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'event-2' }))
  await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'event-3' }), { userId: 'usr_unknown' })
  await waitForStatus(harness, 'delivered 1', 'event-2')
  await waitForStatus(harness, 'skipped region 0', 'event-3')
  assert.deepEqual((await journeyOf(harness, 'event-2'))?.place, { country: 'DE', source: 'user' })
})

test('a delivery that still waits a week after its event came is dead: expired', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  harness.vendor.answer = () => ({ ...down, status: 401 })
  const worker = harness.start()
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await waitForStatus(harness, 'pending keyRejected 1')
  await worker.stop()
  await harness.clock.turn(7 * 86_400_000 + 1)
  harness.start()
  await until('it has ended', async () => (await harness.disk.store.journal.pendingCount()) === 0)
  const { deliveries } = (await harness.disk.store.journal.event('tag_1', 1, 0))!
  assert.deepEqual([deliveries[0]?.status, deliveries[0]?.reason], ['dead', 'expired'])
})

test('a store that fails for a while loses no event, and a channel makes no more calls than fit in its window', async () => {
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]))
  const { store } = harness.disk
  let isBroken = true
  const failing = <Work extends (...args: never[]) => Promise<unknown>>(work: Work): Work =>
    (async (...args: never[]) => (isBroken ? Promise.reject(new Error('disk full')) : work(...args))) as Work
  const { plan, markInFlight: begin, settle } = store.journal
  const journal = { ...store.journal, plan: failing(plan), markInFlight: failing(begin), settle: failing(settle) }
  harness.start({ store: { ...store, journal } })
  await acceptEvents(harness, manyEvents(harness, 100))
  await until('it was refused', () => harness.lines.some(({ level }) => level === 'error'))
  assert.deepEqual([harness.sent.length, await harness.disk.stream.waiting()], [windowSizes.initial, 1])
  isBroken = false
  await harness.clock.turn(1_000)
  await until('all have arrived', () => harness.sent.length === 100)
  await until('nothing is pending', async () => (await store.journal.pendingCount()) === 0)
})
