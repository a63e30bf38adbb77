import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { OrderStatus } from '#contract/order.ts'
import type { PageRequest, ResultPage } from './cursor.ts'

/** How long what a shop sent about an order is kept, to make a Purchase of it. */
export const keptPayloadsMs = 7 * 86_400_000

/** An order of a shop. `id`: its order id as ids are compared. It has no data about a person. Times are epoch ms. */
export type OrderRecord = {
  tagId: string
  id: string
  orderId: string
  aliases: readonly string[]
  placedAt: number
  updatedAt: number
  status: OrderStatus
  salesChannel?: string
  currency?: string
  value?: number
  tax?: number
  shipping?: number
  discount?: number
  refunded?: number
  source?: string
}
/** An order that is written. `hashes`: the keyed fingerprints of its id and its aliases. */
export type WrittenOrder = OrderRecord & { hashes: readonly string[] }

/**
 * An order as it is stored. `outcome`: what became of it in each channel (`order/outcome.ts`); it is current if the order is
 * settled. `touched` counts what may have changed the outcome.
 */
export type StoredOrder = OrderRecord & { isSettled: boolean; outcome?: string; touched: number }

/** A Purchase of an order, and its deliveries. `net`: its value without tax and shipping. */
export type OrderPurchase = {
  position: number
  index: number
  receivedAt: number
  isFromBrowser: boolean
  value?: number
  net?: number
  currency?: string
  deliveries: OrderDelivery[]
}
export type OrderDelivery = { scriptId: string; status: DeliveryStatus; reason?: DeliveryReason; attempts: number }
export type OrderWithPurchases = StoredOrder & { purchases: OrderPurchase[] }

/** What a Purchase says of its order. `eventHash`: the fingerprint of its event id, where that may be the id of the order. */
export type PurchaseFacts = Pick<OrderPurchase, 'isFromBrowser' | 'value' | 'net' | 'currency'> & {
  hash: string
  eventHash?: string
}

/** Settled orders that are alike. */
export type OrderGroup = {
  status: OrderStatus
  salesChannel?: string
  currency?: string
  outcome: string
  isOpen: boolean
  count: number
  value: number
}

/** Orders by the time when they were placed, from `fromMs` until before `toMs`. */
export type OrderRange = { fromMs: number; toMs: number }

/** `outcomes`: patterns of LIKE; a settled order matches one of them. `isUnsettled`: unsettled orders alone. */
export type OrderFilter = OrderRange & { outcomes?: readonly string[]; isUnsettled?: true }

/** What a shop sent about an order, sealed. `people`: the keyed fingerprints of whom it names. */
export type OrderPayload = { tagId: string; id: string; at: number; sealed: Uint8Array; people: readonly string[] }

/** The slow reads of orders. */
export type OrderQueries = {
  /** The settled orders of a range. An order that was placed after `openAfter` is open. */
  orderGroups(tagId: string, range: OrderRange & { openAfter: number }): Promise<OrderGroup[]>
  /** Newest first; each with its purchases. */
  orders(tagId: string, filter: OrderFilter, page: PageRequest): Promise<ResultPage<OrderWithPurchases>>
  /** The orders with these ids, with their purchases. */
  ordersById(tagId: string, ids: readonly string[]): Promise<OrderWithPurchases[]>
  /** The order ids of Purchase events of this range that no order has. */
  unknownOrders(tagId: string, range: OrderRange): Promise<number>
}

/** The orders of a tag that were placed before a time, and its payloads that were stored before one. */
export type OldOrders = { tagId: string; placedBefore: number; payloadsBefore: number }

export type OrderStore = {
  /** Which order has each of these fingerprints of ids. */
  owners(tagId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** The orders with these ids. */
  find(tagId: string, ids: readonly string[]): Promise<StoredOrder[]>
  payloads(tagId: string, ids: readonly string[]): Promise<OrderPayload[]>
  /** At most `limit` payloads that name one of these people. */
  payloadsOf(tagId: string, people: readonly string[], limit: number): Promise<OrderPayload[]>
  /** The tag that follows this one, in the order of ids, among those with orders or payloads. `''` comes before all. */
  nextTag(after: string): Promise<string | undefined>
  /** Whether the tag has orders that were placed before a time, or payloads that were stored before one. */
  hasOlder(of: OldOrders): Promise<boolean>
}

/** The changes of orders. */
export type OrderChange =
  /** Adds orders, and replaces those that are not newer. All are of one tag. */
  | { put: 'orders'; tagId: string; rows: readonly WrittenOrder[] }
  /** Stores the outcomes of orders that nothing has touched meanwhile. */
  | { settle: 'orders'; tagId: string; rows: readonly Required<Pick<StoredOrder, 'id' | 'touched' | 'outcome'>>[] }
  | { add: 'orderPayloads'; tagId: string; rows: readonly OrderPayload[] }
  /** Deletes the payloads that name one of these people. */
  | { erase: 'orderPayloads'; tagId: string; people: readonly string[] }
  /** Deletes some hundred of the old orders and payloads. */
  | ({ drop: 'orders' } & OldOrders)
