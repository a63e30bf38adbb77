import type { EventData, EventItem } from '#contract/event.ts'
import { itemsWithId, mapItems, wholeQuantity } from '#provider/form/items.ts'
import { currencyAmountText, unlessNegative } from '#provider/form/money.ts'
import { type Normalise, phoneDigits } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'

/** Nextdoor requires at least one key of `customer`. */
export const anyCustomerKey = [
  ...(['email', 'phone_number', 'first_name', 'last_name', 'date_of_birth', 'city', 'state'] as const),
  ...(['zip_code', 'country', 'client_ip_address', 'captured.ndclid', 'captured._ndclid'] as const),
]

/** Nextdoor requires the ten digits of a phone number without the country code. */
export const tenDigits: Normalise = (raw, person) => /\d{10}$/.exec(phoneDigits(raw, person) ?? '')?.[0]

/** Currency and amount in one text: `EUR59.98`. Undefined where one of them is not known. */
function orderValue(value: number | undefined, currency: string | undefined): string | undefined {
  const amount = currencyAmountText(unlessNegative(value), currency)
  return amount && currency ? currency + amount : undefined
}

/** The `custom` of an event. */
export const customData = (data: EventData, items: readonly EventItem[], value: number | undefined) =>
  unlessEmpty({
    order_value: orderValue(value, data.currency),
    order_id: data.orderId,
    product_context: mapItems(itemsWithId(items), (item) => ({
      id: item.id,
      quantity: wholeQuantity(item),
      item_price: unlessNegative(item.item_price),
    })),
  })
