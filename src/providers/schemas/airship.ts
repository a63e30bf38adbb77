import { mapItems } from '#provider/form/items.ts'
import type { RequestContext } from '#provider/form/request.ts'
import {
  boundedProperties,
  firstWithin,
  snakeCaseItem,
  snakeCaseProperties,
} from '#provider/vendors/boundedProperties.ts'
import type { FlatValue } from '#provider/vendors/eventFields.ts'

/** The properties of an event without those that have fields of their own. */
export function propertiesOf(context: RequestContext): object {
  const { order_id: _, value: __, page_url: ___, ...own } = snakeCaseProperties(context)
  const items = mapItems(firstWithin(context.items, 40_000), snakeCaseItem)
  return { ...boundedProperties(own, { maxBytes: 20_000 }), items }
}

/** An attribute is a text, a number or a date. */
const attributeValue = (value: FlatValue) => (typeof value === 'boolean' ? String(value) : value)

/**
 * The attributes to set; undefined where there are none. Airship refuses attributes that the project does not define.
 * https://docs.airship.com/api/ua/#operation-api-named_users-named_user_id-attributes-post
 */
export const attributesOf = (traits: Readonly<Record<string, FlatValue>> | undefined, timestamp: string) =>
  traits &&
  Object.entries(traits).map(([key, value]) => ({ action: 'set', key, value: attributeValue(value), timestamp }))
