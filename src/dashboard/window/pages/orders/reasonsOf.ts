import type { OrderState } from '#contract/order.ts'
import { orderWords as words } from '#dashboard/words/en/orders.ts'
import { statusWords } from '#dashboard/words/en/status.ts'

const marks = ['isRetried', 'isRepeated', 'valueDiffers', 'currencyDiffers'] as const

/** Why an order stands in its cell of a channel, and what else there is to say of it. */
export const reasonsOf = (state: OrderState | undefined): string =>
  [state?.reason && statusWords.reason(state.reason), ...marks.map((mark) => state?.[mark] && words.marks[mark])]
    .filter(Boolean)
    .join(', ')
