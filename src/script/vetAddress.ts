/**
 * Checks an address with the outbound guard, without calling it. Rejects with OutboundDenied if it may not be called,
 * and with HostUnresolved if its name has no address now.
 */
export type VetAddress = (url: string) => Promise<void>

/** Says why the outbound guard refuses an address, and which setting the operator can change. */
export const addressRefused =
  'is not allowed: it must be an https URL of a public address with an allowed port;  ' +
  'AGLET_OUTBOUND_PORTS allows more ports, AGLET_ALLOW_PRIVATE_DESTINATIONS=1 allows http and private addresses in development'
