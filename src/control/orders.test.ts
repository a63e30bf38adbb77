import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { OrderRepair, OrderReport, OrderRow, OrderWrite } from '#contract/order.ts'
import { purchaseFacts } from '#event/purchaseFacts.ts'
import { openRecord } from '#event/record.ts'
import { recordOrder } from '#order/recordOrders.ts'
import { deliveryIdOf } from '#store/deliveryId.ts'
import type { OrderDelivery } from '#store/orders.ts'
import { makeOrder } from '../../test/fake/orderCases.ts'
import { type Customer, callControl, makeCustomer, makeScript, openTestControl } from '../../test/fake/testControl.ts'
import { makeEvent } from '../../test/fake/testEvents.ts'

const control = await openTestControl()
after(control.close)
const { store, stream, keys } = control.environments.production
const now = () => control.clock.now()
const hour = 3_600_000

type Shop = { as: Customer; scriptId: string }
async function openShop(): Promise<Shop> {
  const as = await makeCustomer(control)
  return { as, scriptId: await makeScript(control, as) }
}
const call = (id: Parameters<typeof callControl>[1], { as }: Shop, body?: unknown, values: object = {}) =>
  callControl(control, id, as, { values: { tagId: as.tagId, ...values }, ...(body !== undefined && { body }) })
async function put(shop: Shop, ...orders: Partial<OrderWrite>[]) {
  const { status, body } = await call(
    'putOrders',
    shop,
    orders.map((each) => makeOrder(now(), each)),
  )
  assert.equal(status, 200, JSON.stringify(body))
  return (body.rows as { result: string; issues?: { path: string; message: string }[] }[]).map(({ result, issues }) =>
    issues ? `${result} ${issues[0]!.path}` : result,
  )
}
async function report(shop: Shop, values: object = {}): Promise<OrderReport> {
  const { status, body } = await call('readReconciliation', shop, undefined, values)
  assert.equal(status, 200, JSON.stringify(body))
  return body as unknown as OrderReport
}

/** A Purchase with an order id, planned with one delivery to the shop's channel. */
async function purchase(
  { as, scriptId }: Shop,
  data: Record<string, unknown>,
  {
    trusted = false,
    eventId = `e-${data.orderId}`,
    ...delivery
  }: Partial<OrderDelivery> & { trusted?: boolean; eventId?: string } = {},
): Promise<string> {
  await makeEvent(control, as, eventId, { isPlanned: false, trusted, data })
  const place = (await stream.find(keys.team(as.teamId).eventKey(as.tagId, eventId, trusted)))!
  const facts = { receivedAt: now(), consent: { source: 'none' }, place: { source: 'unknown' } } as const
  const event = { eventName: 'Purchase', eventId, timestamp: now(), data }
  const of = purchaseFacts({ event, context: { trusted }, tag: as }, keys)!
  const deliveryId = deliveryIdOf({ ...place, receivedAt: now(), scriptId })
  const planned = { deliveryId, scriptId, providerId: 'eventSink', status: 'delivered', ...delivery } as const
  await store.journal.plan([
    {
      ...place,
      ...facts,
      tagId: as.tagId,
      eventName: 'Purchase',
      userId: 'usr_1',
      purchase: of,
      deliveries: [planned],
    },
  ])
  return eventId
}

describe('orders in', () => {
  test('the same call again changes nothing, and an older version replaces no newer one', async () => {
    const shop = await openShop()
    assert.deepEqual(await put(shop, {}, { orderId: '1002', aliases: [] }), ['created', 'created'])
    assert.deepEqual(await put(shop, {}, { orderId: '1002', aliases: [] }), ['unchanged', 'unchanged'])
    assert.deepEqual(await put(shop, { updatedAt: now(), status: 'refunded', refunded: 84.9 }), ['updated'])
    assert.deepEqual(await put(shop, { updatedAt: now() - 1, status: 'cancelled' }), ['unchanged'])
    const { body } = await call('readOrder', shop, undefined, { orderId: 'gid://shopify/Order/5566' })
    assert.deepEqual([body.orderId, body.status, body.refunded], ['#1001', 'refunded', 84.9])
  })

  test('of one order twice in a call the newer version is stored; of equal versions the last', async () => {
    const shop = await openShop()
    await put(shop, { updatedAt: now(), value: 2 }, { updatedAt: now() - 5, value: 1 })
    assert.equal((await call('readOrder', shop, undefined, { orderId: '1001' })).body.value, 2)
    await put(shop, { orderId: '7', aliases: [], value: 1 }, { orderId: '#7', aliases: [], value: 3 })
    assert.equal((await call('readOrder', shop, undefined, { orderId: '7' })).body.value, 3)
  })

  test('a bad row is refused with the path of what is wrong, and the others are stored', async () => {
    const shop = await openShop()
    const rows = [
      { currency: 'EURO' },
      { currency: 'XZY' },
      { value: -1 },
      { placedAt: now() + 2 * hour },
      { placedAt: now() - 401 * 24 * hour },
      { updatedAt: now() + 2 * hour },
      { refunded: 85 },
      { value: 1, currency: null },
      { orderId: ' # ' },
      { aliases: ['a\u0000b'] },
      { status: 'lost' as 'paid' },
      { orderId: 'good', aliases: [] },
    ]
    const fields = ['currency', 'currency', 'value', 'placedAt', 'placedAt', 'updatedAt', 'refunded', 'currency']
    const refused = [...fields, 'orderId', 'aliases.0', 'status'].map((path) => `refused ${path}`)
    assert.deepEqual(await put(shop, ...rows), [...refused, 'created'])
  })

  test('data about a person is refused with its path, and nothing of the call is stored', async () => {
    const shop = await openShop()
    for (const name of ['email', 'userEmail', 'phone', 'lastName', 'zip', 'ip']) {
      const body = [makeOrder(now()), { ...makeOrder(now(), { orderId: '2' }), [name]: 'jane@example.com' }]
      const { status, body: told } = await call('putOrders', shop, body)
      assert.equal(status, 400)
      assert.match(JSON.stringify(told), new RegExp(`"1.${name}"`))
      assert.doesNotMatch(JSON.stringify(told), /jane@/)
    }
    assert.equal((await report(shop)).orders.all, 0)
  })

  test('more than a thousand rows are refused with the limit, and so is a call without any', async () => {
    const shop = await openShop()
    const { status, body } = await call('putOrders', shop, Array(1_001).fill(makeOrder(now())))
    assert.equal(status, 400)
    assert.match(String(body.message), /1000/)
    assert.equal((await call('putOrders', shop, [])).status, 400)
  })

  test('two orders that claim one id: the first keeps it; another tag may have it too', async () => {
    const [shop, other] = [await openShop(), await openShop()]
    assert.deepEqual(await put(shop, {}), ['created'])
    const theirs = [
      { orderId: '5566', aliases: [] },
      { orderId: '2', aliases: ['1001'] },
    ]
    assert.deepEqual(await put(shop, ...theirs), ['refused orderId', 'refused aliases'])
    assert.deepEqual(await put(other, ...theirs), ['created', 'created'])
    const claim = [
      { orderId: '8', aliases: ['shared'] },
      { orderId: '9', aliases: ['shared'] },
    ]
    assert.deepEqual(await put(shop, ...claim), ['created', 'refused aliases'])
  })
})

describe('the report', () => {
  test('each order stands in the cell of its purchase, with what was received, its marks and the gap', async () => {
    const shop = await openShop()
    const { scriptId } = shop
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'pos', 'young']
    const data = (orderId: string, value = 84.9) => ({ orderId, value, currency: 'EUR' })
    await purchase(shop, data('#a'))
    await put(
      shop,
      ...ids.map((orderId) => ({
        ...{ orderId, aliases: [] },
        ...(orderId === 'pos' && { salesChannel: 'pos' }),
        ...(orderId === 'young' && { placedAt: now() - hour + 1, updatedAt: now() }),
      })),
    )
    await purchase(shop, data('a'), { trusted: true })
    await purchase(shop, data('b', 90), { trusted: true })
    await purchase(shop, data('c'), { status: 'skipped', reason: 'consent' })
    await purchase(shop, data('d'), { status: 'dead', reason: 'poison' })
    await purchase(shop, data('e'), { status: 'pending' })
    await purchase(shop, { value: 1, currency: 'SEK' }, { eventId: 'f' })
    await purchase(shop, data('stranger'))
    for (let again = 0; again < 2; again++) {
      const told = await report(shop, { to: now() + 1 })
      assert.deepEqual(told.orders, { all: 9, expected: 8, open: 1, outOfScope: 1 })
      assert.deepEqual(told.received, { browserOnly: 4, serverOnly: 1, both: 1, none: 1, unknownOrders: 1 })
      const [channel] = told.channels
      const { accepted, waiting, noEvent, open, valueDiffers, currencyDiffers, repeated, acceptance, gap } = channel!
      assert.deepEqual([accepted, waiting, noEvent, open], [3, 1, 1, 1])
      assert.deepEqual([channel!.explained.consent, channel!.failed.poison], [1, 1])
      assert.deepEqual([valueDiffers, currencyDiffers, repeated, acceptance], [1, 1, 1, 3 / 7])
      assert.deepEqual(gap, [{ currency: 'EUR', value: 339.6 }])
    }
    const list = async (cell: string) => {
      const { body } = await call('listOrders', shop, undefined, { cell, scriptId })
      return (body.orders as OrderRow[]).map(({ orderId }) => orderId)
    }
    assert.deepEqual(await list('noEvent'), ['g'])
    assert.deepEqual(await list('open'), ['young'])
    assert.deepEqual((await list('accepted,consent')).sort(), ['a', 'b', 'c', 'f'])
    assert.deepEqual(await list('expired'), [])
  })

  test('an order that is updated before it is created, and events before and after it, count once', async () => {
    const shop = await openShop()
    await put(shop, { updatedAt: now(), status: 'paid' })
    await put(shop, { updatedAt: now() - hour, status: 'placed' })
    await purchase(shop, { orderId: 1001, value: 84.9, currency: 'eur' })
    const { orders, channels } = await report(shop)
    assert.deepEqual([orders.all, channels[0]!.accepted, channels[0]!.currencyDiffers], [1, 1, 0])
  })

  test('an outcome outlives the journal: what retention deletes is still in the report', async () => {
    const shop = await openShop()
    await put(shop, {})
    await purchase(shop, { orderId: '1001', value: 84.9, currency: 'EUR' })
    assert.equal((await report(shop)).channels[0]!.accepted, 1)
    await put(shop, { orderId: 'later', aliases: [] })
    await control.clock.turn(31 * 24 * hour)
    const { dropAllExpired } = await import('#store/retention.fixture.ts')
    await dropAllExpired(store.journal, {
      ...{ journalMs: now(), failuresMs: now(), bodiesMs: now(), failedBodiesMs: now(), keptDeployments: 9 },
      ...{ hourlyRollupMs: 0, dailyRollupMs: 0 },
    })
    const range = { from: now() - 40 * 24 * hour, to: now() }
    assert.equal((await report(shop, range)).channels[0]!.accepted, 1)
    await put(shop, { placedAt: now() - 32 * 24 * hour, updatedAt: now(), status: 'refunded' })
    const told = await report(shop, range)
    assert.deepEqual([told.orders.all, told.channels[0]!.accepted, told.channels[0]!.noEvent], [2, 1, 1])
  })

  test('days are those of the shop, which sets its time zone, its channels and the age of open orders', async () => {
    const shop = await openShop()
    const { status, body } = await call('setReconciliation', shop, {
      ...{ timezone: 'Asia/Kathmandu', salesChannels: ['pos'], graceMs: 0, orderIdFrom: 'data.number' },
    })
    assert.deepEqual([status, body.timezone, body.statuses], [200, 'Asia/Kathmandu', ['placed', 'paid', 'refunded']])
    assert.equal((await call('setReconciliation', shop, { timezone: 'Mars/Olympus' })).status, 400)
    const midnight = Math.floor(now() / (24 * hour)) * 24 * hour - 48 * hour + 18.25 * hour
    const of = (orderId: string, placedAt: number) => ({ orderId, aliases: [], placedAt, salesChannel: 'pos' })
    await put(shop, of('before', midnight - 1), of('at', midnight), { orderId: 'web', aliases: [] })
    const { intervals, orders } = await report(shop)
    assert.deepEqual([orders.expected, orders.outOfScope], [2, 1])
    assert.deepEqual(
      intervals.map(({ from, orders: count }) => [from, count]),
      [
        [midnight - 24 * hour, 1],
        [midnight, 1],
      ],
    )
    const { settings } = (await store.tag(shop.as.tagId))!
    const event = { eventName: 'Purchase', eventId: 'e', timestamp: now(), data: { orderId: 'x', number: '42' } }
    const own = control.environments.production.snapshots.get(shop.as.tagId)!
    assert.deepEqual(own.reconciliation, settings.reconciliation)
    const { reconciliation: _, ...without } = own
    const hashOf = (of: typeof own, number: string) =>
      purchaseFacts({ event: { ...event, data: { number } }, context: { trusted: true }, tag: of }, keys)!.hash
    assert.equal(hashOf(own, '#42'), hashOf(own, '42'))
    assert.notEqual(hashOf(own, '42'), hashOf(without, '42'))
  })
})

describe('a repair', () => {
  const event = (orderId: string) => ({
    ...{ eventName: 'Purchase', eventId: `shop-${orderId}`, timestamp: now(), userEmail: 'jane@example.com' },
    data: { orderId, value: 84.9, currency: 'EUR' },
  })
  const keep = (shop: Shop, orderId: string) =>
    recordOrder(
      shop.as,
      makeOrder(now(), { orderId, aliases: [] }),
      { event: event(orderId), ip: '203.0.113.7' },
      control.environments.production,
    )
  const repair = async (shop: Shop, body: object) => {
    const range = { from: now() - 48 * hour, to: now() }
    const { status, body: told } = await call('repairOrders', shop, { ...range, cells: ['noEvent', 'failed'], ...body })
    assert.equal(status, 200, JSON.stringify(told))
    return told as unknown as OrderRepair
  }

  test('tells in a dry run what it would do, and then makes the Purchase and replays what failed', async () => {
    const shop = await openShop()
    await put(
      shop,
      { orderId: 'bare', aliases: [] },
      { orderId: 'dead', aliases: [] },
      { orderId: 'fine', aliases: [] },
    )
    await keep(shop, 'kept')
    await purchase(shop, { orderId: 'dead' }, { status: 'dead', reason: 'expired' })
    await purchase(shop, { orderId: 'fine' })
    const resultsOf = ({ orders }: OrderRepair) =>
      Object.fromEntries(orders.map(({ orderId, result }) => [orderId, result]))
    const tried = await repair(shop, { dryRun: true })
    assert.deepEqual(resultsOf(tried), { bare: 'noPayload', dead: 'refused', kept: 'sent' })
    const { scriptId } = shop
    assert.deepEqual(
      tried.orders.map(({ orderId, channels }) => [orderId, ...channels.map(({ reason }) => reason)]).sort(),
      [['bare'], ['dead', 'consent'], ['kept', 'consent']],
    )
    await callControl(control, 'updateTag', shop.as, {
      values: { tagId: shop.as.tagId },
      body: { consent: 'disabled' },
    })
    const agreed = await repair(shop, { dryRun: true, scriptId })
    assert.deepEqual(resultsOf(agreed), { bare: 'noPayload', dead: 'replayed', kept: 'sent' })
    assert.deepEqual((await store.replays.list(shop.as.tagId, { limit: 9 })).rows, [])
    const { replayId } = await repair(shop, { dryRun: false, cells: ['failed'] })
    assert.deepEqual((await store.replays.get(replayId!))!.filter.scriptIds, [scriptId])
    const key = keys.team(shop.as.teamId).eventKey(shop.as.tagId, 'shop-kept', true)
    assert.equal(await stream.find(key), undefined)
    await repair(shop, { dryRun: false, cells: ['noEvent'] })
    const place = (await stream.find(key))!
    const { payload } = (await stream.read(place.position))!
    const [part] = openRecord(payload, shop.as.tagId, shop.as.teamId, keys)
    const sent = part!.body as Record<string, unknown>
    assert.deepEqual([sent.timestamp, (sent.source as { name: string }).name], [now() - 24 * hour, 'reconciliation'])
    assert.deepEqual([part!.context.trusted, part!.context.ip], [true, '203.0.113.7'])
  })

  test('what a shop sent about a person is found by e-mail and erased with the person', async () => {
    const shop = await openShop()
    await keep(shop, 'kept')
    const { tagId } = shop.as
    const found = await call('findUser', shop, { email: 'JANE@example.com' })
    const [user] = found.body.users as { userId: string; isFromOrder?: true }[]
    assert.equal(user!.isFromOrder, true)
    assert.equal((await store.orders.payloads(tagId, ['kept'])).length, 1)
    const erased = await call('eraseUser', shop, undefined, { userId: user!.userId })
    assert.deepEqual([erased.status, erased.body.events], [200, 0])
    assert.deepEqual(await store.orders.payloads(tagId, ['kept']), [])
    assert.equal((await report(shop)).orders.all, 1)
  })
})
