import type { EventData, EventItem } from '#contract/event.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import { itemsWithId, mapItems, totalQuantity, wholeQuantity } from '#provider/form/items.ts'
import { currencyAmountText, unlessNegative } from '#provider/form/money.ts'
import { genderLetter, type Normalise } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { hashed } from '#provider/form/userRule.ts'

/** `f`, `m`, or `n` for non-binary. */
const genderCode: Normalise = (raw, person) =>
  genderLetter(raw, person) ?? (/^n(?:on[- ]?binary)?$/i.test(raw.trim()) ? 'n' : undefined)

export const gender = hashed('gender', genderCode)

/** The `custom_data` of an event. Pinterest takes amounts as texts. */
export function customData(data: EventData, all: readonly EventItem[], value: number | undefined) {
  const { currency } = data
  const items = itemsWithId(all)
  const priceText = (amount: number | undefined) => currencyAmountText(unlessNegative(amount), currency)
  return unlessEmpty({
    currency,
    value: priceText(value),
    content_ids: mapItems(items, ({ id }) => id),
    contents: mapItems(items, (item) => ({
      id: item.id,
      item_price: priceText(item.item_price),
      quantity: wholeQuantity(item),
    })),
    num_items: totalQuantity(items),
    order_id: data.orderId,
    search_string: data.search,
  })
}

type Row = { status?: string; error_message?: string }

/** The events that a 200 or a 422 lists as failed. `events` is in the order of the request. */
export function failedEvents(answer: unknown): PartialFailure[] {
  const { events } = (answer ?? {}) as { events?: Row[] }
  if (!Array.isArray(events)) return []
  return events.flatMap(({ status, error_message: message }, row) =>
    status === 'failed' ? [{ row, verdict: 'refused' as const, message }] : [],
  )
}
