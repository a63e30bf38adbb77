import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EventContext } from '#event/record.ts'
import { asKnown } from '#provider/identity.ts'
import type { Provider } from '#provider/provider.ts'
import { claimsKept } from '#store/store.ts'
import { until } from '../../test/fake/clock.ts'
import { accept, ends, type House, journeyOf, openHouse } from '../../test/fake/house.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const userEmail = 'jane@example.com'
const consent = (maps: object) => ({ storage: { service: { consent: maps } } })
const yes = consent({ all: true })
const click = (fbclid: string) => ({ search: `?fbclid=${fbclid}` })
const page = (userId: string): Partial<EventContext> => ({ origin: 'https://shop.example', userId })
const shop = (userId: string): Partial<EventContext> => ({ userId, presented: false, trusted: true })

/** A vendor that is told who did it: the id, the keys and the click id. */
const told: Partial<Provider> = {
  captures: [{ query: 'fbclid' }],
  user: asKnown,
  request: ({ event, user, captured }) => ({
    url: 'https://vendor.example/',
    json: { eventId: event.eventId, user, click: captured.fbclid?.value },
  }),
}

/** A tag with these channels. */
async function open(more: Parameters<typeof aTag>[1] = {}, scripts = [aScript('scr_1')]) {
  const on = await openHouse(aTag(scripts, { consent: 'enabled', ...more }), told)
  on.start()
  return on
}

let made = 0
/** Sends an event, waits until it is decided, and tells how it stands and what the vendor got of it. */
async function tell(on: House, more: object, context: Partial<EventContext>) {
  const eventId = `event-${++made}`
  await accept(on, anEvent(on.clock.now() + made, { eventId, ...more }), context)
  const isOver = async () =>
    (await journeyOf(on, eventId))?.deliveries.every(({ status }) => ['skipped', 'delivered', 'held'].includes(status))
  await until(`${eventId} is decided`, isOver)
  const journey = (await journeyOf(on, eventId))!
  const { user, click } = (on.sent.find(({ json }) => json.eventId === eventId)?.json ?? {}) as {
    user?: { userId: string; phone?: string; city?: string }
    click?: string
  }
  return { status: journey.deliveries[0]?.status, user, click, journey }
}

describe('a stranger who claims an e-mail first', () => {
  test('lends the purchase that the shop tells of by it no id, no keys and no yes against the refusal of its owner', async () => {
    const on = await open()
    await tell(on, { userEmail, userPhone: '+666', ...yes, ...click('stolen') }, page('usr_stranger'))
    await tell(on, { userEmail, ...consent({ all: false }) }, page('usr_jane'))
    const refused = await tell(on, { userEmail }, shop('usr_1'))
    assert.equal(refused.status, 'skipped')
    const brought = await tell(on, { userEmail, ...yes }, shop('usr_2'))
    assert.deepEqual([brought.status, brought.user?.phone], ['delivered', undefined])
    assert.equal(brought.user?.userId, 'usr_1')
  })

  test('does not become who a trusted call names: the id that it presents is, and keys come from there', async () => {
    const on = await open()
    await tell(on, { userEmail, userPhone: '+666', ...yes }, page('usr_stranger'))
    await tell(on, { userEmail, userCity: 'Bonn', ...yes }, { userId: 'usr_jane', trusted: true })
    const { user, journey } = await tell(on, { userEmail, ...yes }, shop('usr_1'))
    assert.deepEqual([user?.userId, user?.city, user?.phone], ['usr_jane', 'Bonn', undefined])
    assert.equal(journey.joined, 'usr_jane')
    await tell(on, { userEmail, userPhone: '+667', ...yes }, page('usr_stranger'))
    await tell(on, { userEmail, ...yes }, { userId: 'usr_late', trusted: true })
    assert.equal((await tell(on, { userEmail, ...yes }, shop('usr_2'))).user?.userId, 'usr_jane')
  })

  test('keeps nothing of his in what a page of its owner sends, and gets nothing of hers in his', async () => {
    const on = await open()
    await tell(on, { userEmail, userPhone: '+666', ...yes }, page('usr_stranger'))
    const own = await tell(on, { userEmail, userCity: 'Bonn', ...yes }, page('usr_jane'))
    assert.deepEqual([own.user?.userId, own.user?.phone], ['usr_jane', undefined])
    const his = await tell(on, { userEmail, ...yes }, page('usr_stranger'))
    assert.deepEqual([his.user?.userId, his.user?.city], ['usr_stranger', undefined])
    const alone = await tell(on, { userEmail, ...yes }, { userId: 'usr_fresh', presented: false })
    assert.deepEqual([alone.user?.userId, alone.user?.city, alone.user?.phone], ['usr_fresh', undefined, undefined])
  })
})

describe('what a server tells of by an e-mail alone', () => {
  test('is of a user of its own, who is the same the next time and keeps what it learns', async () => {
    const on = await open()
    await tell(on, { userEmail, ...yes }, page('usr_browser'))
    const first = await tell(on, { userEmail, userCity: 'Bonn', ...yes }, shop('usr_1'))
    const second = await tell(on, { userEmail }, shop('usr_2'))
    assert.deepEqual([first.user?.userId, second.user?.userId, second.user?.city], ['usr_1', 'usr_1', 'Bonn'])
    assert.deepEqual([first.journey.joined, second.journey.joined], [undefined, 'usr_1'])
    assert.deepEqual(second.journey.consent.source, 'stored')
  })

  test('goes where all agree who claim the e-mail; none with a consent is none given', async () => {
    const on = await open()
    await tell(on, { userEmail }, page('usr_unasked'))
    assert.equal((await tell(on, { userEmail }, shop('usr_1'))).journey.consent.source, 'none')
    await tell(on, { userEmail, ...yes }, page('usr_agreed'))
    assert.equal((await tell(on, { userEmail }, shop('usr_2'))).status, 'delivered')
    await tell(on, { userEmail, ...consent({ all: true, eventSink: false }) }, page('usr_refused'))
    assert.equal((await tell(on, { userEmail }, shop('usr_3'))).status, 'skipped')
  })

  test('carries the click id of who was seen last of those whose own consent lets the channel have it', async () => {
    const scripts = [aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })]
    const on = await open({}, scripts)
    await tell(on, { userEmail, ...yes, ...click('first') }, page('usr_a'))
    await tell(on, { userEmail, ...consent({ all: true, eventSink: false }), ...click('second') }, page('usr_b'))
    await tell(on, { userEmail, ...yes }, page('usr_without'))
    const { click: carried, journey } = await tell(on, { userEmail, ...yes }, shop('usr_1'))
    assert.equal(carried, 'first')
    const joined = journey.deliveries.map(({ scriptId, attempts }) => [scriptId, attempts[0]?.joined])
    assert.deepEqual(joined, [
      ['scr_1', 'usr_a'],
      ['scr_2', 'usr_b'],
    ])
  })

  test('carries its own click id or that of its user, and then nothing of anybody else', async () => {
    const on = await open()
    await tell(on, { userEmail, ...yes, ...click('claimed') }, page('usr_a'))
    const own = await tell(on, { userEmail, ...yes, ...click('own') }, shop('usr_1'))
    const next = await tell(on, { userEmail, ...yes }, shop('usr_2'))
    assert.deepEqual([own.click, next.click], ['own', 'own'])
    assert.equal(next.journey.deliveries[0]?.attempts[0]?.joined, undefined)
  })

  test('happened where all were who claim the e-mail, if they were in one country', async () => {
    const on = await openHouse(aTag([aScript('scr_1')]), told)
    const countries: Record<string, string> = { '192.0.2.1': 'DE', '192.0.2.2': 'US' }
    on.start({ locate: (ip) => ({ country: countries[ip]! }) })
    await tell(on, { userEmail }, { ...page('usr_a'), ip: '192.0.2.1' })
    assert.deepEqual((await tell(on, { userEmail }, shop('usr_1'))).journey.place, { country: 'DE', source: 'user' })
    await tell(on, { userEmail }, { ...page('usr_stranger'), ip: '192.0.2.2' })
    assert.deepEqual((await tell(on, { userEmail }, shop('usr_2'))).journey.place, { source: 'unknown' })
  })

  test('waits, where the tag holds, until all agree who claim the e-mail', async () => {
    const on = await open({ hold: 30 })
    const { status, journey } = await tell(on, { userEmail }, shop('usr_1'))
    assert.equal(status, 'held')
    await accept(on, anEvent(on.clock.now(), { eventId: 'agrees', userEmail, ...yes }), page('usr_a'))
    await ends(on, 'delivered 1', `event-${made}`)
    assert.equal((await journeyOf(on, `event-${made}`))?.position, journey.position)
  })
})

describe('a flood of users who claim an e-mail', () => {
  test('loses no refusal: where more refuse than are kept, nothing goes by what they agreed to', async () => {
    const on = await open()
    await tell(on, { userEmail, ...consent({ all: false }) }, page('usr_jane'))
    const flood = Array.from({ length: 3 * claimsKept }, (_, n) => page(`usr_flood${n}`))
    for (const from of flood) await tell(on, { userEmail, ...yes }, from)
    assert.equal((await tell(on, { userEmail }, shop('usr_1'))).status, 'skipped')
    for (const from of flood) await tell(on, { userEmail, ...consent({ all: true, facebook: false }) }, from)
    const crowded = await tell(on, { userEmail }, shop('usr_2'))
    assert.deepEqual([crowded.status, crowded.journey.consent.decided], ['skipped', { consent: { all: false } }])
    const said = await tell(on, { userEmail, ...yes }, page('usr_new'))
    assert.equal(said.status, 'skipped')
    const trusted = await tell(on, { userEmail, ...yes }, shop('usr_3'))
    assert.deepEqual([trusted.status, trusted.click], ['delivered', undefined])
    assert.equal((await tell(on, { userEmail }, shop('usr_4'))).status, 'delivered')
  })
})
