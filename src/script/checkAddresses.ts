import type { Issue } from '#contract/schema.ts'
import { HostUnresolved, OutboundDenied } from '#provider/engine/outboundGuard.ts'
import { isCustomerAddress } from '#provider/form/hostKind.ts'
import type { Provider } from '#provider/form/provider.ts'
import { addressRefused, type VetAddress } from './vetAddress.ts'

type AddressRules = {
  vetAddress: VetAddress
  /** The names of the inboxes of demo scripts, addresses of this server that channels may call. */
  demoInboxes?: readonly string[]
}

const isDemoInbox = (text: string, { demoInboxes = [] }: AddressRules) =>
  demoInboxes.some((name) => URL.parse(text)?.pathname === `/demo/inbox/${name}`)

type AddressFindings = { issues: Issue[]; warnings: string[] }

/**
 * Checks the values that are addresses, without calling them. An address that the outbound guard would refuse at every
 * delivery is an issue, whether it is an IP address or a name that resolves to one. A name that does not resolve within
 * 2 s is a warning, because it may resolve later. `plaintexts` are in the order of the write's `secrets`.
 */
export async function checkAddresses(
  { host }: Pick<Provider, 'host'>,
  plaintexts: readonly (readonly [variable: string, plaintext: string])[],
  rules: AddressRules,
): Promise<AddressFindings> {
  const findings: AddressFindings = { issues: [], warnings: [] }
  if (!isCustomerAddress(host)) return findings
  const check = async ([variable, text]: readonly [string, string], at: number) => {
    if (!/^https?:/i.test(text) || isDemoInbox(text, rules)) return
    try {
      await rules.vetAddress(text)
    } catch (error) {
      if (error instanceof OutboundDenied)
        findings.issues.push({ path: `secrets.${at}`, message: `${variable}: ${addressRefused}` })
      else if (error instanceof HostUnresolved)
        findings.warnings.push(
          `${variable}: ${URL.parse(text)?.hostname} does not resolve; deliveries wait until it does`,
        )
      else throw error
    }
  }
  await Promise.all(plaintexts.map(check))
  return findings
}
