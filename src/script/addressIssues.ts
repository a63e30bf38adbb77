import type { Issue } from '#contract/schema.ts'
import { type GuardPolicy, OutboundDenied, vetUrl } from '#provider/engine/outboundGuard.ts'
import { isCustomerAddress } from '#provider/form/hostKind.ts'
import type { Provider } from '#provider/form/provider.ts'

type AddressRules = {
  guard: GuardPolicy
  /** The name of the inbox of the demo script, an address of this server that channels may call. */
  demoInbox?: string
}

/** What is wrong with an address that the outbound guard refuses, and what the operator can set. */
export const addressRefused =
  'may not be called: it must be https, lead to a public address, and name no port that is not open; ' +
  'AGLET_OUTBOUND_PORTS opens ports, AGLET_ALLOW_PRIVATE_DESTINATIONS=1 allows http and private addresses in development'

/** Whether the form of an address, or an IP address in it, is refused at every delivery. */
function isRefused(text: string, { guard, demoInbox }: AddressRules): boolean {
  if (demoInbox !== undefined && URL.parse(text)?.pathname === `/demo/inbox/${demoInbox}`) return false
  try {
    vetUrl(text, guard)
    return false
  } catch (error) {
    if (error instanceof OutboundDenied) return true
    throw error
  }
}

/**
 * The issues of values that are addresses to which the outbound guard would refuse every delivery. `plaintexts` are in
 * the order of the write's `secrets`. A host name is not looked up: where it leads may change, and is checked at each
 * delivery.
 */
export const addressIssues = (
  { host }: Pick<Provider, 'host'>,
  plaintexts: readonly (readonly [variable: string, plaintext: string])[],
  rules: AddressRules,
): Issue[] =>
  isCustomerAddress(host)
    ? plaintexts.flatMap(([variable, text], at) =>
        /^https?:/i.test(text) && isRefused(text, rules)
          ? [{ path: `secrets.${at}`, message: `${variable}: ${addressRefused}` }]
          : [],
      )
    : []
