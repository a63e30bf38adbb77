import type { DeliveryReason, DeliveryStatus } from './deliveryStatus.ts'

/** Reasons why an order was not sent although nothing failed. */
export const explainedCells = [
  'consent',
  'region',
  'notSelected',
  'filtered',
  'identityMissing',
  'simulated',
  'erased',
] as const
/** Reasons why an order that should have been sent was not accepted. */
export const failedCells = ['payloadRefused', 'keyRejected', 'vendorDown', 'expired', 'poison'] as const

/**
 * The cells of an order in a channel. An order with several purchases is in the first cell that one of its purchases
 * reached: the purchase that progressed furthest counts.
 */
export const orderCells = ['accepted', 'waiting', ...failedCells, ...explainedCells, 'noEvent', 'open'] as const
export type OrderCell = (typeof orderCells)[number]
type ExplainedCell = (typeof explainedCells)[number]
type FailedCell = (typeof failedCells)[number]

const explained: ReadonlySet<OrderCell> = new Set(explainedCells)
const failed: ReadonlySet<OrderCell> = new Set(failedCells)
export const isExplained = (cell: OrderCell): cell is ExplainedCell => explained.has(cell)
export const isFailed = (cell: OrderCell): cell is FailedCell => failed.has(cell)

/** The cell of a delivery that ended with this reason. */
const cellsByReason: Readonly<Record<DeliveryReason, OrderCell>> = {
  consent: 'consent',
  region: 'region',
  notSelected: 'notSelected',
  eventNotSupported: 'notSelected',
  filtered: 'filtered',
  duplicate: 'filtered',
  identityMissing: 'identityMissing',
  erased: 'erased',
  payloadRefused: 'payloadRefused',
  keyRejected: 'keyRejected',
  addressNotAllowed: 'keyRejected',
  vendorDown: 'vendorDown',
  throttled: 'vendorDown',
  expired: 'expired',
  tooOld: 'expired',
  poison: 'poison',
}

/** The cell of a status and a reason. For some statuses, the cell does not depend on the reason. */
export function cellOf(status: DeliveryStatus, reason: DeliveryReason | undefined): OrderCell {
  switch (status) {
    case 'delivered':
      return 'accepted'
    case 'held':
    case 'pending':
      return 'waiting'
    case 'simulated':
      return 'simulated'
    case 'skipped':
      return reason === undefined ? 'filtered' : cellsByReason[reason]
    case 'refused':
      return reason === undefined ? 'payloadRefused' : cellsByReason[reason]
    case 'dead':
      return reason === undefined ? 'expired' : cellsByReason[reason]
  }
}
