import { mapItems } from '#provider/form/items.ts'
import type { RequestContext } from '#provider/form/request.ts'
import {
  boundedProperties,
  firstWithin,
  snakeCaseItem,
  snakeCaseProperties,
} from '#provider/vendors/boundedProperties.ts'

/** The properties of an event without those that have fields of their own. */
export function propertiesOf(context: RequestContext): object {
  const { order_id: _, value: __, page_url: ___, ...own } = snakeCaseProperties(context)
  const items = mapItems(firstWithin(context.items, 40_000), snakeCaseItem)
  return { ...boundedProperties(own, { maxBytes: 20_000 }), items }
}

/**
 * The attributes to set; undefined where there are none. Airship refuses attributes that the project does not define.
 */
export const attributesOf = (traits: object | undefined, timestamp: string) =>
  traits && Object.entries(traits).map(([key, value]) => ({ action: 'set', key, value, timestamp }))
