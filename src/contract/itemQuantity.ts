import type { EventItem } from './event.ts'

/** The quantity of an item for a vendor that counts pieces: an integer of at least 1. Default: 1. */
export const wholeQuantity = ({ quantity = 1 }: EventItem): number => Math.max(1, Math.round(quantity))

/** The sum of all whole quantities. Undefined without items. */
export const totalQuantity = (items: readonly EventItem[]): number | undefined =>
  items.length > 0 ? items.reduce((sum, item) => sum + wholeQuantity(item), 0) : undefined
