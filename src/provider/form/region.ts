import { choice } from './variables.ts'

/** The vendor's hosts by region. The first region is the default. */
type RegionHosts = Readonly<Record<string, string>>

/** The variable with which the customer chooses a regional host. `where`: where the vendor shows the region. */
export const region = (hosts: RegionHosts, where: string) => ({
  ...choice('Region', where, Object.keys(hosts)),
  regionHosts: hosts,
})

/**
 * The host of the chosen region. Throws for an unknown region, so that no event reaches the wrong region: control
 * rejects such values.
 */
export function regionHost<H extends RegionHosts>(hosts: H, chosen: string): H[keyof H] {
  if (!Object.hasOwn(hosts, chosen)) throw new Error('the region of a script is unknown')
  return hosts[chosen] as H[keyof H]
}
