import type { EventItem } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { wholeQuantity } from '#provider/form/items.ts'
import { amountText, decimalsOf } from '#provider/form/money.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { eventItem, withinBytes } from '#provider/vendors/eventProperties.ts'

/** The line of the contact's timeline: `Purchase A-1001, 59.98 EUR`. At most 160 characters. */
export function summaryOf({ data, value }: RequestContext, type: string): string {
  const order = data.orderId === undefined ? type : `${type} ${data.orderId}`
  const { currency } = data
  const decimals = currency === undefined ? 2 : decimalsOf(currency)
  const amount = value === undefined ? '' : `, ${[amountText(value, decimals), currency].filter(Boolean).join(' ')}`
  return truncate(`${order}${amount}`, 160)
}

/** The data of an event, which Dotdigital keeps as it comes. */
export function eventDataOf({ event, data, coupon, value }: RequestContext) {
  const own = {
    orderId: data.orderId,
    value,
    currency: data.currency,
    coupon,
    items: data.contents?.map(eventItem),
    search: data.search,
    pageUrl: event.pageUrl,
    pageTitle: event.pageTitle,
    referrer: event.referrer,
    checkoutUrl: data.checkoutUrl,
  }
  return withinBytes({ ...own, ...remainingData(data, 'contents', 'discounts'), ...own }, 60_000)
}

const productOf = (item: EventItem) => ({
  name: item.title ?? item.id,
  price: item.item_price,
  sku: item.sku ?? item.id,
  qty: wholeQuantity(item),
})

/** A record of the orders collection. Its fields stand on no page that could be read. */
export const orderRecord = ({ event, data, items, orderId, value }: RequestContext) => ({
  id: truncate(orderId, 255),
  order_total: value,
  currency: data.currency,
  purchase_date: isoTime(event.timestamp),
  products: items.map(productOf),
})
