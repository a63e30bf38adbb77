import type { EventItem } from '#contract/event.ts'
import { itemsWithId, mapItems, totalQuantity, wholeQuantity } from '#provider/form/items.ts'
import { unlessNegative } from '#provider/form/money.ts'
import type { RequestSpec } from '#provider/form/request.ts'

const trackingTypes = ['PAGE_VISIT', 'VIEW_CONTENT', 'SEARCH', 'ADD_TO_CART', 'ADD_TO_WISHLIST', 'PURCHASE'].concat([
  'LEAD',
  'SIGN_UP',
])

/** The `type` of an event: one of Reddit's tracking types, else CUSTOM with the name. */
export const trackingTypeOf = (name: string) =>
  trackingTypes.includes(name) ? { tracking_type: name } : { tracking_type: 'CUSTOM', custom_event_name: name }

/** Limited Data Use. */
export const limitedDataUse = { modes: ['LDU'] }

/** The cookie `_rdt_uuid` is `<ms>.<uuid>`. */
export const uuidIn = (cookie: string | undefined) => cookie?.replace(/^\d+\./, '')

/** The members of `metadata` that describe the items. */
export function itemFields(all: readonly EventItem[]) {
  const items = itemsWithId(all)
  const products = mapItems(items, (item) => ({
    id: item.id,
    name: item.title,
    category: item.category,
    item_price: unlessNegative(item.item_price),
    quantity: wholeQuantity(item),
  }))
  return { item_count: totalQuantity(items), products }
}

type Body = { data: { test_id?: string; events: object[] } }
const bodyOf = ({ json }: RequestSpec) => json as Body

/** The events are a list below `data`. An event for the test view is a request of its own. */
export const joinEvents = {
  countEvents: (request: RequestSpec) => (bodyOf(request).data.test_id ? 1_000 : 1),
  join(requests: readonly RequestSpec[]): RequestSpec {
    const first = requests[0]!
    const events = requests.flatMap((request) => bodyOf(request).data.events)
    return { ...first, json: { data: { ...bodyOf(first).data, events } } }
  },
}
