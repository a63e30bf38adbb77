import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'

const statuses: Record<DeliveryStatus, string> = {
  held: 'held',
  pending: 'waiting',
  delivered: 'delivered',
  simulated: 'simulated',
  skipped: 'not sent',
  refused: 'refused',
  dead: 'failed',
}

const reasons: Record<DeliveryReason, string> = {
  consent: 'consent',
  region: 'region',
  notSelected: 'not selected',
  filtered: 'filtered',
  identityMissing: 'visitor unknown',
  eventNotSupported: 'event not supported',
  tooOld: 'too old',
  duplicate: 'duplicate',
  keyRejected: 'key rejected',
  payloadRefused: 'payload refused',
  addressNotAllowed: 'address not allowed',
  vendorDown: 'vendor down',
  throttled: 'throttled',
  poison: 'crashes the worker',
  expired: 'expired',
  erased: 'erased',
}

/** The words of statuses and reasons: the same on every page. */
export const statusWords = {
  status: (status: DeliveryStatus) => statuses[status],
  reason: (reason: DeliveryReason) => reasons[reason],
  both: (status: DeliveryStatus, reason?: DeliveryReason) =>
    reason ? `${statuses[status]}: ${reasons[reason]}` : statuses[status],
  channel: {
    ok: 'OK',
    paused: 'paused',
    keyRejected: 'key rejected',
    vendorDown: 'vendor down',
    throttled: 'throttled',
    draft: 'draft',
  },
  health: { stopped: 'stopped', failing: 'failing', waiting: 'waiting', ok: 'OK', quiet: 'quiet' },
}
