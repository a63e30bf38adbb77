import type { OrderRow, OrderStatus } from '#contract/order.ts'
import type { OrderCell } from '#contract/orderCells.ts'
import { list, plural } from '../format.ts'

const cells: Record<OrderCell, string> = {
  accepted: 'accepted',
  waiting: 'waiting',
  payloadRefused: 'refused by the vendor',
  keyRejected: 'key rejected',
  vendorDown: 'vendor down',
  expired: 'expired',
  poison: 'crashes the worker',
  consent: 'no consent',
  region: 'other region',
  notSelected: 'not selected',
  filtered: 'filtered',
  identityMissing: 'buyer unknown',
  simulated: 'simulated',
  erased: 'erased',
  noEvent: 'no event',
  open: 'too recent to tell',
}
const receivedFrom: Record<OrderRow['received'], string> = {
  browserOnly: 'from the browser alone',
  serverOnly: 'from the server alone',
  both: 'from browser and server',
  none: 'not received',
}
const results = {
  replayed: 'sent again',
  sent: 'built from the data of the shop',
  noPayload: 'no stored data to build a purchase from',
  eventGone: 'its event is deleted',
  refused: 'refused',
}

/** Texts of the page of orders. */
export const orderWords = {
  intro:
    'Every order of the shop is in exactly one cell of each channel. Accepted means that the vendor accepted the purchase, not that it attributes it.',
  noneTitle: 'No orders in this range',
  none: 'Connect your shop, or load its list: aglet order import --file orders.csv',
  noChannelsTitle: 'No deployed channel',
  table: 'Orders by channel',
  columns: {
    channel: 'Channel',
    accepted: 'Accepted',
    waiting: 'Waiting',
    explained: 'Not sent',
    failed: 'Failed',
    noEvent: 'No event',
    open: 'Open',
    gap: 'Gap',
    acceptance: 'Acceptance',
    accounted: 'Accounted for',
  },
  expected: (orders: number) => plural(orders, 'expected order', 'expected orders'),
  besides: (open: number, outOfScope: number) =>
    `${plural(open, 'is', 'are')} too recent to tell, ${plural(outOfScope, 'is', 'are')} out of scope.`,
  received: (browser: number, server: number, both: number, none: number) =>
    `Received from the browser alone: ${browser}, the server alone: ${server}, both: ${both}, neither: ${none}.`,
  unknown: (events: number) => `${plural(events, 'purchase', 'purchases')} of orders that the shop did not list.`,
  cell: (cell: OrderCell) => cells[cell],
  cellLink: (orders: number, column: string, channel: string) =>
    `${column}, ${channel}: ${plural(orders, 'order', 'orders')}`,
  ordersOf: (channel: string, shown: readonly OrderCell[]) => `${channel}: ${list(shown.map((cell) => cells[cell]))}`,
  noRowsTitle: 'No order is in this cell',
  rowColumns: { order: 'Order', placed: 'Placed', value: 'Value', cell: 'Cell', why: 'Why' },
  close: 'Show all cells',
  orderTitle: (orderId: string) => `Order ${orderId}`,
  orderUnknownTitle: 'The shop has not listed this order',
  orderUnknown: 'Orders are kept for 400 days.',
  facts: {
    updated: 'Changed',
    status: 'In the shop',
    received: 'Purchase',
    refunded: 'Refunded',
    salesChannel: 'Sales channel',
    source: 'Listed by',
    aliases: 'Other ids',
  },
  status: {
    placed: 'placed',
    paid: 'paid',
    cancelled: 'cancelled',
    refunded: 'refunded',
    test: 'a test',
  } satisfies Record<OrderStatus, string>,
  notExpected: 'so it is not expected in the channels',
  receivedFrom: (received: OrderRow['received']) => receivedFrom[received],
  cellsOfOrder: 'The order in each channel',
  journey: 'Journey',
  journeyOf: (channel: string) => `Show the journey to ${channel}`,
  showJourney: 'Show the journey',
  eventsOfOrder: 'Purchases of the order',
  eventColumns: { event: 'Event', received: 'Received', from: 'From', deliveries: 'Deliveries' },
  from: (from: 'browser' | 'server') => (from === 'browser' ? 'the browser' : 'a server'),
  eventGone: 'deleted',
  noEventsTitle: 'The tag got no purchase of this order',
  noEvents: 'Its data.orderId, or its event id, must be the order id or one of the other ids.',
  marks: {
    isRetried: 'after a retry',
    isRepeated: 'more than once',
    valueDiffers: 'other value',
    currencyDiffers: 'other currency',
  },
  repair: 'Send what is missing',
  repairIntro: 'Nothing is sent before you confirm. These orders would be sent:',
  repairNone: 'Nothing is missing that can be sent.',
  repairResult: (result: keyof typeof results, orders: number) =>
    `${plural(orders, 'order', 'orders')}: ${results[result]}`,
  repairChannel: (channel: string, status: string, orders: number) =>
    `${channel}: ${plural(orders, 'delivery', 'deliveries')} ${status}`,
  repairMore: 'There are more orders than these. Choose a shorter range, or send these first.',
  repairSend: 'Send now',
  repairDone: 'The missing orders are on their way. The table shows them once the vendors have answered.',
}
