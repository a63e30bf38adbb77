import type { Keyring } from '#account/keyring.ts'
import type { OrderResult, OrderWrite } from '#contract/order.ts'
import { orderHash } from '#event/orderHash.ts'
import type { Clock } from '#kit/clock.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import { periodicYield } from '#kit/yieldToEventLoop.ts'
import type { OrderRecord, StoredOrder, WrittenOrder } from '#store/orders.ts'
import type { Snapshot } from '#store/snapshot.ts'
import type { Store } from '#store/store.ts'
import { type OrderPurchasePayload, sealPayload } from './payload.ts'
import { readOrder, refusePersonalFields, refuseWrongCount } from './readOrders.ts'

export type RecordOrdersDeps = { clock: Clock; keys: Keyring; store: Pick<Store, 'write' | 'orders'> }
type OrderTag = Pick<Snapshot, 'tagId' | 'teamId'>

/** Writes to one tag are serialised, so that each one sees the order ids of the previous one. */
const withLock = keyedMutex()

type Draft = { at: number; record: OrderRecord; hashes: readonly string[] }

const hashesOf = (tag: OrderTag, { id, aliases }: OrderRecord, keys: Keyring): string[] => [
  ...new Set([id, ...aliases].flatMap((name) => orderHash(tag, name, keys) ?? [])),
]

/** The newest row of each order in a call; of equally new ones the last. */
function newestOfEach(drafts: readonly Draft[]): Draft[] {
  const newest = new Map<string, Draft>()
  for (const draft of drafts) {
    const other = newest.get(draft.record.id)
    if (!other || other.record.updatedAt <= draft.record.updatedAt) newest.set(draft.record.id, draft)
  }
  return [...newest.values()].sort((one, other) => one.at - other.at)
}

const fields = [
  ...(['orderId', 'placedAt', 'updatedAt', 'status', 'salesChannel', 'currency', 'value'] as const),
  ...(['tax', 'shipping', 'discount', 'refunded', 'source'] as const),
]
const isSame = (one: StoredOrder, other: OrderRecord) =>
  fields.every((name) => one[name] === other[name]) && JSON.stringify(one.aliases) === JSON.stringify(other.aliases)

/**
 * The change that a row makes, or the order whose id it claims. `owners`: the order of each fingerprint; the row's ids
 * are added to it.
 */
function judge(
  { record, hashes }: Draft,
  stored: StoredOrder | undefined,
  owners: Map<string, string>,
): Omit<OrderResult, 'orderId'> {
  const other = hashes.map((hash) => owners.get(hash)).find((owner) => owner !== undefined && owner !== record.id)
  if (other !== undefined) {
    const isOwn = owners.get(hashes[0]!) === undefined || owners.get(hashes[0]!) === record.id
    return {
      result: 'refused',
      issues: [{ path: isOwn ? 'aliases' : 'orderId', message: `the order ${other} already has this id` }],
    }
  }
  for (const hash of hashes) owners.set(hash, record.id)
  if (!stored) return { result: 'created' }
  if (stored.updatedAt > record.updatedAt || isSame(stored, record)) return { result: 'unchanged' }
  return { result: 'updated' }
}

/**
 * Stores orders of a tag and returns the result of each row. An older version never replaces a newer one. If two orders
 * claim an id, the first keeps it. Throws badRequest for personal data.
 */
export async function recordOrders(
  tag: OrderTag,
  rows: readonly unknown[],
  { clock, keys, store }: RecordOrdersDeps,
): Promise<{ results: OrderResult[]; written: string[] }> {
  refuseWrongCount(rows)
  refusePersonalFields(rows)
  const { tagId } = tag
  const yieldPeriodically = periodicYield(clock)
  const results: OrderResult[] = []
  const drafts: Draft[] = []
  for (const [at, row] of rows.entries()) {
    const { orderId, ...read } = readOrder(row, clock.now())
    results.push({
      orderId,
      ...(read.issues ? { result: 'refused', issues: [...read.issues] } : { result: 'unchanged' }),
    })
    if (!read.issues) {
      const record = { ...read.order, tagId }
      drafts.push({ at, record, hashes: hashesOf(tag, record, keys) })
    }
    await yieldPeriodically()
  }
  if (drafts.length === 0) return { results, written: [] }
  return withLock(tagId, async () => {
    const newest = newestOfEach(drafts)
    const ids = newest.map(({ record }) => record.id)
    const owners = new Map(
      await store.orders.owners(
        tagId,
        newest.flatMap(({ hashes }) => hashes),
      ),
    )
    const stored = new Map((await store.orders.find(tagId, ids)).map((each) => [each.id, each]))
    const written: WrittenOrder[] = []
    for (const draft of newest) {
      const judged = judge(draft, stored.get(draft.record.id), owners)
      results[draft.at] = { ...results[draft.at]!, ...judged }
      if (judged.result === 'created' || judged.result === 'updated')
        written.push({ ...draft.record, hashes: draft.hashes })
    }
    if (written.length > 0) await store.write([{ put: 'orders', tagId, rows: written }])
    return { results, written: written.map(({ id }) => id) }
  })
}

/**
 * Stores one order of a connector. The Purchase that the shop would send is stored with it for seven days: a repair
 * sends it if the tag got no event of the order.
 */
export async function recordOrder(
  tag: OrderTag,
  order: OrderWrite,
  payload: OrderPurchasePayload | undefined,
  deps: RecordOrdersDeps,
): Promise<OrderResult> {
  const { results } = await recordOrders(tag, [order], deps)
  const result = results[0]!
  if (payload && result.result !== 'refused') {
    const row = sealPayload(tag, order.orderId, payload, deps)
    await deps.store.write([{ add: 'orderPayloads', tagId: tag.tagId, rows: [row] }])
  }
  return result
}
