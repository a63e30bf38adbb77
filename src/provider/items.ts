import type { Item } from '#contract/event.ts'

/** How many pieces there are of all items; an item without a quantity is one. */
export const piecesIn = (items: readonly Item[]): number => items.reduce((sum, { quantity = 1 }) => sum + quantity, 0)
