import { choice } from './variables.ts'

/** The hosts of a vendor by the name of the region. The first region is the default. */
type RegionHosts = Readonly<Record<string, string>>

/**
 * The variable with which the customer chooses one of the vendor's regional hosts. `where`: where the vendor shows the
 * region.
 */
export const region = (hosts: RegionHosts, where: string) => ({
  ...choice('Region', where, Object.keys(hosts)),
  regionHosts: hosts,
})

/**
 * The host of the chosen region. Throws for an unknown region, so that no event goes to another region: control rejects
 * such values.
 */
export function regionHost<H extends RegionHosts>(hosts: H, chosen: string): H[keyof H] {
  if (!Object.hasOwn(hosts, chosen)) throw new Error('the region of a script is unknown')
  return hosts[chosen] as H[keyof H]
}
