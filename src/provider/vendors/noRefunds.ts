/**
 * `customEventName` of a vendor that knows no refunds: the name of any custom event except `Refund`, whose value such a
 * vendor would add to that of the purchases. `name`: the one name that the vendor has for custom events. Default: their
 * own.
 */
export const customExceptRefund = (name?: string) => (eventName: string) =>
  eventName === 'Refund' ? undefined : (name ?? eventName)
