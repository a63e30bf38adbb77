import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { OrderStatus } from '#contract/order.ts'
import type { PageRequest, ResultPage } from './cursor.ts'

/** How long the data of a shop about an order is kept, to create a Purchase from it. */
export const keptPayloadsMs = 7 * 86_400_000

/** An order of a shop. `id`: its normalized order id. It has no personal data. Times are epoch ms. */
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
/** An order to write. `hashes`: the keyed fingerprints of its id and aliases. */
export type WrittenOrder = OrderRecord & { hashes: readonly string[] }

/**
 * A stored order. `outcome`: its result in each channel (`order/outcome.ts`); up to date if the order is settled.
 * `touched` counts the changes that may affect the outcome.
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

/**
 * The data of a Purchase about its order. `eventHash`: the fingerprint of its event id, if that may be the id of the
 * order.
 */
export type PurchaseFacts = Pick<OrderPurchase, 'isFromBrowser' | 'value' | 'net' | 'currency'> & {
  hash: string
  eventHash?: string
}

/** Settled orders with equal properties. */
export type OrderGroup = {
  status: OrderStatus
  salesChannel?: string
  currency?: string
  outcome: string
  isOpen: boolean
  count: number
  value: number
}

/** Orders that were placed from `fromMs` until before `toMs`. */
export type OrderRange = { fromMs: number; toMs: number }

/** `outcomes`: LIKE patterns; a settled order must match one of them. `isUnsettled`: only unsettled orders. */
export type OrderFilter = OrderRange & { outcomes?: readonly string[]; isUnsettled?: true }

/** The sealed data of a shop about an order. `people`: the keyed fingerprints of the people in it. */
export type OrderPayload = { tagId: string; id: string; at: number; sealed: Uint8Array; people: readonly string[] }

/** The slow reads of orders. */
export type OrderQueries = {
  /** The settled orders of a range. An order that was placed after `openAfter` counts as open. */
  orderGroups(tagId: string, range: OrderRange & { openAfter: number }): Promise<OrderGroup[]>
  /** Newest first; each with its purchases. */
  orders(tagId: string, filter: OrderFilter, page: PageRequest): Promise<ResultPage<OrderWithPurchases>>
  /** The orders with these ids, with their purchases. */
  ordersById(tagId: string, ids: readonly string[]): Promise<OrderWithPurchases[]>
  /** The number of order ids in Purchase events of this range for which no order exists. */
  unknownOrders(tagId: string, range: OrderRange): Promise<number>
}

/** Selects the orders of a tag that were placed before a time, and its payloads that were stored before a time. */
export type OldOrders = { tagId: string; placedBefore: number; payloadsBefore: number }

export type OrderStore = {
  /** The id of the order that has each of these fingerprints. */
  owners(tagId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** The orders with these ids. */
  find(tagId: string, ids: readonly string[]): Promise<StoredOrder[]>
  payloads(tagId: string, ids: readonly string[]): Promise<OrderPayload[]>
  /** At most `limit` payloads about one of these people. */
  payloadsOf(tagId: string, people: readonly string[], limit: number): Promise<OrderPayload[]>
  /** The next tag, by id, with orders or payloads. `''` comes before all tags. */
  nextTag(after: string): Promise<string | undefined>
  /** Whether the tag has orders that were placed before a time, or payloads that were stored before one. */
  hasOlder(of: OldOrders): Promise<boolean>
}

/** The changes of orders. */
export type OrderChange =
  /** Adds orders, and replaces stored ones that are not newer. All are of one tag. */
  | { put: 'orders'; tagId: string; rows: readonly WrittenOrder[] }
  /** Stores the outcomes of orders that have not been touched since. */
  | { settle: 'orders'; tagId: string; rows: readonly Required<Pick<StoredOrder, 'id' | 'touched' | 'outcome'>>[] }
  | { add: 'orderPayloads'; tagId: string; rows: readonly OrderPayload[] }
  /** Deletes the payloads about any of these people. */
  | { erase: 'orderPayloads'; tagId: string; people: readonly string[] }
  /** Deletes some hundred old orders and payloads. */
  | ({ drop: 'orders' } & OldOrders)
