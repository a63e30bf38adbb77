import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { contactKinds } from '#contract/alertKinds.ts'
import type { AlertRule } from '#contract/alertRule.ts'
import { fromWallTime, toWallTime } from '#kit/localTime.ts'
import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { createSnapshots } from '#script/snapshot.ts'
import type { IncidentRecord } from '#store/incidents.ts'
import { tag as tagRow } from '#store/store.fixture.ts'
import { acceptEvents, down, keys, manyEvents, ok } from '../../test/fake/deliveryHarness.ts'
import { receiverUrls } from '../../test/fake/receivers.ts'
import { aScript, aTag } from '../../test/fake/tag.ts'
import type { AlertFigures } from './alertFigures.ts'
import {
  type AlertShop,
  closeShops,
  openShop,
  stopped,
  stoppedFigures,
  turn,
  untilTurning,
  writeOf,
} from './alertShop.fixture.ts'
import { newContactPoint } from './contactPoint.ts'
import { firstRecordedDay, recordedDays, recordedZone } from './recordedWeeks.fixture.ts'
import { createStoreFigures } from './storeFigures.ts'

const hour = 3_600_000
afterEach(closeShops)
const kindsOf = (shop: AlertShop, state: string) =>
  shop.receivers.got.flatMap((each) => (each.state === state ? [each.kind] : [])).sort()
const allKinds = [...contactKinds].sort()

test('an outage of a vendor sends one message to each kind of receiver within a minute, and one when it ends', async () => {
  const shop = await openShop([{ name: 'Stopped', kind: 'channelStopped', to: [...contactKinds] }])
  const { harness, receivers } = shop
  harness.vendor.answer = () => down
  harness.start()
  shop.watch()
  await acceptEvents(harness, manyEvents(harness, 20))
  await untilTurning(shop, 'the channel is paused', async () => (await shop.disk.store.journal.pauses()).length > 0)
  const foundIn = await untilTurning(shop, 'all are told', () => receivers.got.length >= allKinds.length)
  assert.ok(foundIn <= 60_000, `${foundIn} ms`)
  assert.deepEqual(kindsOf(shop, 'started'), allKinds)
  await turn(shop, 600_000)
  assert.equal(receivers.got.length, allKinds.length, 'one cause is one message')
  harness.vendor.answer = () => ok
  await untilTurning(shop, 'the channel recovers', async () => (await shop.disk.store.journal.pauses()).length === 0)
  const endedIn = await untilTurning(shop, 'all are told', () => receivers.got.length >= 2 * allKinds.length)
  assert.ok(endedIn <= 60_000, `${endedIn} ms`)
  await turn(shop, 600_000)
  assert.deepEqual(kindsOf(shop, 'ended'), allKinds)
  assert.equal(receivers.got.length, 2 * allKinds.length)
  const [incident] = await shop.incidents()
  for (const { text, json } of receivers.got) {
    assert.match(text, /Meta/)
    assert.match(JSON.stringify(json), /First event.*Last event/)
    assert.ok(text.includes('https://aglet.example/dashboard/team_1/tags/tag_1/channels/scr_1'))
  }
  assert.ok(incident!.firstAt <= incident!.lastAt && incident!.lastAt <= incident!.endedAt!)
  assert.ok(incident!.messages.every(({ status, tries }) => status === 'sent' && tries === 1))
  const duty = receivers.got.filter(({ kind }) => kind === 'pagerDuty').map(({ json }) => json as { dedup_key: string })
  assert.equal(duty[0]!.dedup_key, duty[1]!.dedup_key)
})

/** The counts of the recorded weeks for a shop, all of them or a part. */
function recordedFigures(left: (at: number) => number): AlertFigures['events'] {
  return async (_: unknown, { from, to }: { from: number; to: number }) => {
    let sum = 0
    for (let at = from; at < to; at += hour) {
      const wall = toWallTime(at, recordedZone) - firstRecordedDay
      sum += (recordedDays[Math.floor(wall / 86_400_000)]?.[Math.floor(wall / hour) % 24] ?? 0) * left(at)
    }
    return Math.round(sum / 20)
  }
}
const drop: AlertRule = { name: 'Drop', kind: 'volumeDrop', to: ['slack'], timeZone: recordedZone }
/** The Sunday on which clocks were also set back. */
const sunday = fromWallTime(Date.UTC(2014, 10, 2), recordedZone)

/** A watch of the recorded weeks, starting at `from`. `evaluated` waits until both rules were evaluated once more. */
async function watchWeeks(from: number, left: (at: number) => number = () => 1) {
  const shop = await openShop([drop, { ...drop, name: 'Silence', kind: 'silence', minutes: 60 }], { kinds: ['slack'] })
  const createdAt = fromWallTime(firstRecordedDay, recordedZone)
  await shop.disk.store.write([{ put: 'tag', row: { ...tagRow(), createdAt } }])
  shop.clock.set(from - shop.clock.now())
  const recorded = recordedFigures(left)
  const periods = new Set<string>()
  const events: AlertFigures['events'] = (tag, period) => {
    periods.add(`${period.from} ${period.to}`)
    return recorded(tag, period)
  }
  const figures = { ...createStoreFigures({ ...shop.disk, ...shop, freeDisk: async () => undefined }), events }
  shop.watch({ figures })
  const evaluated = async () => {
    periods.clear()
    await untilTurning(shop, 'the rules are evaluated', () => periods.size >= 2)
  }
  return { ...shop, evaluated }
}

test('a quiet Sunday sends nothing', async () => {
  const shop = await watchWeeks(sunday - hour)
  const [saturday, ofSunday] = [recordedDays[61]!, recordedDays[62]!].map((day) => day.reduce((sum, n) => sum + n, 0))
  assert.ok(ofSunday! < 0.8 * saturday!, 'it is a quiet one')
  for (let passed = 0; passed < 27; passed++) {
    await shop.evaluated()
    await turn(shop, 30_000)
    assert.deepEqual(await shop.incidents(), [])
    shop.clock.set(hour)
  }
  assert.deepEqual(shop.receivers.got, [])
})

test('a shop that stops on a Sunday is told of within two hours', async () => {
  const stopsAt = sunday + 12 * hour
  const shop = await watchWeeks(sunday + 11 * hour, (at) => (at >= stopsAt ? 0 : 1))
  await shop.evaluated()
  assert.deepEqual(await shop.incidents(), [])
  shop.clock.set(stopsAt + hour + 180_000 - shop.clock.now())
  await untilTurning(shop, 'it is told', () => shop.receivers.got.length > 0)
  assert.ok(shop.receivers.got[0]!.at < stopsAt + 2 * hour)
})

test('a restart sends nothing twice, and tells of the end', async () => {
  const shop = await openShop([stopped()], { kinds: ['slack'] })
  let ids = ['scr_1']
  const figures = stoppedFigures(shop, () => ids)
  const first = shop.watch({ figures })
  await untilTurning(shop, 'it is told', () => shop.receivers.got.length === 1)
  const stopping = first.stop()
  await shop.clock.turn(1_000)
  await stopping
  shop.watch({ figures })
  await turn(shop, 120_000)
  assert.equal(shop.receivers.got.length, 1)
  ids = []
  await untilTurning(shop, 'the end is told', () => shop.receivers.got.length === 2)
  assert.equal(shop.receivers.got[1]!.state, 'ended')
})

test('of two processes the one with the lease sends, and the other goes on where it ends', async () => {
  const shop = await openShop([stopped()], { kinds: ['slack'] })
  let ids = ['scr_1']
  let owner = 'one'
  const figures = stoppedFigures(shop, () => ids)
  for (const name of ['one', 'two']) shop.watch({ figures, leases: { holds: async () => owner === name } })
  const isNoted = async () => (await shop.incidents())[0]?.messages[0]?.status === 'sent'
  await untilTurning(shop, 'it is told', isNoted)
  owner = 'two'
  await turn(shop, 60_000)
  ids = []
  await untilTurning(shop, 'the end is told', () => shop.receivers.got.length === 2)
  await turn(shop, 60_000)
  assert.deepEqual(
    shop.receivers.got.map(({ state }) => state),
    ['started', 'ended'],
  )
})

test('a cause that begins and ends in quiet hours is one message afterwards; a muted rule sends none', async () => {
  const start = Date.UTC(2026, 10, 20)
  const quiet = { quiet: '23:00-07:00', timeZone: 'Europe/Berlin' }
  const shop = await openShop([stopped(quiet), stopped({ name: 'Muted', mutedUntil: start + 24 * hour })], {
    kinds: ['slack'],
  })
  let ids = ['scr_1']
  shop.watch({ figures: stoppedFigures(shop, () => ids) })
  await untilTurning(shop, 'it is found', async () => (await shop.incidents()).length > 0)
  ids = []
  await untilTurning(shop, 'it has ended', async () => (await shop.incidents())[0]?.endedAt)
  await turn(shop, 60_000)
  assert.deepEqual(shop.receivers.got, [])
  shop.clock.set(7 * hour)
  await untilTurning(shop, 'it is told', () => shop.receivers.got.length > 0)
  await turn(shop, 60_000)
  assert.deepEqual(
    shop.receivers.got.map(({ state }) => state),
    ['ended'],
  )
  assert.equal((await shop.incidents()).length, 1)
})

test('a thousand alerts at once are summed up: a contact point gets a few messages, and all ends are told', async () => {
  const rules = Array.from({ length: 25 }, (_, n) =>
    stopped({ name: `Rule ${n}`, to: ['slack', 'pagerDuty', 'webhook'] }),
  )
  const shop = await openShop(rules, { kinds: ['slack', 'pagerDuty', 'webhook'] })
  const snapshots = createSnapshots()
  for (let n = 1; n <= 40; n++) {
    snapshots.put(aTag([aScript('scr_1')], { tagId: `tag_${n}` }))
    if (n > 1) await shop.disk.store.write([{ add: 'tag', row: { ...tagRow(n), tagId: `tag_${n}`, name: `tag ${n}` } }])
  }
  let ids = ['scr_1']
  shop.watch({ snapshots, figures: stoppedFigures(shop, () => ids) })
  let looks = 0
  await untilTurning(shop, 'all are written and told', async () => {
    if (looks++ % 25 !== 0) return false
    const active = await shop.disk.store.incidents.active()
    return active.length === 1_000 && active.every(({ messages }) => messages.every(({ status }) => status === 'sent'))
  })
  assert.ok(shop.receivers.got.length <= 3 * 14, `${shop.receivers.got.length} messages`)
  assert.match(shop.receivers.got.at(-1)!.text, /more/)
  ids = []
  await untilTurning(
    shop,
    'all ended',
    async () => looks++ % 25 === 0 && (await shop.disk.store.incidents.active()).length === 0,
  )
  const duty = shop.receivers.got.filter(({ kind }) => kind === 'pagerDuty')
  const keysOf = (state: string) =>
    new Set(duty.flatMap((each) => (each.state === state ? [(each.json as { dedup_key: string }).dedup_key] : [])))
  assert.deepEqual(keysOf('ended'), keysOf('started'))
})

const hanging = (signal: AbortSignal) => (): Promise<SendResult> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(ok)))

test('a receiver that never answers delays no other receiver and no other team', async () => {
  const shop = await openShop([stopped({ to: ['webhook', 'slack'] })], { kinds: ['webhook', 'slack'] })
  keys.createTeamKey('team_2')
  const { row } = newContactPoint({ teamId: 'team_2', name: 'slack' }, writeOf('slack'), undefined, {
    keys,
    now: 1,
    language: 'en',
  })
  const { name, ...settings } = stopped()
  const other = { ruleId: 'rule_2', teamId: 'team_2', name, settings, createdAt: 1 }
  await shop.disk.store.write([
    { add: 'team', row: { teamId: 'team_2', name: 'Other', sealedKey: new Uint8Array([1]), createdAt: 1 } },
    { add: 'tag', row: { ...tagRow(2), teamId: 'team_2' } },
    { alerting: { put: 'contactPoint', row } },
    { alerting: { put: 'alertRule', row: other } },
  ])
  shop.snapshots.put(aTag([aScript('scr_2')], { tagId: 'tag_2', teamId: 'team_2' }))
  const end = new AbortController()
  after(() => end.abort())
  const hang = hanging(end.signal)
  const send = (request: WireRequest) => (request.url === receiverUrls.webhook ? hang() : shop.receivers.send(request))
  shop.watch({ figures: stoppedFigures(shop, () => ['scr_1']), send })
  await untilTurning(shop, 'the others are told', () => shop.receivers.got.length === 2)
  end.abort()
})

test('a receiver that refuses is tried again, later if it asks so, and a webhook that is gone is given up', async () => {
  const shop = await openShop([stopped({ to: ['slack', 'webhook'] })], { kinds: ['slack', 'webhook'] })
  const answers: Record<string, SendResult[]> = {
    [receiverUrls.slack]: [
      { ...down, status: 429, headers: { 'retry-after': '120' } },
      { ...down, status: 404, body: 'no_service' },
    ],
    [receiverUrls.webhook]: [
      { failed: 'timeout', message: 'It did not answer.', durationMs: 5_000 },
      { ...down, status: 404 },
    ],
  }
  const tried: { url: string; at: number; id: string | undefined }[] = []
  const send = async (request: WireRequest) => {
    tried.push({ url: request.url, at: shop.clock.now(), id: request.headers['webhook-id'] })
    return answers[request.url]!.shift() ?? ok
  }
  shop.watch({ figures: stoppedFigures(shop, () => ['scr_1']), send })
  const messageOf = async (to: string) =>
    (await shop.incidents())[0]?.messages.find((each: IncidentRecord['messages'][number]) => each.to === to)
  await untilTurning(shop, 'one is given up, one is sent', async () => {
    return (await messageOf('slack'))?.status === 'failed' && (await messageOf('webhook'))?.status === 'sent'
  })
  const [first, second] = tried.filter(({ url }) => url === receiverUrls.slack)
  assert.ok(second!.at - first!.at >= 120_000)
  assert.equal((await messageOf('slack'))?.message, 'The receiver responded with 404.')
  const ids = new Set(tried.flatMap(({ id }) => id ?? []))
  assert.deepEqual([ids.size, (await messageOf('webhook'))?.tries], [1, 3])
})

test('figures that cannot be read begin and end nothing', async () => {
  const shop = await openShop([stopped()], { kinds: ['slack'] })
  let ids: string[] | undefined = ['scr_1']
  const figures = stoppedFigures(shop, () => {
    if (!ids) throw new Error('The query was stopped.')
    return ids
  })
  shop.watch({ figures: { ...figures, stopped: async (tag) => figures.stopped(tag) } })
  await untilTurning(shop, 'it is told', () => shop.receivers.got.length === 1)
  ids = undefined
  await turn(shop, 120_000)
  assert.equal(shop.receivers.got.length, 1)
  assert.equal((await shop.incidents())[0]?.endedAt, undefined)
})

test('what lasts is told again every four hours but to PagerDuty, unless it is muted, and its end once', async () => {
  const shop = await openShop([stopped({ to: ['slack', 'pagerDuty', 'webhook'] })], {
    kinds: ['slack', 'pagerDuty', 'webhook'],
  })
  let ids = ['scr_1']
  shop.watch({ figures: stoppedFigures(shop, () => ids) })
  const { got } = shop.receivers
  const states = (kind: string) => got.filter((each) => each.kind === kind).map(({ state }) => state)
  await untilTurning(shop, 'all are told', () => got.length === 3)
  shop.clock.set(4 * hour - 120_000)
  await turn(shop, 60_000)
  assert.equal(got.length, 3, 'not before four hours')
  shop.clock.set(60_000)
  await untilTurning(shop, 'it is told again', () => got.length === 5)
  await turn(shop, 600_000)
  assert.equal(got.length, 5)
  shop.clock.set(4 * hour)
  await untilTurning(shop, 'it is told a third time', () => got.length === 7)
  assert.match(got.at(-1)!.text, /Still lasts: /)
  await shop.disk.store.write([{ put: 'teamMute', teamId: 'team_1', until: shop.clock.now() + 5 * hour }])
  shop.clock.set(4 * hour + 60_000)
  await turn(shop, 60_000)
  assert.equal(got.length, 7, 'nothing is repeated while all rules are muted')
  ids = []
  await untilTurning(shop, 'the end is told', () => got.length === 10)
  await turn(shop, 60_000)
  assert.deepEqual(states('slack'), ['started', 'repeated', 'repeated', 'ended'])
  assert.deepEqual(states('pagerDuty'), ['started', 'ended'])
  const [incident] = await shop.incidents()
  assert.deepEqual(incident!.messages.map(({ to, about, number }) => [to, about, ...(number ? [number] : [])]).sort(), [
    ...['pagerDuty', 'slack', 'webhook'].flatMap((to) => [
      [to, 'end'],
      ...(to === 'pagerDuty' ? [] : [[to, 'repeat', 2]]),
      [to, 'start'],
    ]),
  ])
})

test('a channel that a person paused is told of once', async () => {
  const shop = await openShop([stopped()], { kinds: ['slack'] })
  const since = shop.clock.now()
  const figures = stoppedFigures(shop, () => [])
  const paused = async () => [{ scriptId: 'scr_1', since, reason: 'isPaused' as const }]
  shop.watch({ figures: { ...figures, stopped: paused } })
  await untilTurning(shop, 'it is told', () => shop.receivers.got.length === 1)
  shop.clock.set(9 * hour)
  await turn(shop, 60_000)
  assert.equal(shop.receivers.got.length, 1)
})

test('the rules of a team that mutes all of them start nothing until its time', async () => {
  const shop = await openShop([stopped()], { kinds: ['slack'] })
  const until = shop.clock.now() + hour
  await shop.disk.store.write([{ put: 'teamMute', teamId: 'team_1', until }])
  shop.watch({ figures: stoppedFigures(shop, () => ['scr_1']) })
  await turn(shop, 120_000)
  assert.deepEqual([await shop.incidents(), shop.receivers.got], [[], []])
  shop.clock.set(hour)
  await untilTurning(shop, 'it is told', () => shop.receivers.got.length === 1)
})

test('a rule that is removed ends its incidents', async () => {
  const shop = await openShop([stopped()], { kinds: ['slack'] })
  shop.watch({ figures: stoppedFigures(shop, () => ['scr_1']) })
  await untilTurning(shop, 'it is told', () => shop.receivers.got.length === 1)
  await shop.disk.store.write([{ alerting: { drop: 'alertRule', ruleId: 'rule Stopped' } }])
  await untilTurning(shop, 'the end is told', () => shop.receivers.got.length === 2)
  assert.equal(shop.receivers.got[1]!.state, 'ended')
})
