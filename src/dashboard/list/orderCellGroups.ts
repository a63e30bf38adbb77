import type { OrderReport } from '#contract/order.ts'
import { explainedCells, failedCells, type OrderCell, orderCells } from '#contract/orderCells.ts'

type Channel = OrderReport['channels'][number]

/** The columns of the table of orders, each with its cells. */
export const orderColumns = ['accepted', 'waiting', 'explained', 'failed', 'noEvent', 'open'] as const
export type OrderColumn = (typeof orderColumns)[number]

export const cellsOf = (column: OrderColumn): readonly OrderCell[] =>
  column === 'explained' ? explainedCells : column === 'failed' ? failedCells : [column]

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, each) => all + each, 0)

/** The orders of a channel in a column. The columns of a channel add up to the expected orders. */
export const ordersIn = (channel: Channel, column: OrderColumn): number =>
  column === 'explained' || column === 'failed' ? sum(channel[column]) : channel[column]

const isOrderCell = (text: string): text is OrderCell => (orderCells as readonly string[]).includes(text)

/** The cells that an address names; unknown names are ignored. */
export const cellsInQuery = (text: string | undefined): OrderCell[] => (text ?? '').split(',').filter(isOrderCell)
