import { badRequest } from '#contract/fault.ts'
import { HostUnresolved, OutboundDenied } from '#provider/engine/outboundGuard.ts'
import { addressRefused, type VetAddress } from './vetAddress.ts'

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
