import type { EventData, EventItem } from '#contract/event.ts'
import { itemsWithId, mapItems, totalQuantity, wholeQuantity } from '#provider/form/items.ts'
import { unlessNegative } from '#provider/form/money.ts'
import { countryCodeLower, genderLetter, type Normalise, phoneDigits, stateCode } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { hashed } from '#provider/form/userRule.ts'

/** Lower case without white space. */
const withoutSpaces: Normalise = (raw) => raw.toLowerCase().replace(/\s/g, '') || undefined

/** The fields of `user_data` that are hashed. */
export const digests = {
  em: hashed('email'),
  ph: hashed('phone', phoneDigits),
  external_id: hashed('userId'),
  fn: hashed('firstName'),
  ln: hashed('lastName'),
  ge: hashed('gender', genderLetter),
  ct: hashed('city', withoutSpaces),
  st: hashed('state', stateCode),
  zp: hashed('zip'),
  country: hashed('country', countryCodeLower),
}

/** The URL that checks events and does not count them. */
export const toValidate = (url: string) => url.replace(/\/events$/, '/events/validate')

/** The `custom_data` of an event. */
export function customData(data: EventData, all: readonly EventItem[], value: number | undefined) {
  const items = itemsWithId(all)
  return unlessEmpty({
    currency: data.currency,
    value: unlessNegative(value),
    content_ids: mapItems(items, ({ id }) => id),
    contents: mapItems(items, (item) => ({
      id: item.id,
      quantity: wholeQuantity(item),
      item_price: unlessNegative(item.item_price),
    })),
    num_items: totalQuantity(items),
    order_id: data.orderId,
    search_string: data.search,
  })
}
