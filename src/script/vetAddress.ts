/**
 * Checks an address with the outbound guard, without calling it. Rejects with OutboundDenied if it may not be called,
 * and with HostUnresolved if its name has no address now.
 */
export type VetAddress = (url: string) => Promise<void>

/** Says why the outbound guard refuses an address, and which setting the operator can change. */
export const addressRefused =
  'may not be called: it must be https, lead to a public address, and name no port that is not open; ' +
  'AGLET_OUTBOUND_PORTS opens ports, AGLET_ALLOW_PRIVATE_DESTINATIONS=1 allows http and private addresses in development'
