import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EventContext } from '#event/record.ts'
import type { Provider } from '#provider/form/provider.ts'
import { plainFields } from '#provider/form/userRule.ts'
import { until } from '../../test/fake/clock.ts'
import { acceptEvents, type DeliveryHarness, journeyOf, openDeliveryHarness } from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'

const userEmail = 'jane@example.com'
const userCustomerId = '4711'
const dayMs = 86_400_000
const granted = { storage: { service: { consent: { all: true } } } }
const refused = { storage: { service: { consent: { all: false } } } }
const click = (fbclid: string) => ({ search: `?fbclid=${fbclid}` })
/** An event from a browser, and one from the shop's server, each with or without a user id. */
const page = (userId: string): Partial<EventContext> => ({ origin: 'https://shop.example', userId })
const told = (userId: string): Partial<EventContext> => ({ userId, trusted: true })
let orders = 0
const shop = (): Partial<EventContext> => ({ userId: `usr_order${++orders}`, hasExplicitUserId: false, trusted: true })

/** A vendor that gets the ids, the identity keys and the click id. */
const identified: Partial<Provider> = {
  captures: [{ query: 'fbclid' }],
  user: plainFields,
  request: ({ event, user, captured }) => ({
    url: 'https://vendor.example/',
    json: { eventId: event.eventId, user, click: captured.fbclid?.value },
  }),
}

async function open(more: Parameters<typeof aTag>[1] = {}) {
  laterMs = 0
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')], { consent: 'disabled', ...more }), identified)
  harness.start()
  return harness
}

type User = { userId: string; customerId?: string; email?: string; firstName?: string }
let count = 0
/** Offset of event times from the harness clock (ms). */
let laterMs = 0
const later = (ms: number) => {
  laterMs += ms
}

/** Sends an event, waits until it is decided, and returns what the vendor received about its user. */
async function send(deps: DeliveryHarness, context: Partial<EventContext>, more: object) {
  const eventId = `event-${++count}`
  const receivedAt = deps.clock.now() + laterMs
  await acceptEvents(deps, anEvent(receivedAt + count, { eventId, ...more }), { receivedAt, ...context })
  const journey = () => journeyOf(deps, eventId)
  const isDecided = async () =>
    (await journey())?.deliveries.every(({ status }) => ['skipped', 'delivered', 'held'].includes(status))
  await until(`${eventId} is decided`, isDecided)
  const got = deps.sent.find(({ json }) => json.eventId === eventId)?.json as { user: User; click?: string } | undefined
  return { ...got, status: (await journey())!.deliveries[0]?.status }
}

describe('a trusted customer id', () => {
  test('names the device that a trusted call joined to it: with its click ids and keys', async () => {
    const deps = await open()
    await send(deps, page('usr_phone'), { ...click('a'), userFirstName: 'Jane' })
    await send(deps, told('usr_phone'), { userCustomerId })
    const { user, click: got } = await send(deps, shop(), { userCustomerId })
    assert.deepEqual([user, got], [{ userId: 'usr_phone', customerId: '4711', firstName: 'Jane' }, 'a'])
  })

  test('has a user of its own while no device is known, the same for each event', async () => {
    const deps = await open()
    const first = await send(deps, shop(), { userCustomerId, userFirstName: 'Jane' })
    const second = await send(deps, shop(), { userCustomerId })
    assert.deepEqual(second.user, first.user)
    assert.notEqual((await send(deps, shop(), { userCustomerId: '4712' })).user?.userId, first.user?.userId)
  })

  test('belongs to the device that the event names, else to the one that was seen last', async () => {
    const deps = await open()
    for (const device of ['usr_phone', 'usr_laptop']) await send(deps, told(device), { userCustomerId })
    await send(deps, page('usr_laptop'), {})
    later(dayMs)
    await send(deps, page('usr_phone'), {})
    assert.equal((await send(deps, shop(), { userCustomerId })).user?.userId, 'usr_phone')
    assert.equal((await send(deps, told('usr_laptop'), { userCustomerId })).user?.userId, 'usr_laptop')
    later(dayMs)
    await send(deps, page('usr_laptop'), {})
    assert.equal((await send(deps, shop(), { userCustomerId })).user?.userId, 'usr_laptop')
  })

  test('is one person with the e-mail that a trusted call gives with it, in any order', async () => {
    const orders = [{ userEmail }, { userCustomerId }, { userEmail, userCustomerId }]
    for (const first of orders)
      for (const second of orders) {
        const deps = await open()
        await send(deps, shop(), { userEmail, userCustomerId })
        const users = [await send(deps, shop(), first), await send(deps, shop(), second)].map(({ user }) => user)
        for (const user of users) assert.deepEqual([user?.customerId, user?.email], ['4711', userEmail])
        assert.equal(users[0]?.userId, users[1]?.userId)
      }
  })

  test('joins the user whom the shop knew only by e-mail', async () => {
    const deps = await open()
    const { user: known } = await send(deps, shop(), { userEmail, userFirstName: 'Jane' })
    await send(deps, shop(), { userEmail, userCustomerId })
    const expected = { userId: known!.userId, email: userEmail, firstName: 'Jane', customerId: '4711' }
    assert.deepEqual((await send(deps, shop(), { userCustomerId })).user, expected)
    assert.deepEqual((await send(deps, shop(), { userEmail })).user, expected)
  })

  test('wins over an e-mail of another user, and nothing of both is merged', async () => {
    const deps = await open()
    await send(deps, told('usr_jane'), { userEmail, userFirstName: 'Jane' })
    await send(deps, told('usr_tom'), { userCustomerId, userFirstName: 'Tom' })
    const both = await send(deps, shop(), { userEmail, userCustomerId })
    assert.deepEqual([both.user?.userId, both.user?.firstName], ['usr_tom', 'Tom'])
    const jane = await send(deps, shop(), { userEmail })
    assert.deepEqual(jane.user, { userId: 'usr_jane', email: userEmail, firstName: 'Jane' })
  })

  test('of another customer keeps the e-mail of a customer from joining', async () => {
    const deps = await open()
    await send(deps, told('usr_jane'), { userEmail, userCustomerId, userFirstName: 'Jane' })
    const { user } = await send(deps, shop(), { userEmail, userCustomerId: '4712' })
    assert.notEqual(user?.userId, 'usr_jane')
    assert.deepEqual([user?.customerId, user?.firstName], ['4712', undefined])
  })

  test('on a device of another customer replaces him: nothing that was known of him goes out or finds the device', async () => {
    const deps = await open()
    await send(deps, told('usr_tablet'), { userCustomerId, userEmail, userFirstName: 'Jane' })
    const { user } = await send(deps, told('usr_tablet'), { userCustomerId: '4712', userFirstName: 'Tom' })
    assert.deepEqual(user, { userId: 'usr_tablet', customerId: '4712', firstName: 'Tom' })
    assert.deepEqual((await send(deps, page('usr_tablet'), {})).user, user)
    for (const names of [{ userCustomerId }, { userEmail }])
      assert.notEqual((await send(deps, shop(), names)).user?.userId, 'usr_tablet')
    assert.equal((await send(deps, shop(), { userCustomerId: '4712' })).user?.userId, 'usr_tablet')
  })

  test('carries the refusal of each device that a trusted call joined to it', async () => {
    const deps = await open({ consent: 'enabled' })
    await send(deps, told('usr_phone'), { userCustomerId, ...granted })
    await send(deps, told('usr_laptop'), { userCustomerId, ...granted })
    assert.equal((await send(deps, shop(), { userCustomerId })).status, 'delivered')
    await send(deps, page('usr_phone'), refused)
    later(dayMs)
    await send(deps, page('usr_laptop'), granted)
    assert.equal((await send(deps, shop(), { userCustomerId })).status, 'skipped')
  })
})

describe('an untrusted customer id', () => {
  test('goes out with the events of its own caller only', async () => {
    const deps = await open()
    await send(deps, page('usr_eve'), { userCustomerId, ...click('eve') })
    assert.equal((await send(deps, page('usr_eve'), {})).user?.customerId, '4711')
    assert.equal((await send(deps, told('usr_eve'), {})).user?.customerId, undefined)
    const order = await send(deps, shop(), { userCustomerId })
    assert.deepEqual([order.click, order.user?.userId === 'usr_eve'], [undefined, false])
  })

  test('gets nothing of the customer: no key, no click id, no consent', async () => {
    const deps = await open({ consent: 'enabled' })
    await send(deps, told('usr_jane'), { userCustomerId, userEmail, userFirstName: 'Jane', ...click('j'), ...granted })
    const anonymous = { origin: 'https://shop.example', userId: 'usr_new', hasExplicitUserId: false }
    assert.equal((await send(deps, anonymous, { userCustomerId })).status, 'skipped')
    const { user, click: got } = await send(deps, page('usr_eve'), { userCustomerId, ...granted })
    assert.deepEqual([user, got], [{ userId: 'usr_eve', customerId: '4711' }, undefined])
    await send(deps, page('usr_eve'), { userCustomerId, ...refused })
    assert.equal((await send(deps, shop(), { userCustomerId })).status, 'delivered')
  })

  test('does not replace the one that a trusted call gave, and goes out without what is known of that customer', async () => {
    const deps = await open()
    await send(deps, told('usr_jane'), { userCustomerId, userEmail, userFirstName: 'Jane' })
    const claim = await send(deps, page('usr_jane'), { userCustomerId: '1', userLastName: 'Eve' })
    assert.deepEqual(claim.user, { userId: 'usr_jane', customerId: '1', lastName: 'Eve' })
    const known = { userId: 'usr_jane', customerId: '4711', email: userEmail, firstName: 'Jane' }
    assert.deepEqual((await send(deps, shop(), { userEmail })).user, known)
    assert.deepEqual((await send(deps, page('usr_jane'), {})).user, known)
  })
})

test('an id with more than ten e-mails of trusted calls in 30 days joins nothing until they are older', async () => {
  const deps = await open()
  const order = (n: number) => send(deps, shop(), { userCustomerId, userEmail: `guest-${n}@example.com` })
  const first = await order(0)
  for (let n = 1; n < 10; n++) assert.equal((await order(n)).user?.userId, first.user?.userId)
  const eleventh = await order(10)
  assert.notEqual(eleventh.user?.userId, first.user?.userId)
  assert.deepEqual([eleventh.user?.customerId, eleventh.user?.email], ['4711', 'guest-10@example.com'])
  const alone = await send(deps, shop(), { userCustomerId })
  assert.deepEqual([alone.user?.userId === first.user?.userId, alone.user?.email], [false, undefined])
  later(31 * dayMs)
  assert.equal((await send(deps, shop(), { userCustomerId })).user?.userId, first.user?.userId)
})
