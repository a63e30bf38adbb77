/** How a delivery stands, and why: the one table. */
export const statuses = ['held', 'pending', 'delivered', 'simulated', 'skipped', 'refused', 'dead'] as const
export type Status = (typeof statuses)[number]

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
export type Reason = (typeof reasons)[number]

/** Statuses after which nothing more happens to a delivery by itself. */
export const isFinal = (status: Status) => status !== 'held' && status !== 'pending'
