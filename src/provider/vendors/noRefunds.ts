/**
 * `customEventName` for a vendor without refunds: any custom event except `Refund`, whose value the vendor would add to
 * the purchases. `name`: the vendor's single name for custom events. Default: the name of each event.
 */
export const customExceptRefund = (name?: string) => (eventName: string) =>
  eventName === 'Refund' ? undefined : (name ?? eventName)
