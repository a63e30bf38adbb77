import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { WrittenOrder } from './orders.ts'
import { allPages, at, baseChanges, idOf, plannedEvent } from './store.fixture.ts'
import type { PlannedEvent, Store } from './store.ts'

const day = 86_400_000
/** Unused elsewhere, because a store keeps the first plan of a position. */
const firstPosition = 9_000_000

const order = (id: string, overrides: Partial<WrittenOrder> = {}): WrittenOrder => ({
  ...{ tagId: 'tag_1', id, orderId: `#${id}`, aliases: [`gid://shop/Order/${id}`], placedAt: at, updatedAt: at },
  ...{ status: 'paid', salesChannel: 'web', currency: 'EUR', value: 84.9, hashes: [`h-${id}`] },
  ...overrides,
})
const bytes = (text: string) => new Uint8Array(Buffer.from(text))

/** The laws of every store for orders. */
export function orderLaws(store: () => Store): void {
  describe('orders', () => {
    before(() => store().write(baseChanges))
    const put = (...rows: WrittenOrder[]) => store().write([{ put: 'orders', tagId: rows[0]!.tagId, rows }])
    const queries = () => store().queries('team_1')
    /** Reads by a query, which sees recent plans. */
    const find = async (id: string, tagId = 'tag_1') => {
      const [{ purchases: _, ...found } = { purchases: [] }] = await queries().ordersById(tagId, [id])
      return 'id' in found ? found : undefined
    }
    const byId = async (...ids: string[]) => queries().ordersById('tag_1', ids)
    const purchase = (place: number, hash: string, overrides: Partial<PlannedEvent> = {}) =>
      plannedEvent(firstPosition + place, {
        purchase: { hash, isFromBrowser: true, value: 84.9, net: 70, currency: 'EUR' },
        ...overrides,
      })
    const settle = async (id: string, outcome: string, tagId = 'tag_1') => {
      const { touched } = (await find(id, tagId))!
      await store().write([{ settle: 'orders', tagId, rows: [{ id, touched, outcome }] }])
    }

    test('an order is read as it was written, and the fields that it does not have are absent', async () => {
      const { hashes: _, ...whole } = order('1', {
        tax: 13.5,
        shipping: 4.9,
        discount: 1,
        refunded: 2,
        source: 'upload',
      })
      await put({ ...whole, hashes: ['h-1', 'h-1-alias'] })
      const stored = { ...whole, isSettled: false, touched: 0 }
      assert.deepEqual([await find('1'), ...(await store().orders.find('tag_1', ['1', 'none']))], [stored, stored])
      const { currency: __, value: ___, salesChannel: ____, ...bare } = order('2')
      await put(bare)
      assert.deepEqual(Object.keys((await find('2'))!).sort(), [
        ...['aliases', 'id', 'isSettled', 'orderId', 'placedAt', 'status', 'tagId', 'touched', 'updatedAt'],
      ])
      assert.deepEqual(
        await store().orders.owners('tag_1', ['h-1', 'h-1-alias', 'h-none']),
        new Map([
          ['h-1', '1'],
          ['h-1-alias', '1'],
        ]),
      )
      assert.deepEqual(await store().orders.owners('tag_2', ['h-1']), new Map())
    })

    test('an older version never replaces a newer one, whatever order they come in', async () => {
      await put(order('3', { updatedAt: at + 2, status: 'refunded' }))
      await put(order('3', { updatedAt: at + 1, status: 'paid' }))
      assert.equal((await find('3'))!.status, 'refunded')
      await put(order('3', { updatedAt: at + 2, status: 'cancelled' }))
      assert.equal((await find('3'))!.status, 'cancelled')
    })

    test('an id belongs to the order that had it first', async () => {
      await put(order('4', { hashes: ['h-4', 'h-shared'] }))
      await put(order('5', { hashes: ['h-5', 'h-shared'] }))
      assert.equal((await store().orders.owners('tag_1', ['h-shared'])).get('h-shared'), '4')
    })

    test('purchases belong to their order, whichever came first, by order id before event id', async () => {
      await store().journal.plan([purchase(1, 'h-6'), purchase(2, 'h-none', { purchase: facts('h-other', 'h-6') })])
      await put(order('6'))
      await store().journal.plan([purchase(3, 'h-6', { deliveries: [] }), purchase(4, 'h-6', { tagId: 'tag_2' })])
      const [found] = await byId('6')
      assert.deepEqual(
        found!.purchases.map(({ position }) => position - firstPosition),
        [1, 2, 3],
      )
      const { deliveries, ...first } = found!.purchases[0]!
      assert.deepEqual(first, {
        ...{ position: firstPosition + 1, index: 0, receivedAt: at + firstPosition + 1 },
        ...{ isFromBrowser: true, value: 84.9, net: 70, currency: 'EUR' },
      })
      assert.deepEqual(
        deliveries.sort((one, other) => one.scriptId.localeCompare(other.scriptId)),
        ['scr_1', 'scr_2'].map((scriptId) => ({ scriptId, status: 'pending', attempts: 0 })),
      )
      await put(order('6b', { hashes: ['h-other'] }))
      assert.deepEqual(
        (await byId('6', '6b')).map(({ purchases }) => purchases.map(({ position }) => position - firstPosition)),
        [[1, 3], [2]],
      )
    })

    test('an outcome is stored unless something has touched the order meanwhile', async () => {
      await put(order('7'))
      await settle('7', 'n|')
      assert.equal((await find('7'))!.outcome, 'n|')
      assert.ok((await find('7'))!.isSettled)
      const { touched } = (await find('7'))!
      await store().journal.plan([purchase(5, 'h-7')])
      assert.equal((await find('7'))!.isSettled, false)
      await store().write([{ settle: 'orders', tagId: 'tag_1', rows: [{ id: '7', touched, outcome: 'b|scr_1=a' }] }])
      const stale = (await find('7'))!
      assert.deepEqual([stale.isSettled, stale.outcome], [false, 'n|'])
    })

    test('a replayed delivery, and another version of the order, make it unsettled', async () => {
      await put(order('8'))
      await store().journal.plan([purchase(6, 'h-8')])
      await store().journal.settle([
        { deliveryId: idOf(firstPosition + 6, 0, 'scr_1'), status: 'dead', reason: 'expired', tagId: 'tag_1' },
      ])
      await settle('8', 'b|scr_1=x')
      const place = { tagId: 'tag_1', position: firstPosition + 6, index: 0, scriptId: 'scr_1' }
      await store().journal.replay([
        { ...place, deliveryId: idOf(firstPosition + 6, 0, 'scr_1'), providerId: 'eventSink', nextAt: at },
      ])
      assert.equal((await find('8'))!.isSettled, false)
      await settle('8', 'b|scr_1=a')
      await put(order('8', { updatedAt: at + 5 }))
      assert.equal((await find('8'))!.isSettled, false)
    })

    test('settled orders are counted by whatever the report tells apart', async () => {
      const tagId = 'tag_3'
      const own = (id: string, placedAt: number, more: Partial<WrittenOrder> = {}) =>
        order(id, { tagId, placedAt, ...more })
      const quarter = Math.floor(at / 900_000) * 900_000
      await put(own('a', quarter), own('b', quarter + 1), own('c', quarter + 900_000), own('d', quarter, { value: 1 }))
      await put(own('e', quarter + 2), own('f', quarter + day))
      for (const id of ['a', 'b', 'c', 'f']) await settle(id, 'b|scr_1=a', tagId)
      await settle('d', 'n|', tagId)
      const range = { fromMs: quarter, toMs: quarter + day, openAfter: quarter + 1 }
      const groups = await queries().orderGroups(tagId, range)
      const shown = groups.map(({ outcome, isOpen, count, value }) => [outcome, isOpen, count, value])
      assert.deepEqual(
        shown.sort((one, other) => String(one).localeCompare(String(other))),
        [
          ['b|scr_1=a', false, 2, 169.8],
          ['b|scr_1=a', true, 1, 84.9],
          ['n|', false, 1, 1],
        ],
      )
      const waiting = await queries().orders(tagId, { ...range, isUnsettled: true }, { limit: 10 })
      assert.deepEqual(
        waiting.rows.map(({ id }) => id),
        ['e'],
      )
    })

    test('are listed newest first in pages, and by their outcome; unsettled ones are in every list', async () => {
      const range = { fromMs: 0, toMs: at + 9 * day }
      const list = async (outcomes?: string[]) =>
        (await allPages(2, (page) => queries().orders('tag_3', { ...range, ...(outcomes && { outcomes }) }, page))).map(
          ({ id }) => id,
        )
      assert.deepEqual(await list(), ['f', 'c', 'e', 'b', 'd', 'a'])
      assert.deepEqual(await list(['n|%']), ['e', 'd'])
      assert.deepEqual(await list(['n|%', '%scr_1=a%']), ['f', 'c', 'e', 'b', 'd', 'a'])
    })

    test('order ids of purchases that no order has are counted once each', async () => {
      const tagId = 'tag_4'
      const of = (place: number, hash: string) => purchase(place, hash, { tagId })
      await store().journal.plan([of(20, 'h-x'), of(21, 'h-x'), of(22, 'h-y'), of(23, 'h-z')])
      await put(order('z', { tagId }))
      const range = { fromMs: at + firstPosition, toMs: at + firstPosition + 22 }
      assert.equal(await queries().unknownOrders(tagId, range), 1)
      assert.equal(await queries().unknownOrders(tagId, { ...range, toMs: at + firstPosition + 99 }), 2)
    })

    test('payloads are kept until they are old, and those of a person are erased, those of the tag alone', async () => {
      const payload = (id: string, people: string[], tagId = 'tag_1') => ({ tagId, id, at, sealed: bytes(id), people })
      const ids = async (tagId = 'tag_1') =>
        (await store().orders.payloads(tagId, ['p1', 'p2', 'p3'])).map(({ id }) => id).sort()
      const add = (...rows: ReturnType<typeof payload>[]) =>
        store().write([{ add: 'orderPayloads', tagId: rows[0]!.tagId, rows }])
      await add(payload('p1', ['jane', 'usr_1']), payload('p2', ['joe']))
      await add(payload('p1', ['jane'], 'tag_2'))
      await add(payload('p2', ['joe', 'ann']))
      assert.deepEqual(await store().orders.payloads('tag_1', ['p2']), [payload('p2', ['ann', 'joe'])])
      const of = async (...people: string[]) =>
        (await store().orders.payloadsOf('tag_1', people, 5)).map(({ id }) => id)
      assert.deepEqual([await of('jane', 'joe'), await of('ann'), await of('nobody')], [['p1', 'p2'], ['p2'], []])
      await store().write([{ erase: 'orderPayloads', tagId: 'tag_1', people: ['jane', 'nobody'] }])
      assert.deepEqual([await ids(), await ids('tag_2')], [['p2'], ['p1']])
      const old = { tagId: 'tag_1', placedBefore: 0, payloadsBefore: at + 1 }
      assert.deepEqual(
        [await store().orders.hasOlder({ ...old, payloadsBefore: at }), await store().orders.hasOlder(old)],
        [false, true],
      )
      await store().write([{ drop: 'orders', ...old }])
      assert.deepEqual([await ids(), await ids('tag_2'), await store().orders.hasOlder(old)], [[], ['p1'], false])
    })

    test('tags with orders are found in order; old orders go with their ids', async () => {
      const tags: string[] = []
      for (let next = await store().orders.nextTag(''); next; next = await store().orders.nextTag(next)) tags.push(next)
      assert.deepEqual(tags, ['tag_1', 'tag_2', 'tag_3', 'tag_4'])
      await put(order('old', { placedAt: at - 500 * day }))
      const old = { tagId: 'tag_1', placedBefore: at - 400 * day, payloadsBefore: 0 }
      assert.ok(await store().orders.hasOlder(old))
      await store().write([{ drop: 'orders', ...old }])
      assert.deepEqual([await find('old'), await store().orders.hasOlder(old)], [undefined, false])
      assert.deepEqual(await store().orders.owners('tag_1', ['h-old', 'h-1']), new Map([['h-1', '1']]))
    })

    test('of a deleted tag are gone', async () => {
      await store().write([{ add: 'tag', row: { ...baseTag(), tagId: 'tag_9', name: 'gone' } }])
      await put(order('gone', { tagId: 'tag_9' }))
      await store().write([{ drop: 'tag', tagId: 'tag_9' }])
      assert.equal(await find('gone', 'tag_9'), undefined)
      assert.deepEqual(await store().orders.owners('tag_9', ['h-gone']), new Map())
    })
  })
}

const facts = (hash: string, eventHash: string) => ({ hash, eventHash, isFromBrowser: false })
const baseTag = () => {
  const change = baseChanges.find((each) => 'add' in each && each.add === 'tag')
  return (change as Extract<typeof change, { add: 'tag' }>).row
}
