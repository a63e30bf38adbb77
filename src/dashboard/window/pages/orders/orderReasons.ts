import type { OrderState } from '#contract/order.ts'
import { orderWords as words } from '#dashboard/words/en/orders.ts'
import { statusWords } from '#dashboard/words/en/status.ts'

const marks = ['isRetried', 'isRepeated', 'valueDiffers', 'currencyDiffers'] as const

/** The reason for an order's cell in a channel, and notes such as a different value. */
export const orderReasons = (state: OrderState | undefined): string =>
  [state?.reason && statusWords.reason(state.reason), ...marks.map((mark) => state?.[mark] && words.marks[mark])]
    .filter(Boolean)
    .join(', ')
