import { badRequest } from '#contract/fault.ts'
import { Denied, Unresolved } from '#provider/guard.ts'

/**
 * Asks the outbound guard about an address without calling it. Rejects with Denied where it may not be called, and with
 * Unresolved where its name has no address now.
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
    if (error instanceof Denied)
      throw badRequest({
        path: 'url',
        message: 'may not be called: it must be https, lead to a public address, and name no port that is not open',
      })
    if (!(error instanceof Unresolved)) throw error
  }
}
