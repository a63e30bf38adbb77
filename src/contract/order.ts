import { ReasonField, TimeMs } from './deliveryFilters.ts'
import { explainedCells, failedCells, orderCells } from './orderCells.ts'
import { EpochMs, Nullable, OptionalNumber, OptionalText, type Static, Type } from './schema.ts'
import { patterns } from './schemaPatterns.ts'

/** The states of an order in the shop. */
export const orderStatuses = ['placed', 'paid', 'cancelled', 'refunded', 'test'] as const
export type OrderStatus = (typeof orderStatuses)[number]

/** The maximum number of orders in one call. */
export const maxOrders = 1_000
/** How long orders are kept, and the maximum age of a new order. */
export const keptOrdersDays = 400

const OrderIdText = Type.String({ minLength: 1, maxLength: 200 })
const Amount = Type.Number({ minimum: 0, maximum: 1e15 })
const Time = Type.Integer({ minimum: 0, maximum: 9_999_999_999_999, format: 'int64' })

/** An order of a shop. Contains no personal data. */
export const OrderWrite = Type.Object({
  orderId: Type.String({ ...OrderIdText, description: 'the id that the shop’s code puts in data.orderId' }),
  aliases: Nullable(
    Type.Array(OrderIdText, {
      maxItems: 10,
      description: 'other names of the same order: database id, number, GraphQL id, cart or checkout token',
    }),
  ),
  placedAt: Type.Integer({ ...Time, description: 'when the buyer placed it, epoch ms' }),
  updatedAt: Type.Integer({ ...Time, description: 'the version: an older one never replaces a newer one; epoch ms' }),
  status: Type.Enum([...orderStatuses]),
  salesChannel: Nullable(Type.String({ maxLength: 60, description: 'web, pos, draft, …, as the shop says' })),
  value: Nullable(Type.Number({ ...Amount, description: 'the total that the buyer pays' })),
  currency: Nullable(Type.String({ pattern: patterns.currency, description: 'ISO 4217' })),
  tax: Nullable(Amount),
  shipping: Nullable(Amount),
  discount: Nullable(Amount),
  refunded: Nullable(Type.Number({ ...Amount, description: 'the sum refunded so far' })),
  source: Nullable(Type.String({ maxLength: 60, description: 'shopify, woocommerce, upload, …' })),
})
export type OrderWrite = Static<typeof OrderWrite>

/** The server checks the number of orders and each order separately, so that one invalid order does not reject the others. */
export const OrderList = Type.Unsafe<OrderWrite[]>(
  Type.Array(Type.Unknown(), { documented: { minItems: 1, maxItems: maxOrders, items: OrderWrite } }),
)

const OrderIssue = Type.Object({ path: Type.String(), message: Type.String() })
export const OrderResult = Type.Object({
  orderId: Type.String(),
  result: Type.Enum(['created', 'updated', 'unchanged', 'refused']),
  issues: Type.Optional(Type.Array(OrderIssue)),
})
export type OrderResult = Static<typeof OrderResult>

/** The orders that the tag should have seen, and how they are compared. */
export const OrderScope = Type.Object({
  salesChannels: Nullable(
    Type.Array(Type.String({ maxLength: 60 }), {
      maxItems: 50,
      description: 'the sales channels whose orders are expected; absent: all but pos, draft and marketplace',
    }),
  ),
  statuses: Nullable(
    Type.Array(Type.Enum(['placed', 'paid', 'refunded']), {
      minItems: 1,
      maxItems: 3,
      description: 'the statuses of expected orders; cancelled orders and tests are never expected',
    }),
  ),
  graceMs: Nullable(
    Type.Integer({ minimum: 0, maximum: 7 * 86_400_000, description: 'an order younger than this is open (3600000)' }),
  ),
  timezone: Nullable(
    Type.String({ minLength: 1, maxLength: 60, description: 'IANA name: the days of the shop (UTC)' }),
  ),
  tolerance: Nullable(
    Type.Number({ minimum: 0, maximum: 1e6, description: 'by how much values may differ, in the currency (0.01)' }),
  ),
  orderIdFrom: Nullable(
    Type.String({
      pattern: patterns.fieldPath,
      description: 'the field of the event that has the order id (data.orderId)',
    }),
  ),
})
export type OrderScope = Static<typeof OrderScope>

const Count = Type.Integer()
const countsOf = <const Cell extends string>(cells: readonly Cell[], description: string) =>
  Type.Unsafe<Record<Cell, number>>(
    Type.Object(Object.fromEntries(cells.map((cell) => [cell, Count])), { description }),
  )

const OrderChannel = Type.Object({
  scriptId: Type.String(),
  name: Type.String(),
  providerId: Type.String(),
  accepted: Type.Integer({
    description: 'accepted by the API of the vendor, which does not say whether it was attributed',
  }),
  acceptedAfterRetry: Type.Integer({ description: 'a part of accepted' }),
  waiting: Count,
  explained: countsOf(explainedCells, 'not sent for a reason that the tag or the visitor gives'),
  failed: countsOf(failedCells, 'to be sent, and not accepted'),
  noEvent: Type.Integer({ description: 'the tag got no Purchase of the order' }),
  open: Type.Integer({ description: 'younger than graceMs' }),
  valueDiffers: Type.Integer({ description: 'accepted with a value other than that of the order' }),
  currencyDiffers: Type.Integer({ description: 'accepted with a currency other than that of the order' }),
  repeated: Type.Integer({ description: 'accepted more than once' }),
  acceptance: OptionalNumber('accepted / (expected − open); absent without orders'),
  accounted: OptionalNumber('(accepted + explained) / (expected − open); absent without orders'),
  gap: Type.Array(Type.Object({ currency: Type.String(), value: Type.Number() }), {
    description: 'the value of the expected orders that are neither open nor accepted',
  }),
})
const intervalCounts = { accepted: Count, explained: Count, failed: Count, noEvent: Count, waiting: Count }
export const reportIntervals = ['hour', 'day', 'week'] as const

export const OrderReport = Type.Object({
  from: EpochMs(),
  to: EpochMs(),
  interval: Type.Enum([...reportIntervals]),
  scope: OrderScope,
  orders: Type.Object({ all: Count, expected: Count, open: Count, outOfScope: Count }),
  received: Type.Object({
    browserOnly: Count,
    serverOnly: Count,
    both: Count,
    none: Count,
    unknownOrders: Type.Integer({ description: 'Purchase events of the range whose order id no order has' }),
  }),
  channels: Type.Array(OrderChannel),
  intervals: Type.Array(
    Type.Object({
      from: EpochMs({ description: 'the start of the hour, day or week in the time zone of the shop' }),
      orders: Type.Integer({ description: 'expected orders' }),
      open: Count,
      channels: Type.Record(Type.String(), Type.Object(intervalCounts)),
    }),
  ),
})
export type OrderReport = Static<typeof OrderReport>

export const CellField = Type.Enum([...orderCells])
/** The outcome of an order in one channel. */
const OrderState = Type.Object({
  scriptId: Type.String(),
  cell: CellField,
  reason: Type.Optional(ReasonField),
  eventId: OptionalText('of the purchase that progressed furthest; absent once it is deleted'),
  deliveryId: Type.Optional(Type.String()),
  isRetried: Type.Optional(Type.Literal(true)),
  isRepeated: Type.Optional(Type.Literal(true)),
  valueDiffers: Type.Optional(Type.Literal(true)),
  currencyDiffers: Type.Optional(Type.Literal(true)),
})
export type OrderState = Static<typeof OrderState>

export const OrderRow = Type.Object({
  orderId: Type.String(),
  aliases: Type.Array(Type.String()),
  placedAt: EpochMs(),
  updatedAt: EpochMs(),
  status: Type.Enum([...orderStatuses]),
  salesChannel: Type.Optional(Type.String()),
  value: Type.Optional(Type.Number()),
  currency: Type.Optional(Type.String()),
  tax: Type.Optional(Type.Number()),
  shipping: Type.Optional(Type.Number()),
  discount: Type.Optional(Type.Number()),
  refunded: Type.Optional(Type.Number()),
  source: Type.Optional(Type.String()),
  isExpected: Type.Boolean(),
  received: Type.Enum(['browserOnly', 'serverOnly', 'both', 'none']),
  states: Type.Array(OrderState),
})
export type OrderRow = Static<typeof OrderRow>

const OrderEvent = Type.Object({
  eventId: OptionalText('absent once the event is deleted'),
  receivedAt: EpochMs(),
  from: Type.Enum(['browser', 'server']),
  value: Type.Optional(Type.Number()),
  currency: Type.Optional(Type.String()),
  deliveries: Type.Array(
    Type.Object({
      deliveryId: Type.String(),
      scriptId: Type.String(),
      status: Type.String(),
      reason: Type.Optional(ReasonField),
      attempts: Type.Integer(),
      cell: CellField,
    }),
  ),
})

export const Order = Type.Object({ ...OrderRow.properties, events: Type.Array(OrderEvent) })
export type Order = Static<typeof Order>

const repairableCells = ['noEvent', 'failed'] as const
export const OrderRepairWrite = Type.Object({
  from: Type.Integer({ ...TimeMs, format: 'int64', description: 'orders placed at or after this time, epoch ms' }),
  to: Type.Integer({ ...TimeMs, format: 'int64', description: 'orders placed before this time, epoch ms' }),
  scriptId: Nullable(Type.String({ minLength: 1, maxLength: 200, description: 'only for this channel' })),
  cells: Type.Array(Type.Enum([...repairableCells]), { minItems: 1, maxItems: 2 }),
  dryRun: Type.Boolean({ description: 'returns what would be sent, and sends nothing' }),
  cursor: Nullable(Type.String({ maxLength: 1000, description: '`next` of the previous call' })),
})
export type OrderRepairWrite = Static<typeof OrderRepairWrite>
export const OrderRepair = Type.Object({
  dryRun: Type.Boolean(),
  orders: Type.Array(
    Type.Object({
      orderId: Type.String(),
      cell: Type.Enum([...repairableCells]),
      result: Type.Enum(['replayed', 'sent', 'noPayload', 'eventGone', 'refused'], {
        description:
          'replayed: its deliveries are sent again · sent: a Purchase is made of what the shop sent · noPayload: nothing is kept to make a Purchase of · eventGone: its event is deleted · refused: the event is invalid, or no channel may get it; in a dry run: what would be done',
      }),
      message: Type.Optional(Type.String()),
      channels: Type.Array(
        Type.Object({
          scriptId: Type.String(),
          status: Type.String({ description: 'pending: it is sent, or would be' }),
          reason: Type.Optional(ReasonField),
        }),
      ),
    }),
  ),
  replayId: OptionalText('the replay that sends the failed deliveries again'),
  next: OptionalText('more orders follow: call again with this cursor'),
})
export type OrderRepair = Static<typeof OrderRepair>
