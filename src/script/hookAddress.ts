import { badRequest } from '#contract/fault.ts'
import { HostUnresolved, OutboundDenied } from '#provider/engine/outboundGuard.ts'

/**
 * Asks the outbound guard about an address without calling it. Rejects with OutboundDenied where it may not be called, and with
 * HostUnresolved where its name has no address now.
 */
export type VetAddress = (url: string) => Promise<void>

/**
 * Refuses an address that no deployment and no alert could call, before it is registered. A name that has no address now is
 * taken: it may have one when it is called. Throws badRequest.
 */
export async function refuseUncallable(url: string, vetAddress: VetAddress): Promise<void> {
  try {
    await vetAddress(url)
  } catch (error) {
    if (error instanceof OutboundDenied)
      throw badRequest({
        path: 'url',
        message: 'may not be called: it must be https, lead to a public address, and name no port that is not open',
      })
    if (!(error instanceof HostUnresolved)) throw error
  }
}
