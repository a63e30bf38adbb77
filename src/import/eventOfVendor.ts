import type { ProviderFacts } from './channels.ts'

/** A name without case and signs. */
export const simplified = (name: string) => name.toLowerCase().replace(/[\s_.-]/g, '')

/** Names of vendors that a provider's table does not have, and what is sent for them here. */
const otherNames: Readonly<Record<string, string>> = {
  completepayment: 'Purchase',
  placeanorder: 'Purchase',
  submitform: 'Lead',
  clickbutton: 'ClickButton',
  pagevisit: 'PageView',
  signup: 'CompleteRegistration',
}

/** The event here that a provider sends under a name of the vendor. */
export function eventOfVendor(name: string, { events = {} }: ProviderFacts): string {
  const wanted = simplified(name)
  const entries = Object.entries(events)
  const found =
    entries.find(([, vendorName]) => simplified(vendorName) === wanted) ??
    entries.find(([own]) => simplified(own) === wanted)
  return found?.[0] ?? (Object.hasOwn(otherNames, wanted) ? otherNames[wanted]! : name)
}
