/** The statuses of a delivery, and below them the reasons. */
export const statuses = ['held', 'pending', 'delivered', 'simulated', 'skipped', 'refused', 'dead'] as const
export type DeliveryStatus = (typeof statuses)[number]

export const reasons = [
  'consent',
  'region',
  'notSelected',
  'filtered',
  'identityMissing',
  'eventNotSupported',
  'tooOld',
  'duplicate',
  'keyRejected',
  'payloadRefused',
  'addressNotAllowed',
  'vendorDown',
  'throttled',
  'poison',
  'expired',
  'erased',
] as const
export type DeliveryReason = (typeof reasons)[number]

/** Whether the status is final: the delivery changes only by a replay. */
export const isFinal = (status: DeliveryStatus) => status !== 'held' && status !== 'pending'
