import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import type { OrderRepair, OrderReport, OrderRow } from '#contract/order.ts'
import { sealSecret } from '../../src/cli/sealSecret.ts'
import { call, makeCustomer, makeScript, openAglet, sinkAt, until } from '../fake/aglet.ts'
import { type FakeOrder, fakeOrder, shopifyOrderJson, shopifyWebhook } from '../fake/shop.ts'
import { openVendor } from '../fake/vendor.ts'

/**
 * A shop's day: 500 orders, of which some page scripts are blocked, some buyers refuse consent, a vendor answers 400 to some
 * and 500 once to others, and for an hour no webhook arrives. The oracle is the shop's own list and the vendor's access log.
 */
const count = 500
const hour = 3_600_000
/** A number from 0 to 99 for an order and a question, the same in each run. */
const lotOf = (id: string, question: string) => createHash('md5').update(`${question} ${id}`).digest()[0]! % 100

type Sold = {
  order: FakeOrder
  isBlocked: boolean
  isRefused: boolean
  isOff: boolean
  isBad: boolean
  isFlaky: boolean
}
const day = Date.now() - 6 * hour
const sold: Sold[] = Array.from({ length: count }, (_, n) => {
  const id = `${700_000 + n}`
  const placedAt = day + Math.floor((n * 5 * hour) / count)
  const isRefused = lotOf(id, 'refuses') < 15
  const visitor = `usr_${id}`
  const consent = JSON.stringify({ analytics: !isRefused, marketing: !isRefused })
  const attributes: Record<string, string> = isRefused
    ? { _aglet_consent: consent }
    : { _aglet_user: visitor, _aglet_consent: consent }
  return {
    order: fakeOrder({
      id,
      number: `${n + 1}`.padStart(4, '0'),
      placedAt,
      ip: '203.0.113.7',
      userAgent: 'Mozilla/5.0',
      attributes,
    }),
    isRefused,
    isBlocked: lotOf(id, 'blocks') < 20,
    isOff: placedAt >= day + 2 * hour && placedAt < day + 3 * hour,
    isBad: lotOf(id, 'bad') < 5,
    isFlaky: lotOf(id, 'flaky') >= 90,
  }
})
const byNumber = new Map(sold.flatMap((each) => [[each.order.number, each] as const, [each.order.id, each] as const]))

/** Each request to the vendor: the order, and the answer. */
const log: { orderId: string; status: number }[] = []
const vendor = await openVendor(({ json }) => {
  const { payload } = json as { payload: { eventName: string; data: { orderId: string } } }
  if (payload.eventName !== 'Purchase') return {}
  const each = byNumber.get(payload.data.orderId)!
  const isFirst = !log.some(({ orderId }) => orderId === each.order.number)
  const status = each.isBad ? 400 : each.isFlaky && isFirst ? 500 : 200
  log.push({ orderId: each.order.number, status })
  return { status }
})
after(vendor.close)
const aglet = await openAglet('orders-of-a-day', { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_RATE_LIMIT: '6000' })
const customer = await makeCustomer(aglet, 'day')
const { tagId, tagUrl } = customer
const shop = { shop: 'potter.myshopify.com', key: 'shpss_0123456789abcdef0123456789' }
const secrets = [
  await sealSecret({
    ...customer,
    team: customer.teamId,
    provider: 'shopify',
    variable: 'WEBHOOK_KEY',
    type: 'PASSWORD',
    value: shop.key,
  }),
]
const shops = [{ source: 'shopify', shop: shop.shop, joinMs: 2_000, secrets }]
assert.equal((await call(customer, 'PUT', `/tag/${tagId}`, { sources: ['shopify'], shops })).status, 200)
const scriptId = await makeScript(customer, 'eventSink', 'vendor', sinkAt(vendor.url))
const range = `from=${day - hour}&to=${day + 6 * hour}`

async function deliver(topic: string, order: FakeOrder) {
  const { headers, body } = shopifyWebhook(shop, topic, shopifyOrderJson(order))
  const got = await fetch(`${tagUrl}/shopify/webhook`, { method: 'POST', headers, body })
  assert.equal(got.status, 200, await got.text())
}
async function showPixel({ order }: Sold) {
  const checkout = { token: order.token, order: { id: order.id }, totalPrice: { amount: 119, currencyCode: 'EUR' } }
  const events = ['checkout_started', 'checkout_completed'].map((name) => ({
    id: `${name}-${order.id}`,
    name,
    data: { checkout },
  }))
  const body = JSON.stringify({ userId: `usr_${order.id}`, consent: { analytics: true, marketing: true }, events })
  assert.equal(
    (await fetch(`${tagUrl}/shopify/pixel`, { method: 'POST', headers: { origin: 'null' }, body })).status,
    200,
  )
}
const report = async () => (await call<OrderReport>(customer, 'GET', `/tag/${tagId}/reconciliation?${range}`)).body

/** Every order of the report. */
async function listOrders(): Promise<OrderRow[]> {
  const rows: OrderRow[] = []
  let cursor: string | undefined
  do {
    const next = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { body } = await call<{ orders: OrderRow[]; next?: string }>(
      customer,
      'GET',
      `/tag/${tagId}/order?${range}&limit=200${next}`,
    )
    rows.push(...body.orders)
    cursor = body.next
  } while (cursor !== undefined)
  return rows
}

/** The expected cell of an order, by the shop's list and the vendor's log only. */
function cellOf({ order, isRefused }: Sold): string {
  const answers = log.filter(({ orderId }) => orderId === order.number)
  if (answers.some(({ status }) => status === 200)) return 'accepted'
  if (answers.some(({ status }) => status === 400)) return 'payloadRefused'
  return isRefused ? 'consent' : 'noEvent'
}
const isBrowserSeen = ({ isBlocked, isRefused }: Sold) => !isBlocked && !isRefused
/** Every other page event arrives before its webhook. */
const isPageFirst = ({ order }: Sold) => Number(order.id) % 2 === 0
/** A page event after its webhook is a duplicate, which the intake refuses. */
function receivedOf(each: Sold): OrderRow['received'] {
  if (each.isOff) return isBrowserSeen(each) ? 'browserOnly' : 'none'
  return isBrowserSeen(each) && isPageFirst(each) ? 'both' : 'serverOnly'
}

const inBatches = async <Item>(items: readonly Item[], act: (item: Item) => Promise<void>) => {
  for (let at = 0; at < items.length; at += 20) await Promise.all(items.slice(at, at + 20).map(act))
}

test('every order of a day of a shop stands in the cell that the shop’s list and the vendor’s log say', async () => {
  await inBatches(sold, async (each) => {
    const isFirst = isPageFirst(each)
    if (isFirst && isBrowserSeen(each)) await showPixel(each)
    if (!each.isOff) await deliver('orders/create', each.order)
    if (!isFirst && isBrowserSeen(each)) await showPixel(each)
  })
  // the webhooks are back: for the orders of that hour, only later changes arrive
  await inBatches(
    sold.filter(({ isOff }) => isOff),
    ({ order }) => deliver('orders/updated', { ...order, updatedAt: order.placedAt + hour }),
  )
  await until(async () => {
    const { channels } = await report()
    return channels[0]?.waiting === 0
  }, 120_000)
  const { orders, received, channels } = await report()
  assert.deepEqual([orders.all, orders.expected, orders.open], [count, count, 0])
  const expected = Map.groupBy(sold, receivedOf)
  for (const name of ['both', 'browserOnly', 'serverOnly', 'none'] as const)
    assert.equal(received[name], expected.get(name)?.length ?? 0, name)
  const rows = new Map((await listOrders()).map((row) => [row.orderId, row]))
  assert.equal(rows.size, count)
  for (const each of sold) {
    const row = rows.get(each.order.number)!
    const cell = row.states.find((state) => state.scriptId === scriptId)?.cell ?? 'noEvent'
    const isMissing = each.isOff && !isBrowserSeen(each)
    assert.equal(
      cell,
      isMissing ? 'noEvent' : cellOf(each),
      `${each.order.number} ${JSON.stringify(each)} ${JSON.stringify(row)}`,
    )
  }
  const accepted = new Set(log.filter(({ status }) => status === 200).map(({ orderId }) => orderId))
  assert.equal(channels[0]!.accepted, accepted.size)
  assert.equal(log.filter(({ status }) => status === 200).length, accepted.size, 'no order is accepted twice')
})

test('a repair sends the missing orders to the vendor, with consent, and nothing twice', async () => {
  const missing = sold.filter((each) => each.isOff && !isBrowserSeen(each))
  const before = log.length
  const repair = async (dryRun: boolean) => {
    const repaired: OrderRepair['orders'] = []
    let cursor: string | undefined
    do {
      const asked = {
        from: day - hour,
        to: day + 6 * hour,
        cells: ['noEvent'],
        dryRun,
        ...(cursor !== undefined && { cursor }),
      }
      const got = await call<OrderRepair>(customer, 'POST', `/tag/${tagId}/reconciliation/repair`, asked)
      assert.equal(got.status, 200, JSON.stringify(got.body))
      repaired.push(...got.body.orders)
      cursor = got.body.next
    } while (cursor !== undefined)
    return repaired
  }
  const tried = await repair(true)
  assert.deepEqual(
    new Set(tried.map(({ orderId, result }) => `${orderId} ${result}`)),
    new Set(missing.map(({ order }) => `${order.number} sent`)),
  )
  assert.equal(log.length, before)
  await repair(false)
  await until(async () => (await report()).channels[0]?.waiting === 0 && (await report()).received.none === 0, 60_000)
  const rows = new Map((await listOrders()).map((row) => [row.orderId, row]))
  for (const each of missing)
    assert.equal(rows.get(each.order.number)!.states[0]?.cell, cellOf(each), each.order.number)
  const sent = missing.filter(({ isRefused, isBad }) => !isRefused && !isBad)
  assert.ok(sent.length > 5)
  for (const { order } of sent)
    assert.equal(
      log.filter(({ orderId, status }) => orderId === order.number && status === 200).length,
      1,
      order.number,
    )
  // the late webhooks of the hour are duplicates of repaired orders
  const accepted = log.filter(({ status }) => status === 200).length
  await inBatches(
    sold.filter(({ isOff }) => isOff),
    ({ order }) => deliver('orders/create', order),
  )
  await until(async () => (await report()).channels[0]?.waiting === 0, 60_000)
  assert.equal(log.filter(({ status }) => status === 200).length, accepted)
})
