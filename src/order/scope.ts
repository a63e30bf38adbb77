import type { OrderScope, OrderStatus } from '#contract/order.ts'
import type { OrderRecord } from '#store/orders.ts'

type Filled = { [Field in keyof OrderScope]-?: NonNullable<OrderScope[Field]> }
/** Without `salesChannels`, all sales channels but a few are expected. */
export type FilledScope = Omit<Filled, 'salesChannels'> & { salesChannels?: readonly string[] }

const unexpectedChannels: ReadonlySet<string> = new Set(['pos', 'draft', 'marketplace'])

export const fillScope = (scope: OrderScope | undefined = {}): FilledScope => ({
  ...(scope.salesChannels != null && { salesChannels: scope.salesChannels }),
  statuses: scope.statuses ?? ['placed', 'paid', 'refunded'],
  graceMs: scope.graceMs ?? 3_600_000,
  timezone: scope.timezone ?? 'UTC',
  tolerance: scope.tolerance ?? 0.01,
  orderIdFrom: scope.orderIdFrom ?? 'data.orderId',
})

/** True if the tag should have received an order. An order without a sales channel counts as a web order. */
export function isExpected(
  { status, salesChannel = 'web' }: Pick<OrderRecord, 'salesChannel'> & { status: OrderStatus },
  { statuses, salesChannels }: Pick<FilledScope, 'statuses' | 'salesChannels'>,
): boolean {
  if (!(statuses as readonly OrderStatus[]).includes(status)) return false
  return salesChannels ? salesChannels.includes(salesChannel) : !unexpectedChannels.has(salesChannel)
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
