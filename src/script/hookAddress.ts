import { badRequest } from '#contract/fault.ts'
import { HostUnresolved, OutboundDenied } from '#provider/engine/outboundGuard.ts'
import { addressRefused } from './addressIssues.ts'

/**
 * Checks an address with the outbound guard without calling it. Rejects with OutboundDenied if it may not be called,
 * and with HostUnresolved if its name has no address now.
 */
export type VetAddress = (url: string) => Promise<void>

/**
 * Refuses to register an address that no deployment and no alert could call. A name without an address is accepted: it
 * may have one when it is called. Throws badRequest.
 */
export async function requireCallableAddress(url: string, vetAddress: VetAddress): Promise<void> {
  try {
    await vetAddress(url)
  } catch (error) {
    if (error instanceof OutboundDenied)
      throw badRequest({
        path: 'url',
        message: addressRefused,
      })
    if (!(error instanceof HostUnresolved)) throw error
  }
}
