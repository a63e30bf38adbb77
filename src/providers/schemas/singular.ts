import { mapItems } from '#provider/form/items.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { flatProperties } from '#provider/vendors/attribution.ts'

export const deviceIds = ['idfa', 'idfv', 'aifa', 'asid', 'andi'] as const
export const webIds = ['sdid', 'singular_device_id'] as const

/** The attributes of an event. A request is one address, so at most 20 items with short texts are in it. */
export const attributesOf = ({ event, data, items }: Pick<RequestContext, 'event' | 'data' | 'items'>) => ({
  ...flatProperties(data, [...deviceIds, ...webIds]),
  event_id: event.eventId,
  search: truncate(data.search, 200),
  contents: mapItems(items.slice(0, 20), ({ id, sku, title, item_price: price, quantity = 1 }) => {
    return { id: truncate(id ?? sku, 100), title: truncate(title, 100), price, quantity }
  }),
})
