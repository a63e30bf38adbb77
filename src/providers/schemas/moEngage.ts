import { mapItems } from '#provider/form/items.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'
import {
  boundedProperties,
  firstWithin,
  snakeCaseItem,
  snakeCaseProperties,
} from '#provider/vendors/boundedProperties.ts'

/** Names that begin with `moe_` are reserved. */
export const reserved = /^moe_/i

/**
 * A member of `actions`. ISO 8601 is the form that the page names; its samples have epoch ms and s. A time in the
 * future is refused.
 */
export function actionOf(context: RequestContext, action: string) {
  const time = isoTime(Math.min(context.event.timestamp, context.now))
  const properties = boundedProperties(snakeCaseProperties(context), { reserved, maxBytes: 40_000 })
  const products = mapItems(firstWithin(context.items, 50_000), snakeCaseItem)
  return { action, attributes: { ...properties, products }, platform: 'web', user_time: time, current_time: time }
}
