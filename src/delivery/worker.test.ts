import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '#kit/secret.ts'
import type { Provider } from '#provider/form/provider.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { sealVersion } from '#script/secret.ts'
import type { SecretVersion, Store } from '#store/store.ts'
import { until } from '../../test/fake/clock.ts'
import { accept, down, ends, journeyOf, keys, manyEvents, ok, openHouse } from '../../test/fake/house.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'
import { sizes } from './window.ts'

test('an event reaches every script of its tag, and the journal has each attempt', async () => {
  const on = await openHouse(
    aTag([aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' }), aScript('scr_3', { geoRegions: 'US' })]),
  )
  on.start()
  await accept(on, anEvent(on.clock.now()), { origin: 'https://shop.example', ip: '203.0.113.1' })
  await ends(on, 'delivered 1')
  await ends(on, 'delivered 1', 'event-1', 1)
  const journey = (await journeyOf(on, 'event-1'))!
  assert.deepEqual(journey.place, { country: 'DE', source: 'request' })
  assert.deepEqual(journey.consent, { source: 'disabled' })
  assert.deepEqual([journey.deliveries[2]!.status, journey.deliveries[2]!.reason], ['skipped', 'region'])
  const { at, httpStatus, durationMs, number } = journey.deliveries[0]!.attempts[0]!
  assert.deepEqual(
    { at, httpStatus, durationMs, number },
    { at: on.clock.now(), httpStatus: 200, durationMs: 1, number: 1 },
  )
  assert.deepEqual(on.sent.map(({ to }) => to).sort(), ['eventsink.example', 'facebook.example'])
})

test('a destination that is down gets the event again by the schedule, until it is there', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  const begun = on.clock.now()
  on.vendor.answer = ({ at }) => (at < begun + 150_000 ? down : ok)
  on.start()
  await accept(on, anEvent(begun))
  for (const [attempts, nextAfterMs] of [
    [1, 5_000],
    [2, 30_000],
    [3, 120_000],
  ] as const) {
    await ends(on, `pending vendorDown ${attempts}`)
    await on.clock.turn(nextAfterMs)
  }
  await ends(on, 'delivered 4')
  assert.deepEqual(
    on.sent.map(({ at }) => at - begun),
    [0, 5_000, 35_000, 155_000],
  )
})

test('a restart with a full backlog delivers it, each event once', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  for (let from = 0; from < 1_500; from += 50) await accept(on, manyEvents(on, 50, from))
  on.start()
  await until('all have arrived', () => on.sent.length === 1_500, 60_000)
  await until('nothing is pending', async () => (await on.disk.store.journal.pending()) === 0)
  assert.equal(new Set(on.sent.map(({ json }) => json.eventId)).size, 1_500)
  assert.equal(on.disk.stream.waiting(), 0)
})

test('an event that was delivered before a crash is not sent again, though it is planned again', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  const { stream } = on.disk
  on.start({ stream: { ...stream, settle: () => new Promise(() => {}) } })
  await accept(on, anEvent(on.clock.now()))
  await ends(on, 'delivered 1')
  await on.crash()
  assert.equal(on.disk.stream.waiting(), 1)
  on.start()
  await until('it is planned again', () => on.disk.stream.waiting() === 0)
  await accept(on, anEvent(on.clock.now(), { eventId: 'event-2' }))
  await ends(on, 'delivered 1', 'event-2')
  await on.clock.turn(120_000)
  assert.deepEqual(
    on.sent.map(({ json }) => json.eventId),
    ['event-1', 'event-2'],
  )
})

test('an attempt that a crash cut off is made again as soon as a worker is back, counted', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  on.vendor.answer = () => new Promise(() => {})
  on.start()
  await accept(on, anEvent(on.clock.now()))
  await until('it is sent', () => on.sent.length === 1)
  await until('its body is settled', () => on.disk.stream.waiting() === 0)
  await on.crash()
  on.vendor.answer = () => ok
  on.start()
  await ends(on, 'delivered 1')
  assert.equal((await journeyOf(on, 'event-1'))!.deliveries[0]!.attempts[0]!.number, 2)
  assert.equal(on.sent.length, 2)
})

test('one dead channel does not delay another', async () => {
  const on = await openHouse(aTag([aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })]))
  on.vendor.answer = ({ to }) => (to === 'facebook.example' ? new Promise(() => {}) : ok)
  const { workers } = on
  on.start()
  for (let from = 0; from < 2_500; from += 50) await accept(on, manyEvents(on, 50, from))
  const arrived = () => on.sent.filter(({ to }) => to === 'eventsink.example').length
  await until('the other channel has all', () => arrived() === 2_500, 30_000)
  assert.equal(on.sent.length - arrived(), sizes.first)
  workers.length = 0
})

test('stopping waits for what is in flight, and the next start delivers the rest', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  const answers: (() => void)[] = []
  on.vendor.answer = () => new Promise((resolve) => answers.push(() => resolve(ok)))
  const worker = on.start()
  await accept(on, manyEvents(on, 100))
  await until('a lane is full', () => on.sent.length === sizes.first && worker.busy() === sizes.first)
  const stopped = worker.stop()
  for (const answer of answers) answer()
  await stopped
  assert.equal(await on.disk.store.journal.pending(), 100 - sizes.first)
  on.vendor.answer = () => ok
  on.start()
  await until('nothing is pending', async () => (await on.disk.store.journal.pending()) === 0)
  assert.equal(on.sent.length, 100)
})

test('stopping waits no longer than 30 s for a destination that does not answer', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  on.vendor.answer = () => new Promise(() => {})
  const worker = on.start()
  await accept(on, anEvent(on.clock.now()))
  await until('it is sent', () => on.sent.length === 1)
  let isStopped = false
  const stopped = worker.stop().then(() => {
    isStopped = true
  })
  await on.clock.turn(29_999)
  assert.equal(isStopped, false)
  await on.clock.turn(1)
  await stopped
  on.workers.length = 0
})

test('a changed key helps what waits, and a deleted script ends it: erased', async () => {
  const secretOf = (version: number) => ({ KEY: { secretId: 'sec_1', version } })
  const sealed = (text: string, version: number) => {
    const of = { environment: 'production', teamId: 'team_1', scriptId: 'scr_1', secretId: 'sec_1' } as const
    return sealVersion(new Secret(text), { ...of, variable: 'KEY', type: 'PASSWORD', version }, keys, 0)
  }
  const key: Partial<Provider> = {
    secrets: { KEY: { label: 'Key', type: 'PASSWORD' } },
    request: ({ event }, { KEY }) => ({
      url: 'https://x.example/',
      headers: { key: KEY },
      json: { eventId: event.eventId },
    }),
  }
  const on = await openHouse(aTag([aScript('scr_1', { secrets: secretOf(1) })]), key)
  await writeSecrets(on.disk.store, [sealed('old', 1), sealed('new', 2)])
  on.vendor.answer = ({ headers }) => (headers.key === 'new' ? ok : { ...down, status: 401 })
  on.start()
  await accept(on, anEvent(on.clock.now()))
  await ends(on, 'pending keyRejected 1')
  on.snapshots.put(aTag([aScript('scr_1', { secrets: secretOf(2) })], { number: 2 }))
  await on.clock.turn(3_600_000)
  await ends(on, 'delivered 2')
  on.vendor.answer = () => down
  await accept(on, anEvent(on.clock.now(), { eventId: 'event-2' }))
  await ends(on, 'pending vendorDown 1', 'event-2')
  on.snapshots.put(aTag([], { number: 3 }))
  await on.clock.turn(5_000)
  await ends(on, 'dead erased 1', 'event-2')
})

/** The rows that a script with secrets stands on. */
async function writeSecrets(store: Store, rows: SecretVersion[]) {
  const { tagId: _, teamId: __, number: ___, name, scripts: ____, ...settings } = aTag([])
  await store.write([
    { add: 'team', row: { teamId: 'team_1', name: 'team', sealedKey: Buffer.alloc(60), createdAt: 0 } },
    { add: 'tag', row: { tagId: 'tag_1', teamId: 'team_1', name, settings, createdAt: 0 } },
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
      },
    },
    ...rows.map((row) => ({ add: 'secret', row }) as const),
  ])
}

test('a body that does not open blocks nothing and is settled after three tries', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  on.start()
  await on.disk.stream.append({ tagId: 'tag_1', payload: Buffer.alloc(300, 1), keys: [5n] })
  await accept(on, anEvent(on.clock.now()))
  await ends(on, 'delivered 1')
  await until('only the broken one waits', () => on.disk.stream.waiting() > 0)
  await on.clock.turn(1_000)
  await until(
    'it was tried twice',
    () => on.lines.filter(({ message }) => message === 'a body does not open').length === 2,
  )
  await on.clock.turn(1_000)
  await until('it is settled', () => on.disk.stream.waiting() === 0)
})

test('an event that cannot be planned is dead for every script, and the next is delivered', async () => {
  const customEventName = (eventName: string) => {
    if (eventName === 'Bad') throw new TypeError('mapper')
    return eventName
  }
  const on = await openHouse(aTag([aScript('scr_1')]), { customEventName })
  on.start()
  await accept(on, [anEvent(on.clock.now(), { eventName: 'Bad' }), anEvent(on.clock.now(), { eventId: 'event-2' })])
  await ends(on, 'delivered 1', 'event-2')
  await ends(on, 'dead poison 0')
})

test('an offline purchase carries the click id of the browser that was known by its e-mail', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]), {
    captures: [{ query: 'fbclid' }],
    user: { email: hashed('email') },
    request: ({ event, user, captured }) => ({
      url: 'https://eventsink.example/',
      json: { eventId: event.eventId, email: user.email, clicked: captured.fbclid },
    }),
  })
  on.start()
  const clickedAt = on.clock.now()
  const click = { search: '?fbclid=click-1', userEmail: 'jane@example.com' }
  await accept(on, anEvent(clickedAt, click), {
    origin: 'https://shop.example',
    userId: 'usr_browser',
    presented: false,
  })
  await ends(on, 'delivered 1')
  await on.clock.turn(60_000)
  const purchase = anEvent(on.clock.now(), {
    eventId: 'event-2',
    eventName: 'Purchase',
    userEmail: ' Jane@Example.com',
  })
  await accept(on, purchase, { userId: 'usr_server', presented: false })
  await ends(on, 'delivered 1', 'event-2')
  const [browser, offline] = on.sent.map(({ json }) => json)
  assert.deepEqual(offline?.clicked, { value: 'click-1', at: clickedAt })
  assert.equal(offline?.email, browser?.email)
  assert.equal((await journeyOf(on, 'event-2'))?.userId, 'usr_server')
})

test('no line of the log and no message on record holds anything of the person', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]), {
    user: { email: plain('email'), ip: plain('ip') },
    request: ({ user }) => ({ url: 'https://eventsink.example/', json: user }),
  })
  on.vendor.answer = ({ body }) => ({ ...down, status: 400, body: JSON.stringify({ message: `not good: ${body}` }) })
  on.start()
  const said = { userEmail: 'jane@example.com', ip: '203.0.113.9' }
  await accept(on, anEvent(on.clock.now(), said), { trusted: true })
  await ends(on, 'refused payloadRefused 1')
  assert.equal(on.sent[0]?.body, '{"email":"jane@example.com","ip":"203.0.113.9"}')
  const { message } = (await journeyOf(on, 'event-1'))!.deliveries[0]!.attempts[0]!
  assert.equal(message, 'HTTP 400: not good: {"email":"•••","ip":"•••"}')
  assert.equal(on.lines.filter((line) => line.message === 'attempt').length, 1)
  assert.doesNotMatch(JSON.stringify(on.lines), /jane|203\.0\.113/)
})

test('in the sandbox a catalogue provider is simulated, with the request on record', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]), { host: 'fixed' })
  on.start({ environment: 'sandbox' })
  await accept(on, anEvent(on.clock.now()))
  await ends(on, 'simulated 1')
  assert.deepEqual(on.sent, [])
})

test('offline purchases before the first visit do not keep the browser from being found by its e-mail', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]), {
    captures: [{ query: 'fbclid' }],
    request: ({ captured }) => ({ url: 'https://eventsink.example/', json: { click: captured.fbclid?.value } }),
  })
  on.start()
  const said = (eventId: string, more = {}) =>
    anEvent(on.clock.now(), { eventId, userEmail: 'jane@example.com', ...more })
  await accept(on, said('event-1'), { userId: 'usr_offline', presented: false })
  await ends(on, 'delivered 1')
  await accept(on, said('event-2', { search: '?fbclid=click' }), {
    userId: 'usr_browser',
    origin: 'https://shop.example',
  })
  await ends(on, 'delivered 1', 'event-2')
  await accept(on, said('event-3'), { userId: 'usr_again', presented: false })
  await ends(on, 'delivered 1', 'event-3')
  assert.deepEqual(
    on.sent.map(({ json }) => json.click),
    [undefined, 'click', 'click'],
  )
})

test("a server's event happened where the user's browser was last", async () => {
  const on = await openHouse(aTag([aScript('scr_1', { geoRegions: 'DE' })]))
  on.start()
  await accept(on, anEvent(on.clock.now()), { origin: 'https://shop.example', ip: '203.0.113.1' })
  await ends(on, 'delivered 1')
  await accept(on, anEvent(on.clock.now(), { eventId: 'event-2' }))
  await accept(on, anEvent(on.clock.now(), { eventId: 'event-3' }), { userId: 'usr_unknown' })
  await ends(on, 'delivered 1', 'event-2')
  await ends(on, 'skipped region 0', 'event-3')
  assert.deepEqual((await journeyOf(on, 'event-2'))?.place, { country: 'DE', source: 'user' })
})

test('what still waits a week after it came ends: expired', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  on.vendor.answer = () => ({ ...down, status: 401 })
  const worker = on.start()
  await accept(on, anEvent(on.clock.now()))
  await ends(on, 'pending keyRejected 1')
  await worker.stop()
  await on.clock.turn(7 * 86_400_000 + 1)
  on.start()
  await until('it has ended', async () => (await on.disk.store.journal.pending()) === 0)
  const { deliveries } = (await on.disk.store.journal.event('tag_1', 1, 0))!
  assert.deepEqual([deliveries[0]?.status, deliveries[0]?.reason], ['dead', 'expired'])
})

test('a store that refuses for a while loses nothing', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  const { store } = on.disk
  let isBroken = true
  const failing = <Work extends (...given: never[]) => Promise<unknown>>(work: Work): Work =>
    (async (...given: never[]) => (isBroken ? Promise.reject(new Error('disk full')) : work(...given))) as Work
  const { plan, begin, settle } = store.journal
  const journal = { ...store.journal, plan: failing(plan), begin: failing(begin), settle: failing(settle) }
  on.start({ store: { ...store, journal } })
  await accept(on, manyEvents(on, 100))
  await until('it was refused', () => on.lines.some(({ level }) => level === 'error'))
  assert.deepEqual([on.sent.length, on.disk.stream.waiting()], [0, 1])
  isBroken = false
  await on.clock.turn(1_000)
  await until('all have arrived', () => on.sent.length === 100)
  await until('nothing is pending', async () => (await store.journal.pending()) === 0)
})

test('an event with which three processes ended is set aside: dead, poison; its neighbours are delivered', async () => {
  const on = await openHouse(aTag([aScript('scr_1')]))
  on.vendor.answer = ({ json }) => (json.eventId === 'deadly' ? new Promise(() => {}) : ok)
  await accept(on, anEvent(on.clock.now(), { eventId: 'deadly' }))
  for (let sent = 1; sent <= 3; sent++) {
    on.start()
    await until('it is sent', () => on.sent.filter(({ json }) => json.eventId === 'deadly').length === sent)
    await until('it is planned', () => on.disk.stream.waiting() === 0)
    await on.crash()
  }
  on.start()
  await ends(on, 'dead poison 0', 'deadly')
  await accept(on, anEvent(on.clock.now(), { eventId: 'event-2' }))
  await ends(on, 'delivered 1', 'event-2')
  assert.deepEqual(
    on.told.map(({ kind, reason }) => `${kind} ${reason}`),
    ['dead poison'],
  )
})
