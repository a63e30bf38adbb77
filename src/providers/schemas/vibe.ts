import type { EventData, EventItem } from '#contract/event.ts'
import { itemsWithId, mapItems, wholeQuantity } from '#provider/form/items.ts'
import { unlessNegative } from '#provider/form/money.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'

/** Whether a URL is one of the vendor: https at vibe.co or at a host below it. */
export function isEndpoint(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.port === '' && /^(?:[\w-]+\.)*vibe\.co$/.test(url.hostname)
}

export const endpointCheck = (text: string): string | undefined =>
  isEndpoint(text) ? undefined : 'Write an address of Vibe: https://t.vibe.co/path.'

const mostItems = 100

/**
 * The details of an event as JSON text. `price_usd` and `purchase_id` are names of the vendor, the others are free.
 * Undefined where nothing is known.
 */
export function eventData(
  { currency, orderId, search }: EventData,
  items: readonly EventItem[],
  value: number | undefined,
) {
  const details = unlessEmpty({
    ...(currency === 'USD' ? { price_usd: value } : { value, currency }),
    purchase_id: orderId,
    search,
    contents: mapItems(itemsWithId(items).slice(0, mostItems), (item) => ({
      id: item.id,
      quantity: wholeQuantity(item),
      price: unlessNegative(item.item_price),
    })),
  })
  return details && JSON.stringify(details)
}
