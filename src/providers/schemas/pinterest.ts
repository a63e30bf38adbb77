import type { Item } from '#contract/event.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import { itemsWithId, mapItems, totalQuantity, wholeQuantity } from '#provider/form/items.ts'
import { currencyAmountText, unlessNegative } from '#provider/form/money.ts'
import { genderLetter, type Normalise } from '#provider/form/normalise.ts'

/** `f`, `m`, or `n` for non-binary. */
export const gender: Normalise = (raw, person) =>
  genderLetter(raw, person) ?? (/^n(?:on[- ]?binary)?$/i.test(raw.trim()) ? 'n' : undefined)

/** Pinterest takes amounts as texts. */
export const priceText = (amount: number | undefined, currency: string | undefined) =>
  currencyAmountText(unlessNegative(amount), currency)

/** The members of `custom_data` that describe the items. */
export function itemFields(all: readonly Item[], currency: string | undefined) {
  const items = itemsWithId(all)
  return {
    content_ids: mapItems(items, ({ id }) => id),
    contents: mapItems(items, (item) => ({
      id: item.id,
      item_price: priceText(item.item_price, currency),
      quantity: wholeQuantity(item),
    })),
    num_items: totalQuantity(items),
  }
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
