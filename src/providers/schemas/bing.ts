import type { EventItem } from '#contract/event.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import { itemsWithId, mapItems, wholeQuantity } from '#provider/form/items.ts'
import { unlessNegative } from '#provider/form/money.ts'
import type { CapturedValues } from '#provider/form/request.ts'

/** The page types of the vendor, for the events that name one. */
export const pageTypes: Readonly<Record<string, string>> = {
  ViewContent: 'product',
  AddToCart: 'cart',
  RemoveFromCart: 'cart',
  InitiateCheckout: 'cart',
  Purchase: 'purchase',
  Search: 'searchresults',
}

/** The click id of the landing page, else the one in the cookie, which has `_uet` before it. */
export const clickIdOf = ({ msclkid, _uetmsclkid }: CapturedValues) =>
  msclkid?.value ?? _uetmsclkid?.value.replace(/^_uet/, '')

/** The members of `customData` that describe the items. */
export function itemFields(all: readonly EventItem[], value: number | undefined) {
  const items = itemsWithId(all)
  return {
    itemIds: mapItems(items, ({ id }) => id),
    items: mapItems(items, (item) => ({
      id: item.id,
      name: item.title,
      price: unlessNegative(item.item_price),
      quantity: wholeQuantity(item),
    })),
    ecommTotalValue: items.length > 0 ? value : undefined,
  }
}

type Detail = { index?: number; errorMessage?: string }

/** The events that a 200 lists as invalid: `continueOnValidationError` lets the others pass. */
export function invalidEvents(answer: unknown): PartialFailure[] {
  const { error } = (answer ?? {}) as { error?: { details?: Detail[] } }
  const details = Array.isArray(error?.details) ? error.details : []
  return details.flatMap(({ index, errorMessage: message }) =>
    Number.isInteger(index) ? [{ row: index!, verdict: 'refused' as const, message }] : [],
  )
}
